package run_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/units"
)

// TestBytesThatTakeNoTime checks models in which bytes take no time: the utilization of links is 0,
// and the result is valid JSON.
func TestBytesThatTakeNoTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		perByte := units.PerByte(rapid.Int64Range(0, 1).Draw(t, "time for each byte")) * 1_000_000
		e := fabricast.Experiment{
			Network:  experiment.Network{Model: rapid.SampledFrom([]string{"alpha-beta", "loggp", "loggops"}).Draw(t, "model")},
			Workload: experiment.Workload{Program: "alltoall", Size: 1024},
			Ranks:    rapid.IntRange(1, 4).Draw(t, "ranks"),
		}
		if e.Network.Model == "alpha-beta" {
			e.Network.Parameters.Beta = &perByte
		} else {
			e.Network.Parameters.GapPerByte = &perByte
		}
		r, err := e.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if perByte == 0 && r.HostLinks.MaxUtilization != 0 {
			t.Fatalf("%v of a bandwidth without bounds is used", r.HostLinks.MaxUtilization)
		}
		text, err := r.JSON()
		if err != nil || !json.Valid(text) {
			t.Fatalf("%s: %v", text, err)
		}
	})
}
