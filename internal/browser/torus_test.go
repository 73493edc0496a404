package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/parquet-go/parquet-go"

	"fabricast"
	"fabricast/experiment"
	"fabricast/record"
	"fabricast/topology"
)

// torusRun is a run of a small experiment of which everything is recorded.
type torusRun struct {
	folder string
	result *fabricast.Result
}

// torusRuns are those that tests have asked for, by algorithm: many open the same report.
var torusRuns = map[string]torusRun{}

// smallTorus returns a small experiment of which everything is recorded, in a folder of the test's own.
func smallTorus(t *testing.T, algorithm string) (dir string, r *fabricast.Result) {
	t.Helper()
	run, done := torusRuns[algorithm]
	if !done {
		run = runTorus(t, algorithm)
		torusRuns[algorithm] = run
	}
	dir = filepath.Join(t.TempDir(), algorithm)
	if err := os.CopyFS(dir, os.DirFS(run.folder)); err != nil {
		t.Fatal(err)
	}
	return dir, run.result
}

// runTorus leaves a folder that is removed after all tests.
func runTorus(t *testing.T, algorithm string) torusRun {
	t.Helper()
	folder, err := os.MkdirTemp("", "fabricast-torus-")
	if err != nil {
		t.Fatal(err)
	}
	e := &fabricast.Experiment{
		Network:  experiment.Network{Topology: topology.TorusSpec{Dims: []int{4, 4, 4}}},
		Workload: experiment.Workload{Program: "alltoall", Algorithm: algorithm, Size: 2048},
	}
	for _, what := range experiment.RecordingNames {
		if what != "flows" { // of networks without credits
			e.Record.Set(what)
		}
	}
	e.Record.Buffers.Routers = []int{0, 21, 42}
	// Reports tell runs from one another by the names of their folders.
	run := torusRun{folder: filepath.Join(folder, algorithm)}
	if run.result, err = e.Run(t.Context(), fabricast.Record(run.folder)); err != nil {
		t.Fatal(errors.Join(err, os.RemoveAll(folder)))
	}
	return run
}

// rows reads a table of a result.
func rows[T any](t *testing.T, dir, table string) []T {
	t.Helper()
	list, err := parquet.ReadFile[T](filepath.Join(dir, table))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestTorus opens the report of a small torus, holds figures against the tables, and uses the
// charts.
func TestTorus(t *testing.T) {
	dir, r := smallTorus(t, "bruck")
	address, _ := report(t, dir)
	ctx := browse(t)
	open(t, ctx, address)
	picture(t, ctx, "torus-light")

	if got := number(t, ctx, id("predicted"), "data-ps"); got != float64(r.SimulatedTime) {
		t.Errorf("predicted %g ps, want %d", got, r.SimulatedTime)
	}
	sum := evaluate[float64](
		t,
		ctx,
		`[...document.querySelectorAll('[data-testid="where"] [data-ps]')].reduce((n, x) => n + Number(x.dataset.ps), 0)`,
	)
	if sum != float64(r.SimulatedTime) {
		t.Errorf("parts of %g ps in all, want %d", sum, r.SimulatedTime)
	}
	if text := evaluate[string](t, ctx, `document.body.innerText`); !strings.Contains(text, r.Hash[:8]) {
		t.Errorf("the page does not say %q", r.Hash[:8])
	}
	hottest := 0.0
	for _, l := range rows[record.Link](t, dir, record.LinksTable) {
		hottest = max(hottest, l.Utilization)
	}
	wantHottest(t, ctx, hottest)

	chosenPeriod(t, ctx, dir)
	zoom(t, ctx)
	gantt(t, ctx, dir)
	play(t, ctx, binsOf(t, dir).Count)
	tabThrough(t, ctx, "play", "scrubber", "network-canvas", "heat-canvas", "pairs-canvas", "gantt-canvas")
	download(
		t, ctx, "where", "network", "heat", "history", "pairs", "gantt", "latency-distance",
		"latency-size",
	)
	themes(t, ctx, "torus")
}

func binsOf(t *testing.T, dir string) record.Bins {
	t.Helper()
	var b record.Bins
	text, err := os.ReadFile(filepath.Join(dir, record.BinsFile))
	if err == nil {
		err = json.Unmarshal(text, &b)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// wantHottest waits until the first of the hottest links has a utilization.
func wantHottest(t *testing.T, ctx context.Context, want float64) {
	t.Helper()
	until(
		t,
		ctx,
		fmt.Sprintf(
			`Math.abs(parseFloat(document.querySelector('%s b')?.textContent) - %g) <= 0.06`,
			id("hottest"),
			100*want,
		),
	)
}

// chosenPeriod brushes a period and a link, and holds what the other charts tell then against the
// tables.
func chosenPeriod(t *testing.T, ctx context.Context, dir string) {
	t.Helper()
	bins := binsOf(t, dir)
	first, last := brush(t, ctx)
	from, to := int64(first)*bins.Interval, int64(last)*bins.Interval
	picture(t, ctx, t.Name()+"-brushed")

	links := rows[record.Link](t, dir, record.LinksTable)
	carried := make([]int64, len(links))
	for _, b := range rows[record.LinkBin](t, dir, record.LinkBinsTable) {
		if b.Begin >= from && b.Begin < to {
			carried[b.Link] += b.Bytes
		}
	}
	hottest := 0.0
	for i, l := range links {
		hottest = max(hottest, float64(carried[i])/(float64(l.Capacity)*float64(to-from)/1e12))
	}
	wantHottest(t, ctx, hottest)

	passed := 0
	for _, p := range rows[record.Passage](t, dir, record.BufferLogTable) {
		if p.Out >= from && p.In < to {
			passed++
		}
	}
	if _, got := table(t, ctx, "packets"); len(got) != passed || passed == 0 {
		t.Errorf("%d packets in the period, want %d", len(got), passed)
	}
	if rows, names := evaluate[int](t, ctx, fmt.Sprintf(`document.querySelectorAll('%s tbody tr').length`, id("packets"))),
		evaluate[int](t, ctx, fmt.Sprintf(`document.querySelectorAll('%s tbody button').length`, id("packets"))); names != 3*rows || rows == 0 {
		t.Errorf("%d rows have %d names of routers and hosts that can be chosen, want three each", rows, names)
	}
	sent := 0
	for _, m := range rows[record.Message](t, dir, record.MessagesTable) {
		if m.Send >= from && m.Send < to {
			sent++
		}
	}
	if got := counted(t, ctx, "latency-distance"); got != sent {
		t.Errorf("latencies of %d messages in the period, want %d", got, sent)
	}
	if !evaluate[bool](t, ctx, fmt.Sprintf(`document.querySelector('%s .segment') !== null`, id("during"))) {
		t.Error("the page does not tell what ranks did in the period")
	}

	do(t, ctx, chromedp.ScrollIntoView(id("hottest"), chromedp.ByQuery), press(id("hottest")+" button"))
	until(
		t,
		ctx,
		fmt.Sprintf(
			`(name => name !== "" && document.querySelector('%s h3').textContent.includes(name))(document.querySelector('%s')?.textContent ?? "")`,
			id("history"),
			id("picked"),
		),
	)
	giveBack(t, ctx, bins.Count)
	wantMessages := len(rows[record.Message](t, dir, record.MessagesTable))
	if got := counted(t, ctx, "latency-distance"); got != wantMessages {
		t.Errorf("latencies of %d messages in all, want %d", got, wantMessages)
	}
}

// counted adds up the column count of a chart's data.
func counted(t *testing.T, ctx context.Context, chart string) int {
	t.Helper()
	head, list := table(t, ctx, chart)
	sum := 0
	for i, name := range head {
		for _, row := range list {
			if name == "count" {
				n, err := strconv.Atoi(row[i])
				if err != nil {
					t.Fatal(err)
				}
				sum += n
			}
		}
	}
	return sum
}

// gantt zooms the timeline and counts the messages that are drawn as arrows.
func gantt(t *testing.T, ctx context.Context, dir string) {
	t.Helper()
	messages := rows[record.Message](t, dir, record.MessagesTable)
	drawn := func() (want int) {
		v := numbers(t, ctx, "gantt-canvas", "view", ",")
		for _, m := range messages {
			low, high := float64(min(m.Source, m.Destination)), float64(max(m.Source, m.Destination))
			if float64(m.Delivery) >= v[2] && float64(m.Send) <= v[3] && high >= v[0] && low <= v[1] {
				want++
			}
		}
		return want
	}
	do(t, ctx, press(id("gantt-arrows")+` [data-value="yes"]`))
	until(t, ctx, fmt.Sprintf(`Number(%s) === %d`, dataOf("gantt-canvas", "arrows"), len(messages)))
	whole := numbers(t, ctx, "gantt-canvas", "view", ",")
	do(
		t, ctx, chromedp.Focus(id("gantt-canvas"), chromedp.ByQuery), chromedp.KeyEvent("+"),
		chromedp.KeyEvent("+"), chromedp.KeyEvent("+"), chromedp.KeyEvent("*"),
	)
	until(
		t,
		ctx,
		fmt.Sprintf(
			`(v => v[3] - v[2] < %g && v[1] - v[0] < %g)(%s.split(',').map(Number))`,
			0.4*(whole[3]-whole[2]),
			whole[1]-whole[0],
			dataOf("gantt-canvas", "view"),
		),
	)
	if want := drawn(); want == 0 || want == len(messages) {
		t.Errorf("%d of %d messages are in the part that is shown", want, len(messages))
	} else {
		until(t, ctx, fmt.Sprintf(`Number(%s) === %d`, dataOf("gantt-canvas", "arrows"), want))
	}
	picture(t, ctx, t.Name()+"-gantt")
	do(t, ctx, press(id("gantt-reset")))
	until(t, ctx, fmt.Sprintf(`Number(%s) === %d`, dataOf("gantt-canvas", "arrows"), len(messages)))
	if back := numbers(t, ctx, "gantt-canvas", "view", ","); math.Abs(back[3]-whole[3]) > 1 {
		t.Errorf("the whole run ends at %g, then at %g", whole[3], back[3])
	}
}
