package recording

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/internal/checkpoint"
	"fabricast/internal/draws"
	"fabricast/internal/units"
	"fabricast/record"
)

// rewound are what runs in networks that are drawn, for some tenths of a second.
var rewound = []string{
	"workload: {program: alltoall, algorithm: bruck, size: 4KiB, iterations: 5}",
	"traffic: {load: 30%, size: 512B, measure: {precision: 0.2%, longest: 50us, bin: 500ns}}",
	"workload: {program: allgather, size: 4KiB, iterations: 4}",
	"node: {nics: 2}\nworkload: {program: uniform, size: 1KiB, messages: 1500}",
	"jobs:\n - {name: a, ranks: 40, workload: {program: alltoall, algorithm: ring, size: 8KiB, iterations: 3}}\n" +
		" - {name: b, ranks: 20, traffic: {load: 20%, size: 1KiB}}",
	"workload: {program: alltoall, algorithm: ring, size: 4KiB, iterations: 2}\nimbalance: {width: 40%, order: random}",
}

// drawRewound draws a network for a load.
func drawRewound(d *rand.Rand, load string) string {
	one := func(words ...string) string { return words[d.IntN(len(words))] }
	return fmt.Sprintf(
		"seed: %d\nnetwork: %s\n%s\n", d.IntN(1000),
		one(
			"{topology: {dims: [4, 4, 4]}}",
			"{topology: {kind: mesh, dims: [8, 8]}, router: {arbiter: round-robin, output_buffer: 4096B}}",
			"{topology: {kind: dragonfly, p: 2, a: 4, h: 2}, routing: {algorithm: ugal-l}}",
			"{topology: {dims: [8, 8]}, routing: {algorithm: adaptive}, router: {vcs: 3, queues: voq}}",
		),
		load,
	)
}

// within returns the rows that keep accepts.
func within[Row any](rows []Row, keep func(*Row) bool) (list []Row) {
	for i := range rows {
		if keep(&rows[i]) {
			list = append(list, rows[i])
		}
	}
	return list
}

// drawSaved draws experiments of a kind, and runs them in a folder, until one leaves checkpoints: a run of
// less than 50 ms may leave none.
func drawSaved(t *testing.T, d *rand.Rand, kind, run string) (string, *fabricast.Experiment, *fabricast.Result) {
	t.Helper()
	for range 20 {
		text := drawRewound(d, kind)
		e, err := fabricast.Parse("e.yaml", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		checkpoints := fabricast.Checkpoint(fabricast.Checkpoints{EveryTime: units.Nanosecond, Keep: 2 + d.IntN(4)})
		mode := e.Engine.Mode
		e.Record.Bins.Interval = []string{"3us", "auto"}[d.IntN(2)] // a look records something else
		if d.IntN(2) == 0 {
			e.Engine.Mode = experiment.EngineOptimistic
		}
		if err := os.RemoveAll(run); err != nil {
			t.Fatal(err)
		}
		result, err := e.Run(context.Background(), fabricast.Record(run), checkpoints, fabricast.Workers(1+d.IntN(3)))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if left, err := checkpoint.Times(run); err != nil {
			t.Fatal(err)
		} else if len(left) > 0 {
			e.Engine.Mode = mode
			return text, e, result
		}
	}
	t.Fatal("no run has left a checkpoint")
	return "", nil, nil
}

// A look at a period records what a run records of that period that records everything from its
// begin on. So it does with another number of workers.
func TestRewind(t *testing.T) {
	runs, looks := 0, 0
	for seed := range draws.Seeds(2, 60) {
		runs++
		d := rand.New(rand.NewPCG(seed, 77))
		dir := t.TempDir()
		run := filepath.Join(dir, "run")
		text, e, result := drawSaved(t, d, rewound[seed%uint64(len(rewound))], run)
		e.Record = experiment.Recording{
			Bins: experiment.BinRecording{Interval: "1us"}, Messages: true,
			Timeline: !e.HasTraffic(), Buffers: experiment.BufferLogging{Routers: []int{1, 5}},
		}
		_, whole := recordedRun(t, e, filepath.Join(dir, "whole"), 2)
		from := units.Time(d.Int64N(int64(result.SimulatedTime)))
		for range 2 {
			look := fabricast.Look{
				Record: e.Record,
				From:   from,
				Until:  from + units.Time(d.Int64N(int64(100*units.Microsecond))),
			}
			saved, got, closer := lookAt(t, d, text, run, look)
			if saved > 0 {
				looks++
			}
			if a, b := result.Imbalance, got.Imbalance; a != nil && a.Balanced != b.Balanced {
				t.Errorf("the balanced run takes %d, in the look %d\n%s", a.Balanced, b.Balanced, text)
			}
			end := (look.Until + fabricast.LookGrain - 1) / fabricast.LookGrain * fabricast.LookGrain
			if got.State == "" {
				end = units.Time(1 << 60)
			} else if got.SimulatedTime != end {
				t.Fatalf("ended at %d, want %d", got.SimulatedTime, end)
			}
			sameLook(t, text, whole, closer, int64(max(from, saved)), int64(end))
			from = saved // the next look begins where ranks may have been ahead of a checkpoint
		}
	}
	if looks < runs/4 {
		t.Errorf("%d looks from checkpoints in %d runs", looks, runs)
	}
}

// A look records nothing of links, though the run has, and many of them waited for credit.
func TestRewindRecordsLess(t *testing.T) {
	const text = "network: {topology: {dims: [4, 4, 4]}}\nworkload: {program: alltoall, algorithm: bruck, size: 16KiB}"
	e, err := fabricast.Parse("e.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	e.Record = experiment.Recording{Messages: true, Bins: experiment.BinRecording{Interval: "3us"}}
	folder := filepath.Join(t.TempDir(), "run")
	checkpoints := fabricast.Checkpoint(fabricast.Checkpoints{EveryTime: units.Microsecond, Keep: 9})
	result, err := e.Run(context.Background(), fabricast.Record(folder), checkpoints)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := record.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	d := rand.New(rand.NewPCG(0, 78))
	look := fabricast.Look{Record: experiment.Recording{Messages: true}, From: result.SimulatedTime * 3 / 4}
	saved, _, closer := lookAt(t, d, text, folder, look)
	if saved == 0 {
		t.Error("the run has left no checkpoint")
	}
	sameMessages(t, text, whole, closer, int64(max(look.From, saved)), 1<<60)
}

// lookAt looks at a period of a run. It returns the time of the checkpoint from which that went on.
func lookAt(
	t *testing.T, d *rand.Rand, text, run string, look fabricast.Look,
) (units.Time, *fabricast.Result, *record.Reader) {
	t.Helper()
	saved, err := fabricast.OpenBefore(run, look.From)
	if err != nil {
		t.Fatal(err)
	}
	defer saved.Close()
	if saved.Time > look.From {
		t.Fatalf("a checkpoint at %d for a look from %d", saved.Time, look.From)
	}
	folder := filepath.Join(t.TempDir(), "look")
	got, err := saved.Look(context.Background(), folder, look, fabricast.Workers(1+d.IntN(3)))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	closer, err := record.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	return saved.Time, got, closer
}

func sameMessages(t *testing.T, text string, whole, look *record.Reader, from, end int64) {
	t.Helper()
	sameRows(t, text, whole, look, record.MessagesTable, func(m *record.Message) bool {
		return m.Delivery >= from && m.Delivery < end
	})
}

// sameLook compares what is recorded of a period. What has begun before is left out where it counts
// in part only: waits of links, states of ranks.
func sameLook(t *testing.T, text string, whole, look *record.Reader, from, end int64) {
	t.Helper()
	sameMessages(t, text, whole, look, from, end)
	samePassages(t, text, whole, look, from, end)
	if whole.Has(record.TimelineTable) { // traffic has none
		sameRows(t, text, whole, look, record.TimelineTable, func(s *record.Span) bool {
			s.Step = 0 // is counted from the begin of the look in a collective that has begun before
			return s.Begin > from && s.End < end
		})
	}
	bytes := func(r *record.Reader) (list []record.LinkBin) {
		bins := within(all[record.LinkBin](t, r, record.LinkBinsTable), func(b *record.LinkBin) bool {
			return b.Begin >= from && b.Begin+int64(units.Microsecond) <= end && b.Packets > 0
		})
		for i := range bins {
			b := &bins[i]
			list = append(list, record.LinkBin{Link: b.Link, Begin: b.Begin, Bytes: b.Bytes, Packets: b.Packets})
		}
		return list
	}
	if a, b := bytes(whole), bytes(look); !slices.Equal(a, b) {
		t.Errorf("%d bins, want %d\n%s", len(b), len(a), text)
	}
}

// samePassages compares the packets recorded at buffers that arrived during a period. Of a packet that
// was waiting first in its buffer at the checkpoint, a look does not know when it arrived: it counts the
// waits from the request for its output on (docs/long-runs.md).
func samePassages(t *testing.T, text string, whole, look *record.Reader, from, end int64) {
	t.Helper()
	type buffer struct{ router, port, vc int32 }
	type start struct {
		buffer
		out int64
	}
	of := func(p *record.Passage) buffer { return buffer{p.Router, p.Port, p.VC} }
	first := map[buffer]record.Passage{} // of the look
	for _, p := range all[record.Passage](t, look, record.BufferLogTable) {
		if f, ok := first[of(&p)]; !ok || p.Out < f.Out {
			first[of(&p)] = p
		}
	}
	known := func(p record.Passage) record.Passage { // what a look knows of a packet that was waiting
		p.In, p.Order, p.Credit, p.BusyOutput, p.BusyCrossbar = 0, 0, 0, 0, 0
		return p
	}
	waiting := map[start]bool{}
	for _, p := range all[record.Passage](t, whole, record.BufferLogTable) {
		if f := first[of(&p)]; f.Out == p.Out && p.In < f.In && known(f) == known(p) {
			waiting[start{of(&p), p.Out}] = true
		}
	}
	sameRows(t, text, whole, look, record.BufferLogTable, func(p *record.Passage) bool {
		return p.In > from && p.Out < end && !waiting[start{of(p), p.Out}]
	})
}

func sameRows[Row comparable](
	t *testing.T, text string, whole, look *record.Reader, table string, keep func(*Row) bool,
) {
	t.Helper()
	a := within(all[Row](t, whole, table), keep)
	b := within(all[Row](t, look, table), keep)
	if slices.Equal(a, b) {
		return
	}
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Errorf("%s: row %d: %+v, want %+v\n%s", table, i, b[i], a[i], text)
			return
		}
	}
	t.Errorf("%s: %d rows, want %d\n%s", table, len(b), len(a), text)
}
