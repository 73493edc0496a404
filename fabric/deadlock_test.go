package fabric_test

import (
	"sync/atomic"
	"testing"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/internal/oracle/experiments"
)

// TestDeadlockIsExplained: in a ring without a dateline packets wait for
// one another; each wait that is named must be for the buffer of the next.
func TestDeadlockIsExplained(t *testing.T) {
	f := func(change func(*experiments.Experiment)) {
		t.Helper()
		e := stuckRing()
		change(e)
		spec, err := e.Spec()
		if err != nil {
			t.Fatal(err)
		}
		d := stuck(t, e, spec, 2)
		if len(d.Cycle) != 4 {
			t.Fatalf("%+v: deadlock %+v", e.Router, d)
		}
		if one := stuck(t, e, spec, 1); d.Since <= 0 || d.Since != one.Since {
			t.Errorf(
				"%+v: nothing moves since %d ps with two blocks, %d ps with one",
				e.Router, d.Since, one.Since,
			)
		}
		g := spec.Graph
		for i, w := range d.Cycle {
			next := d.Cycle[(i+1)%len(d.Cycle)]
			peer := g.Ports[g.PortBase[w.Router]+int32(w.OutPort)].Peer
			if peer != g.PortBase[next.Router]+int32(next.Port) || w.OutVC != next.VC {
				t.Errorf("%+v: %+v does not wait for %+v", e.Router, w, next)
			}
		}
	}
	f(func(*experiments.Experiment) {})
	f(func(e *experiments.Experiment) { e.Router.Arbiter = fabric.Age })
	f(func(e *experiments.Experiment) { e.Router.Queues = fabric.VirtualOutputQueues })
	f(func(e *experiments.Experiment) { e.Router.OutputBuffer = 100 })
	f(func(e *experiments.Experiment) { e.Route = experiments.Adaptive })
	f(func(e *experiments.Experiment) {
		e.Route, e.Router.Queues, e.Router.OutputBuffer = experiments.Adaptive, fabric.VirtualOutputQueues, 100
	})
}

// stuck carries an experiment out in so many blocks until nothing moves any more.
func stuck(t *testing.T, e *experiments.Experiment, spec fabric.Spec, blocks int) *fabric.Deadlock {
	t.Helper()
	network, err := fabric.New(spec, blocks)
	if err != nil {
		t.Fatal(err)
	}
	defer network.Close()
	outcome := experiments.NewOutcome(e)
	var list []engine.Block
	for _, b := range network.Blocks() {
		script := experiments.NewScript(e, b.Hosts(), outcome)
		b.SetEndpoint(script)
		script.Start(b)
		list = append(list, b)
	}
	if _, err := engine.Run(list, 1, new(atomic.Bool)); err != nil {
		t.Fatal(err)
	}
	if err := network.Verify(); err != nil {
		t.Error(err)
	}
	d := network.Deadlock()
	if d == nil {
		t.Fatalf("%+v: no deadlock", e.Router)
	}
	return d
}

// stuckRing is a ring of four on one virtual channel, with messages of several
// packets from everyone to the host opposite, all in the same direction.
func stuckRing() *experiments.Experiment {
	e := &experiments.Experiment{
		Dims: []int{4}, Wrap: []bool{true}, TieUp: true, Unsafe: true, NICs: 1,
		Link:     fabric.Link{Bandwidth: 1e9, Latency: 100_000},
		HostLink: fabric.Link{Bandwidth: 1e9, Latency: 100_000},
		Router:   fabric.Router{Routing: 1000, Latency: 10_000, Bandwidth: 1e9, VCs: 1, Buffer: 100},
		Packet:   fabric.Packet{MTU: 100, Flit: 10}, DMA: 1e9,
	}
	for src := range int32(4) {
		e.Messages = append(
			e.Messages,
			experiments.Message{Src: src, Dst: (src + 2) % 4, Size: 2000, Cause: experiments.AtStart},
		)
	}
	return e
}
