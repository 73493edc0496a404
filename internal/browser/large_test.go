package browser

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"fabricast"
	"fabricast/record"
)

// mostBytes is how large the report of a large network may be.
const mostBytes = 50_000_000

// TestLarge opens the report of a run of 65,536 nodes with bins. The run is short: what a report takes
// depends on links and bins, not on how much has happened.
func TestLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("a run of 65,536 nodes")
	}
	dir := filepath.Join(t.TempDir(), "uniform")
	e := &fabricast.Experiment{
		Network:  fabricast.Network{Topology: fabricast.Topology{Kind: "torus", Dims: []int{64, 32, 32}}},
		Workload: fabricast.Workload{Program: "uniform", Size: 256, Messages: 2, Window: 2},
	}
	e.Record.Bins.Interval = "250ns"
	r, err := e.Run(t.Context(), fabricast.Record(dir))
	if err != nil {
		t.Fatal(err)
	}
	address, size := report(t, dir)
	if size > mostBytes {
		t.Errorf("a report of %d bytes, want at most %d", size, mostBytes)
	}
	ctx := browse(t)
	begin := time.Now()
	open(t, ctx, address)
	t.Logf("%.1f MB, drawn after %.2f s; by the page's own clock %.2f s", float64(size)/1e6, time.Since(begin).Seconds(),
		evaluate[float64](t, ctx, `(document.querySelector('#app').dataset.openedMs ?? NaN) / 1000 || 0`))
	picture(t, ctx, "large-light")

	if got := number(t, ctx, id("predicted"), "data-ps"); got != float64(r.SimulatedTime) {
		t.Errorf("predicted %g ps, want %d", got, r.SimulatedTime)
	}
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
	if text := evaluate[string](t, ctx, `document.querySelector('[data-testid="hottest"]').innerText`); !strings.Contains(text, hot.RouterName) {
		t.Errorf("the hottest links do not begin with that of %s: %s", hot.RouterName, text)
	}
	if n := evaluate[int](t, ctx, `document.querySelectorAll('*').length`); n > 5000 {
		t.Errorf("%d elements in the page: it would be slow", n)
	}
	brushAndPlay(t, ctx)
	themes(t, ctx, "large")
}
