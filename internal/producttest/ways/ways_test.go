package ways

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"fabricast"
	"fabricast/engine"
	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/cluster"
	"fabricast/internal/draws"
	"fabricast/internal/producttest"
	"fabricast/internal/run"
)

// A way is one to run an experiment.
type way struct {
	name string
	// suits reports whether experiments can be run in this way; nil: all can.
	suits func(x *drawn) bool
	// refused reports whether the experiment was refused for a reason by which it does not suit, which
	// is known only then; nil: never.
	refused func(err error) bool
	// engine draws what the experiment says of the engine; nil: nothing.
	engine func(d *rand.Rand) string
	run    runner
}

// A runner runs an experiment and tells how what it leaves differs from the reference run; "" if it does
// not. It counts that for which the way is there: processes that took part, routers that moved, windows
// that were rolled back, stops.
type runner func(t *testing.T, d *rand.Rand, x *drawn, engine string) (different string, events int, err error)

// ways are all ways to run an experiment. A new one is one row.
var ways = []way{
	{name: "workers", run: inShape(one, workersTo(4))},
	{
		name: "packet by packet", suits: (*drawn).credits, run: packetwise,
		engine: func(*rand.Rand) string { return "streams: " + experiment.StreamsOff },
	},
	{
		name: "processes", suits: (*drawn).packets, refused: producttest.NeedsOneProcess,
		run: inShape(processesTo(4), workersTo(2)),
	},
	{
		name: "processes that wait for their neighbours", suits: (*drawn).packets, refused: producttest.NeedsOneProcess,
		engine: neighbours, run: inShape(processesTo(manyProcesses()), workersTo(2)),
	},
	{name: "moves between workers", suits: movable, run: moving(one, workersTo(4))},
	{
		name: "moves between processes", suits: movable, refused: producttest.NeedsOneProcess,
		run: moving(processesTo(4), workersTo(2)),
	},
	{
		name: "optimistic", suits: (*drawn).credits, refused: notOptimistic, engine: optimistic,
		run: rolledBack,
	},
	{name: "resumed", suits: (*drawn).credits, refused: notResumed, engine: synchronous, run: inStages},
	{name: "resumed, without credits", suits: (*drawn).ethernet, refused: notResumed, run: inStages},
	{name: "resumed, optimistic", suits: (*drawn).credits, refused: notOptimistic, engine: optimistic, run: inStages},
}

// TestWaysChangeNothing runs experiments of every kind that can be named in all ways: the result, and
// every table recorded with it, are those of a run by one worker. A new kind of network, routing,
// pattern, program or model takes part without being told; it fails the test as long as it does not say
// how to draw it.
func TestWaysChangeNothing(t *testing.T) {
	ran, events := make([]atomic.Int64, len(ways)), make([]atomic.Int64, len(ways))
	var crossed atomic.Int64
	each := func(t *testing.T, d *rand.Rand, x *drawn) {
		first, step := 0, 1
		if testing.Short() { // under the race detector each is run in some ways
			first, step = d.IntN(shortStep), shortStep
		}
		for i := first; i < len(ways); i += step {
			if n, ok := ways[i].agrees(t, d, x); ok {
				ran[i].Add(1)
				events[i].Add(int64(n))
			}
		}
		crossed.Add(x.crossed.Load())
	}
	all := t.Run("experiments", func(t *testing.T) { eachDrawn(t, each) })
	all = t.Run("long messages", func(t *testing.T) {
		if x := refer(t, longMessages, false); x != nil {
			each(t, rand.New(rand.NewPCG(draws.Round(), 1)), x)
		}
	}) && all
	t.Logf("%d streams crossed borders", crossed.Load())
	if all && !testing.Short() && crossed.Load() == 0 {
		t.Error("no stream crossed a border")
	}
	for i, w := range ways {
		t.Logf("%s: %d runs, %d events", w.name, ran[i].Load(), events[i].Load())
		if n := ran[i].Load(); all && !testing.Short() && (n < 4 || events[i].Load() < n/4) {
			t.Errorf("%s: this shows nothing", w.name)
		}
	}
}

// longMessages is an experiment whose messages are streams that cross the borders between blocks. Few of those
// that are drawn have such.
const longMessages = `network: {topology: {kind: torus, dims: [4, 4]}}
workload: {program: allreduce, algorithm: ring, size: 256KiB}
record: {messages: true, causes: path}
`

// shortStep is of how many ways short tests take one for an experiment.
const shortStep = 3

// mostWindows bounds the experiments of each commit. Where many processes and workers share two cores, a
// window takes milliseconds.
const mostWindows = 500

// agrees compares a run with the one by one worker. It reports whether the experiment can be run in this
// way.
func (w *way) agrees(t *testing.T, d *rand.Rand, x *drawn) (events int, ran bool) {
	t.Helper()
	most := uint64(mostWindows)
	if testing.Short() {
		most /= 4
	}
	if w.suits != nil && !w.suits(x) || x.result.Windows > most && !draws.Long() {
		return 0, false
	}
	engine := ""
	if w.engine != nil {
		engine = "engine: {" + w.engine(d) + "}\n"
	}
	different, events, err := w.run(t, d, x, engine)
	if err != nil {
		if w.refused == nil || !w.refused(err) {
			t.Errorf("%s: %v\n%s%s", w.name, err, x.text, engine)
		}
		return 0, false
	}
	if different != "" {
		t.Errorf("%s: %s\n%s%s", w.name, different, x.text, engine)
	}
	return events, true
}

// rounds is how often experiments of every kind are drawn. A round of long tests takes 17 to 24 minutes on two cores.
func rounds() int {
	if draws.Long() {
		return 3
	}
	return 1
}

// times is how often something is drawn: n times a round, a quarter of that in short tests.
func times(n int) int {
	if testing.Short() && !draws.Long() {
		return max(1, n/4)
	}
	return n * rounds()
}

// oneOf is of how many cases a commit takes one: n, three times as many in short tests.
func oneOf(n int) int {
	if testing.Short() {
		return 3 * n
	}
	return n
}

// manyProcesses is up to how many processes share a run.
func manyProcesses() int {
	if draws.Long() {
		return 16
	}
	return 9
}

// A number draws how many processes or workers there are.
type number func(d *rand.Rand) int

func one(*rand.Rand) int { return 1 }

func workersTo(n int) number   { return func(d *rand.Rand) int { return 1 + d.IntN(n) } }
func processesTo(n int) number { return func(d *rand.Rand) int { return 2 + d.IntN(n-1) } }

// inShape runs experiments in so many processes of so many workers each.
func inShape(processes, workers number) runner {
	return func(t *testing.T, d *rand.Rand, x *drawn, engine string) (string, int, error) {
		r, different, err := x.shared(t, engine, processes(d), workers(d))
		if err != nil {
			return "", 0, err
		}
		return different, max(1, r.Processes), nil
	}
}

// packetwise runs experiments without streams. It counts those in which the reference run has skipped
// windows, because packets were in streams.
func packetwise(t *testing.T, d *rand.Rand, x *drawn, engine string) (string, int, error) {
	r, different, err := x.shared(t, engine, 1, 1)
	if err != nil {
		return "", 0, err
	}
	if r.Streams != nil {
		return "there are streams", 0, nil
	}
	if s := x.result.Streams; s != nil {
		return different, int(s.Streams), nil
	}
	return different, 0, nil
}

// shared runs an experiment in n processes, and tells what of it is not as in the reference run.
func (x *drawn) shared(
	t *testing.T, engine string, n, workers int, options ...fabricast.Option,
) (first *fabricast.Result, different string, err error) {
	folder := filepath.Join(t.TempDir(), "result")
	err = producttest.InProcesses(n, func(p int, group cluster.Group) error {
		e, err := x.parse(engine)
		if err != nil {
			return err
		}
		all := append([]fabricast.Option{fabricast.Workers(workers), fabricast.Record(folder)}, options...)
		if n > 1 {
			all = append(all, run.Across(group))
		}
		r, err := e.Run(context.Background(), all...)
		if p == 0 {
			first = r
		}
		return err
	})
	if err != nil {
		return nil, "", err
	}
	if s := first.Streams; s != nil {
		x.crossed.Add(int64(s.Crossed))
	}
	different, err = x.difference(first, folder, engine)
	return first, different, err
}

func neighbours(d *rand.Rand) string {
	return "sync: " + producttest.One(d, experiment.SyncNeighbours, experiment.SyncNeighbours, "auto", experiment.SyncAll)
}

func synchronous(d *rand.Rand) string {
	return "sync: " + producttest.One(d, experiment.SyncAll, experiment.SyncNeighbours)
}

// movable reports whether routers can move: not where what they do is recorded, nor with doors.
func movable(x *drawn) bool {
	return x.credits() && !x.tables && !strings.Contains(x.text, "faults:") && !strings.Contains(x.text, "in_network:")
}

// moving runs experiments in so many processes of so many workers each, between which routers move at
// random.
func moving(processes, workers number) runner {
	return func(t *testing.T, d *rand.Rand, x *drawn, engine string) (string, int, error) {
		n, w := processes(d), workers(d)
		if n == 1 && w == 1 {
			w = 2
		}
		var moves atomic.Int64
		_, different, err := x.shared(t, engine, n, w, restlessly(d.Uint64(), &moves))
		return different, int(moves.Load()), err
	}
}

// restless moves routers between blocks at random, however the work is divided.
type restless struct {
	cells    *fabric.Cells
	random   *rand.Rand
	interval uint64
	moves    *atomic.Int64
}

// restlessly returns an option that has routers move at random, and counts the moves.
func restlessly(seed uint64, moves *atomic.Int64) fabricast.Option {
	return run.BalanceBy(func(c *fabric.Cells) engine.Balancer {
		return &restless{c, rand.New(rand.NewPCG(seed, 3)), 1, moves}
	})
}

func (r *restless) Interval() uint64 { return r.interval }

func (r *restless) Look() {
	r.interval = 1 + r.random.Uint64N(1<<r.random.IntN(10))
	cuts := r.cells.Cuts()
	cells := cuts[len(cuts)-1]
	for i := 1; i < len(cuts)-1; i++ {
		cuts[i] = cuts[i-1] + 1 + r.random.IntN(cells-cuts[i-1]-(len(cuts)-1-i))
	}
	r.cells.Recut(cuts)
	r.moves.Add(1)
}

// optimistic draws an optimistic mode. Mostly batches are of one length, in which more comes too late.
func optimistic(d *rand.Rand) string {
	one := producttest.One
	return fmt.Sprintf(
		"mode: %s, batch: %d, gvt_interval: %d, kp: %d, throttle: %s",
		one(d, "optimistic", "optimistic", "optimistic", "optimistic", "optimistic-check"), 1+d.IntN(40),
		1+d.IntN(40), 1+d.IntN(6),
		one(d, experiment.ThrottleStatic, experiment.ThrottleStatic, experiment.ThrottleDynamic),
	)
}

// notOptimistic reports whether an experiment was refused because it cannot be run in an optimistic mode,
// or not in so many processes.
func notOptimistic(err error) bool {
	return strings.Contains(err.Error(), "engine.mode: ") || notResumed(err)
}

// rolledBack runs an experiment in an optimistic mode.
func rolledBack(t *testing.T, d *rand.Rand, x *drawn, engine string) (string, int, error) {
	r, different, err := x.shared(t, engine, 1+d.IntN(2), 1+d.IntN(3))
	if err != nil {
		return "", 0, err
	}
	return different, int(r.Optimistic.RolledBack), nil
}
