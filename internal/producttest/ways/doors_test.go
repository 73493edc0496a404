package ways

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"fabricast"
	"fabricast/fabric"
	"fabricast/internal/producttest"
	"fabricast/internal/units"
	"fabricast/topology"
)

// makeDoors is what Network.Doors is.
type makeDoors = func(t topology.Topology, vcs int) (*fabric.Doors, error)

// TestWaysChangeNoDoors runs experiments in which packets are marked, NICs wait for what they hear, and
// links fail and come back, in the ways of TestWaysChangeNothing.
func TestWaysChangeNoDoors(t *testing.T) {
	programs := []string{
		"workload: {program: alltoall, algorithm: ring, size: 3KiB}\n",
		"workload: {program: alltoall, algorithm: bruck, size: 500B}\nrecord: {messages: true}\n",
		"traffic: {load: 40%, size: 300B, measure: {longest: 2us, bin: 100ns}}\n",
	}
	var runs atomic.Int64
	t.Cleanup(func() {
		if !t.Failed() && !testing.Short() && runs.Load() < 5 {
			t.Errorf("%d runs show nothing", runs.Load())
		}
	})
	producttest.EachNetwork(t, func(t *testing.T, network string) {
		t.Parallel()
		d := producttest.Draws(t)
		if !producttest.Turn(t, 0, 6) || testing.Short() && !producttest.Turn(t, 0, 18) {
			return
		}
		x := &drawn{
			text:  "network: {topology: " + network + "}\n" + producttest.One(d, programs...),
			doors: drawDoors(d),
		}
		if x = x.refer(t, false); x == nil {
			return
		}
		for i := range ways {
			if movesRouters(&ways[i]) {
				continue
			}
			if _, ran := ways[i].agrees(t, d, x); ran {
				runs.Add(1)
			}
		}
	})
}

// TestWaysChangeNoControl does the same with control of congestion in networks of credits. Some of it
// tells NICs to hold back packets, which results count.
func TestWaysChangeNoControl(t *testing.T) {
	programs := []string{
		"workload: {program: alltoall, algorithm: simple-spread, size: 3KiB}\n",
		"workload: {program: gather, algorithm: linear, size: 10000B}\nrecord: {messages: true}\n",
		"traffic: {pattern: {name: hot-spot, hosts: [0], share: 60%}, load: 80%, size: 300B, measure: {longest: 2us, bin: 100ns}}\n",
	}
	controls := []string{
		"{algorithm: ib-cc, ccti_timer: 2us}",
		"{algorithm: slingshot-like, queue: 64B, senders: 2, interval: 1us, packet_size: 1B}",
	}
	var acts atomic.Int64
	t.Cleanup(func() {
		if !t.Failed() && !testing.Short() && acts.Load() == 0 {
			t.Error("control never acts")
		}
	})
	producttest.EachNetwork(t, func(t *testing.T, network string) {
		t.Parallel()
		d := producttest.Draws(t)
		if !producttest.Turn(t, 1, 6) || testing.Short() && !producttest.Turn(t, 1, 18) {
			return
		}
		x := &drawn{
			text: "network: {topology: " + network + "}\nnode: {transport: {control: " +
				producttest.One(d, controls...) + "}}\n" + producttest.One(d, programs...),
		}
		if x = x.refer(t, true); x == nil {
			return
		}
		if c := x.result.CongestionControl; c.Notifications > 0 && c.Throttled > 0 {
			acts.Add(1)
		}
		for i := range ways {
			if !movesRouters(&ways[i]) {
				ways[i].agrees(t, d, x)
			}
		}
	})
}

// movesRouters reports whether a way moves routers, which stay where they are in networks with doors.
func movesRouters(w *way) bool { return strings.HasPrefix(w.name, "moves") }

// drawDoors draws hooks that mark packets and reply to their senders, an injector that waits by what it
// hears, and links that fail, are slow, and come back.
func drawDoors(d *rand.Rand) makeDoors {
	delay := units.Time(d.IntN(2) * (1 + d.IntN(300_000)))
	queue, pause := d.Int64N(60), 1+d.Int64N(400_000)
	seed, agent := d.Uint64(), drawAgent(d)
	return func(t topology.Topology, _ int) (*fabric.Doors, error) {
		return &fabric.Doors{
			Agent: agent,
			Hooks: &fabric.Hooks{
				Name: "marks", PortState: 1, FlowState: 1, Delay: delay,
				Start: func(s *fabric.Start) {
					if s.State[0]++; s.Waiting(s.InPort, s.InVC) > queue || s.State[0]%7 == 0 {
						s.Meta++
					}
				},
				Eject: func(e *fabric.Ejection) {
					if e.State[0]++; e.Meta > 0 || e.State[0]%3 == 0 {
						e.Reply(e.Source, e.Meta, int64(e.State[0]%5)*1000)
					}
				},
			},
			Injector: &fabric.Injector{
				Name: "waits", FlowState: 1, NICState: 1,
				Next: func(f *fabric.Flow, _ *fabric.Departure) int64 { return int64(f.State[0]) },
				Feedback: func(f *fabric.Flow, b *fabric.Feedback) {
					f.NIC[0] += b.Value
					f.State[0] = uint64(b.Now + int64(b.Value%4)*pause + int64(f.NIC[0]%3)*100)
				},
			},
			Events: drawEvents(rand.New(rand.NewPCG(seed, 1)), t.Graph()),
		}, nil
	}
}

// drawAgent draws an agent that marks some packets, of which it delays every other one; nil: none.
func drawAgent(d *rand.Rand) *fabric.Agent {
	if d.IntN(2) == 0 {
		return nil
	}
	of := 2 + d.Int32N(4)
	return &fabric.Agent{
		Name: "delays", State: 1, Delay: units.Time(d.IntN(50_000)),
		Takes: func(p *fabric.Passing) bool { return !p.Control && (p.Message.Src+p.Router)%of == 0 },
		Arrive: func(t *fabric.Taken) {
			if t.State[0]++; t.State[0]%2 == 0 {
				t.Meta++
				return
			}
			t.Fate = fabric.Held
			t.Posts = append(t.Posts, fabric.Post{
				Handle: t.Handle, Meta: t.Meta + 2, After: int64(t.State[0] % 7 * 1000), Port: fabric.ByRoute,
			})
		},
	}
}

// drawEvents draws failures of links, each of which ends.
func drawEvents(d *rand.Rand, g *topology.Graph) (events []fabric.Event) {
	for router := range int32(g.Routers) {
		first, end := g.PortBase[router], g.PortBase[router+1]
		if first == end || d.IntN(3) > 0 {
			continue
		}
		port := d.Int32N(end - first)
		if p := g.Ports[first+port]; p.Peer == topology.Unconnected || g.Ports[p.Peer].Router <= router {
			continue // of two routers one draws
		}
		at := units.Time(1 + d.Int64N(3_000_000))
		event := fabric.Event{At: at, Router: router, Port: port, Kind: fabric.Down}
		if d.IntN(2) == 0 {
			event.Kind, event.Rate = fabric.SetRate, units.Rate(1+d.IntN(4))*1e9
		}
		back := event
		back.At, back.Rate = at+units.Time(1+d.Int64N(2_000_000)), 0
		if event.Kind == fabric.Down {
			back.Kind = fabric.Up
		}
		events = append(events, event, back)
	}
	return events
}

// TestResumedWithoutDoors: a run with doors does not go on without them.
func TestResumedWithoutDoors(t *testing.T) {
	x := &drawn{
		text:  "network: {topology: {dims: [4, 4]}}\nworkload: {program: alltoall, algorithm: ring, size: 300KiB}\n",
		doors: drawDoors(rand.New(rand.NewPCG(1, 2))),
	}
	e, err := x.parse("")
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "out")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err = e.Run(ctx, fabricast.Record(folder), fabricast.Checkpoint(fabricast.Checkpoints{
		EveryTime: units.Nanosecond, Told: func(fabricast.CheckpointReport) { cancel() },
	}))
	var interrupted *fabricast.InterruptedError
	if !errors.As(err, &interrupted) || interrupted.Checkpoint == "" {
		t.Fatal(err)
	}
	saved, err := fabricast.OpenCheckpoint(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer saved.Close()
	if _, err := saved.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "doors") {
		t.Errorf("%v, expected an error about doors", err)
	}
}
