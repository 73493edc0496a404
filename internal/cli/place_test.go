package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestPlacedRun: with the mapping that is written, a run takes the time that was predicted for it,
// which is less than that of the experiment's own.
func TestPlacedRun(t *testing.T) {
	folder := t.TempDir()
	file, mapping := filepath.Join(folder, "random.yaml"), filepath.Join(folder, "better.txt")
	const text = "network: {topology: {kind: torus, dims: [4, 2, 2]}}\nmapping: random\n" +
		"workload: {program: halo3d, size: 16KiB}\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	read := func(to any, args ...string) {
		t.Helper()
		out, log, err := command(t.Context(), args...)
		if err != nil {
			t.Fatal(err, log)
		}
		if err := json.Unmarshal([]byte(out), to); err != nil {
			t.Fatal(err)
		}
	}
	var placed struct {
		Best     int
		Mappings []struct {
			Predicted int64 `json:"predicted_ps"`
		}
	}
	read(&placed, "place", file, "--swaps", "1000", "--json", "--out", mapping)
	var run struct {
		Time int64 `json:"simulated_time_ps"`
	}
	read(&run, "run", file, "--set", "mapping=file:"+mapping, "--json")
	if best := placed.Mappings[placed.Best].Predicted; run.Time != best || best >= placed.Mappings[0].Predicted {
		t.Errorf("predicted %d ps, and %d ps of its own mapping; a run takes %d ps",
			best, placed.Mappings[0].Predicted, run.Time)
	}
}
