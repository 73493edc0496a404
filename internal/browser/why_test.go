package browser

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/cli/clitest"
	"fabricast/internal/why"
	"fabricast/record"
	"fabricast/topology"
)

// TestWhy opens the report of a run with its causes, holds the critical path against the result, and
// goes from segment to segment.
func TestWhy(t *testing.T) {
	dir, r := smallTorus(t, "bruck")
	address, _ := report(t, dir)
	ctx := browse(t)
	open(t, ctx, address)
	until(t, ctx, fmt.Sprintf(`Boolean(document.querySelector('%s')?.dataset.view)`, id("why-canvas")))
	picture(t, ctx, "why-light")
	sum := evaluate[float64](t, ctx, fmt.Sprintf(
		`[...document.querySelectorAll('%s [data-ps]')].reduce((n, x) => n + Number(x.dataset.ps), 0)`, id("why-key")))
	if sum != float64(r.SimulatedTime) {
		t.Errorf("causes of %g ps in all, want %d", sum, r.SimulatedTime)
	}
	waits := int64(0)
	for _, w := range rows[record.Wait](t, dir, record.WaitsTable) {
		waits += w.Wait
	}
	cells := evaluate[float64](t, ctx, fmt.Sprintf(
		`[...document.querySelectorAll('%s td[data-ps]')].reduce((n, x) => n + Number(x.dataset.ps), 0)`, id("why-matrix")))
	if waits == 0 || cells != float64(waits) {
		t.Errorf("the matrix has %g ps, want %d", cells, waits)
	}

	walked := 0.0
	for do(t, ctx, chromedp.Focus(id("why-canvas"), chromedp.ByQuery), chromedp.KeyEvent(kb.Home)); ; {
		at := attribute(t, ctx, id("why-canvas"), "data-segment")
		walked += number(t, ctx, id("why-details"), "data-ps")
		do(t, ctx, chromedp.KeyEvent(kb.ArrowRight))
		evaluate[bool](t, ctx, `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`, awaited)
		if attribute(t, ctx, id("why-canvas"), "data-segment") == at {
			break
		}
	}
	if walked != float64(r.SimulatedTime) {
		t.Errorf("segments of %g ps in all, want %d", walked, r.SimulatedTime)
	}
	for evaluate[int](t, ctx, fmt.Sprintf(`document.querySelectorAll('%s tbody tr').length`, id("why-ahead"))) == 0 {
		do(t, ctx, chromedp.KeyEvent(kb.ArrowLeft))
	}
	until(t, ctx, fmt.Sprintf(`/^[1-9]\d*,[1-9]/.test(%s)`, dataOf("network-canvas", "marks")))
	do(t, ctx, chromedp.KeyEvent(kb.Enter))
	until(t, ctx, fmt.Sprintf(`document.querySelector('%s').innerText.includes("way of the message")`, id("picked")))
	picture(t, ctx, "why-segment")
	tabThrough(t, ctx, "why-canvas")
	download(t, ctx, "why", "why-waits", "why-helps", "why-blame")
	themes(t, ctx, "why")
}

// TestWhyRanges opens the report of a ping-pong, which tells between which values derivatives hold, as the path does.
func TestWhyRanges(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "quiet")
	e := &fabricast.Experiment{
		Network:  experiment.Network{Topology: topology.TorusSpec{Dims: []int{4}}},
		Workload: experiment.Workload{Program: "pingpong", Size: 64}, Ranks: 2,
	}
	e.Record.Set("causes")
	if _, err := e.Run(t.Context(), fabricast.Record(dir)); err != nil {
		t.Fatal(err)
	}
	address, _ := report(t, dir)
	ctx := browse(t)
	open(t, ctx, address)
	until(t, ctx, fmt.Sprintf(`Boolean(document.querySelector('%s'))`, id("why-derivatives")))
	text := evaluate[string](t, ctx, fmt.Sprintf(`document.querySelector('%s').innerText`, id("why-derivatives")))
	if !strings.Contains(text, "exact from ") || strings.Contains(text, "estimated") {
		t.Errorf("the table is\n%s\nwant ranges of exact derivatives", text)
	}
	picture(t, ctx, "why-ranges")
}

// TestWhyMeasured shows the changes that runs have measured, as they are kept in the folder.
func TestWhyMeasured(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "measured")
	e := &fabricast.Experiment{
		Network:  experiment.Network{Topology: topology.MeshSpec{Dims: []int{3}}},
		Workload: experiment.Workload{Program: "alltoall", Size: 3000},
	}
	e.Record.Set("causes=full")
	if _, err := e.Run(t.Context(), fabricast.Record(dir)); err != nil {
		t.Fatal(err)
	}
	if _, log, err := clitest.Command(t.Context(), "why", dir, "--what-helps"); err != nil {
		t.Fatal(err, log)
	}
	address, _ := report(t, dir)
	ctx := browse(t)
	open(t, ctx, address)
	until(t, ctx, fmt.Sprintf(`Boolean(document.querySelector('%s tbody tr'))`, id("why-changes")))
	r, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	path, err := why.Find(r)
	if err != nil {
		t.Fatal(err)
	}
	helps, err := why.ReadHelps(r, path.Predicted)
	if err != nil || helps == nil {
		t.Fatal(helps, err)
	}
	_, csv := table(t, ctx, "why-measured")
	shown := evaluate[[]string](t, ctx, fmt.Sprintf(
		`[...document.querySelectorAll('%s tbody tr')].map(r => r.cells[0].innerText)`, id("why-changes")))
	if len(csv) != len(helps.Changes) || len(shown) != len(helps.Changes) {
		t.Fatalf("%d rows and %d of the CSV, want %d", len(shown), len(csv), len(helps.Changes))
	}
	chosen := evaluate[[]string](t, ctx, fmt.Sprintf(
		`[...document.querySelectorAll('%s tbody button')].map(b => b.innerText)`, id("why-changes")))
	for _, c := range helps.Changes {
		for _, host := range regexp.MustCompile(`host \d+`).FindAllString(c.Change, -1) {
			if !slices.Contains(chosen, host) {
				t.Errorf("%s: %s cannot be chosen", c.Change, host)
			}
		}
	}
	for i, c := range helps.Changes {
		if shown[i] != c.Change || csv[i][0] != c.Change || csv[i][3] != strconv.FormatInt(c.Gain, 10) {
			t.Errorf("row %d: %s, CSV %q, want %s with a gain of %d ps", i, shown[i], csv[i], c.Change, c.Gain)
		}
	}
	picture(t, ctx, "why-measured")
}

// TestWhyNot opens the report of a run without causes: it gives the command that records them.
func TestWhyNot(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plain")
	e := &fabricast.Experiment{
		Network:  experiment.Network{Topology: topology.TorusSpec{Dims: []int{2, 2}}},
		Workload: experiment.Workload{Program: "barrier"},
	}
	if _, err := e.Run(t.Context(), fabricast.Record(dir)); err != nil {
		t.Fatal(err)
	}
	address, _ := report(t, dir)
	ctx := browse(t)
	open(t, ctx, address)
	until(t, ctx, fmt.Sprintf(`Boolean(document.querySelector('%s'))`, id("why-missing")))
	text := evaluate[string](t, ctx, fmt.Sprintf(`document.querySelector('%s').innerText`, id("why-missing")))
	if want := "fabricast run " + dir + "/experiment.yaml --record causes=full"; !strings.Contains(text, want) {
		t.Errorf("the page says %q, want the command %q", text, want)
	}
	picture(t, ctx, "why-not")
}
