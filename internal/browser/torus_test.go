package browser

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"fabricast"
	"fabricast/record"
)

// smallTorus runs a small experiment of which everything is recorded.
func smallTorus(t *testing.T, algorithm string) (dir string, r *fabricast.Result) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), algorithm)
	e := &fabricast.Experiment{
		Network:  fabricast.Network{Topology: fabricast.Topology{Kind: "torus", Dims: []int{4, 4, 4}}},
		Workload: fabricast.Workload{Program: "alltoall", Algorithm: algorithm, Size: 2048},
	}
	for _, what := range fabricast.RecordingNames {
		e.Record.Set(what)
	}
	r, err := e.Run(t.Context(), fabricast.Record(dir))
	if err != nil {
		t.Fatal(err)
	}
	return dir, r
}

// TestTorus opens the report of a small torus, holds figures against the tables, and uses the charts.
func TestTorus(t *testing.T) {
	dir, r := smallTorus(t, "bruck")
	address, _ := report(t, dir)
	ctx := browse(t)
	open(t, ctx, address)
	picture(t, ctx, "torus-light")

	if got := number(t, ctx, id("predicted"), "data-ps"); got != float64(r.SimulatedTime) {
		t.Errorf("predicted %g ps, want %d", got, r.SimulatedTime)
	}
	sum := evaluate[float64](t, ctx, `[...document.querySelectorAll('[data-testid="where"] [data-ps]')].reduce((n, x) => n + Number(x.dataset.ps), 0)`)
	if sum != float64(r.SimulatedTime) {
		t.Errorf("parts of %g ps in all, want %d", sum, r.SimulatedTime)
	}
	text := evaluate[string](t, ctx, `document.body.innerText`)
	links, err := parquet.ReadFile[record.Link](filepath.Join(dir, record.LinksTable))
	if err != nil {
		t.Fatal(err)
	}
	hot := links[0]
	for _, l := range links {
		if l.Efficiency > hot.Efficiency {
			hot = l
		}
	}
	for _, want := range []string{r.Hash[:8], hot.RouterName} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}

	brushAndPlay(t, ctx)
	themes(t, ctx, "torus")
	download(t, ctx)
}
