package whatif

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/why"
	"fabricast/record"
)

// TestQuickerRanks: a slow rank computes for its factor times as long, in its own job. That it computes for
// as long as the mean is among the changes that may help, and then the run is shorter.
func TestQuickerRanks(t *testing.T) {
	d := rand.New(rand.NewPCG(7, 7))
	for range 12 {
		size, slow, factor := 8+d.IntN(9), d.IntN(8), 1.5+d.Float64()
		workload := "workload: {program: stencil3d, size: 2KiB, iterations: 3, compute: 50us}"
		compute := fmt.Sprintf("compute: {ranks: {%d: %v}}", slow, factor)
		text := fmt.Sprintf("%s\n%s\n", workload, compute)
		first, of := 0, ""
		if d.IntN(2) == 0 {
			first, of = 3, " of job b"
			text = fmt.Sprintf("jobs:\n  - {name: a, ranks: 3, workload: {program: ring, size: 1KiB}}\n"+
				"  - {name: b, ranks: %d, %s, %s}\n", size, workload, compute)
		} else {
			text = fmt.Sprintf("ranks: %d\n%s", size, text)
		}
		quickened(t, "network: {topology: {dims: [5, 4]}}\n"+text, first, slow, of, factor)
	}
}

// quickened tests an experiment with one slow rank of a program that has no other lateness.
func quickened(t *testing.T, text string, first, slow int, of string, factor float64) {
	e, err := fabricast.Parse("slow.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	recorded := *e
	recorded.Record.Set("causes")
	folder := filepath.Join(t.TempDir(), "run")
	before, err := recorded.Run(context.Background(), fabricast.Workers(1), fabricast.Record(folder))
	if err != nil {
		t.Fatal(err)
	}
	r, err := record.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	const base = 3 * 50_000_000 // ps, of three iterations
	for row, err := range record.Rows[record.Rank](r, record.RanksTable) {
		want := int64(base)
		if int(row.Rank) == first+slow {
			want = 3 * int64(math.Round(base/3*factor))
		}
		if int(row.Rank) >= first && (err != nil || row.Compute != want) {
			t.Errorf("%srank %d computes for %d ps, expected %d; %v", text, row.Rank, row.Compute, want, err)
		}
	}
	path, err := why.Find(r)
	if err != nil {
		t.Fatal(err)
	}
	list, err := quickerRanks(path, (*experiment.Experiment)(e), r)
	if err != nil {
		t.Fatal(err)
	}
	ranks := float64(e.Ranks)
	if len(e.Jobs) > 0 {
		ranks = float64(e.Jobs[1].Ranks)
	}
	less := 100 * (1 - (ranks-1+factor)/ranks/factor)
	want := fmt.Sprintf("rank %d%s computes for %.1f %% less, the mean", slow, of, less)
	if len(list) != 1 || list[0].Change != want {
		t.Fatalf("%s%v, expected %s", text, slices.Collect(changes(list)), want)
	}
	changed := fabricast.Experiment(list[0].Experiment)
	after, err := changed.Run(context.Background(), fabricast.Workers(1))
	if err != nil || after.SimulatedTime >= before.SimulatedTime {
		t.Errorf("%s%v: %v ps, and %v before", text, err, after, before.SimulatedTime)
	}
}

func changes(list []Alternative) func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, a := range list {
			if !yield(a.Change) {
				return
			}
		}
	}
}
