package ethernet

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"fabricast/engine"
	"fabricast/ethernet/control"
	"fabricast/fabric"
	"fabricast/internal/cluster"
	"fabricast/internal/draws"
	"fabricast/internal/units"
	"fabricast/topology"
)

// outcome is what a run of a network leaves.
type outcome struct {
	counts   Counts
	byClass  []ClassCounts
	use      []fabric.PortUse
	goodput  []goodput
	pausings []Pausing
	followed []Course
	deadlock string
}

func outcomeOf(n *Network, deadlock *fabric.Deadlock) (o outcome) {
	const until = 1 << 50
	n.Share()
	n.CollectUse()
	o = outcome{
		counts: n.Counts(), byClass: n.ByClass(), goodput: slices.Clone(n.goodput), pausings: n.Pausings(until),
		followed: n.Followed(until),
	}
	if deadlock != nil {
		o.deadlock = fmt.Sprintf("%+v", *deadlock)
	}
	for i := range n.ports {
		o.use = append(o.use, n.Port(i))
	}
	for i := range n.nics {
		o.use = append(o.use, n.Sent(i))
	}
	return o
}

// run runs flows on a network, or the part of it that a process has. It returns false if packets are lost in step
// for ever, or fail in another process.
func run(t *testing.T, n *Network, flows []flow, workers int) (o outcome, ended, got []int64, ok bool) {
	n.Follow(Following{Most: 5, Interval: 1_000_000})
	blocks, ended, got := inhabit(n, flows)
	var options []engine.Option
	if others := n.Joint(); others != nil {
		options = append(options, engine.Across(others))
	}
	var stop atomic.Bool
	if _, err := engine.Run(blocks, workers, &stop, options...); err != nil {
		var lost *LossError
		if !errors.As(err, &lost) && !errors.Is(err, engine.ErrElsewhere) {
			t.Error(err)
		}
		return o, nil, nil, false
	}
	if err := n.Verify(); err != nil {
		t.Error(err)
	}
	return outcomeOf(n, n.Deadlock()), ended, got, true
}

// ringOfPauses returns a ring of switches that pause each other for ever: each sends to the next but one.
func ringOfPauses(t *testing.T) (spec Spec, flows []flow) {
	t.Helper()
	const routers = 5
	top, err := topology.TorusSpec{Dims: []int{routers}, Hosts: 1}.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	spec = Spec{
		Graph: top.Graph(), Packet: Packet{MTU: 1000, Header: 50, Control: 50},
		Switch: Switch{Shared: &Shared{Size: 20_000, Alpha: units.Whole, Pauses: true, Headroom: 4_000}, HeadersInRow: 10},
		NIC:    NIC{Control: kindOf(t, &control.NoneOptions{}), Paths: spraying{}, Timeout: -1, AckEvery: 1000},
	}
	for range top.LinkClasses() {
		spec.Links = append(spec.Links, fabric.Link{Bandwidth: 1_000_000_000, Latency: 100_000})
	}
	for i := range int32(routers) {
		flows = append(flows, flow{src: i, dst: (i + 2) % routers, size: 200_000})
	}
	return spec, flows
}

// TestProcesses: several processes that share a network find what one finds, each of them all of it: times of
// flows, counts, counters of links, pauses, flows over time and deadlocks.
func TestProcesses(t *testing.T) {
	deadlocks, paused := 0, 0
	for seed := range draws.Seeds(40, 10_000) {
		r := rand.New(rand.NewPCG(seed, 39))
		spec := drawSpec(t, r)
		flows := drawFlows(r, &spec)
		if seed%8 == 0 {
			spec, flows = ringOfPauses(t)
		}
		size := 2 + r.IntN(min(spec.Graph.Routers, mostSwapped+2)-1)
		blocks := min(size+r.IntN(4), spec.Graph.Routers)
		one, err := New(spec, 1)
		if err != nil {
			t.Fatal(err)
		}
		want, ended, got, ok := run(t, one, flows, 1)
		type result struct {
			outcome
			ended, got []int64
			ok         bool
		}
		results := make([]result, size)
		var all sync.WaitGroup
		for p, group := range cluster.Local(size) {
			all.Go(func() {
				n, err := NewAcross(spec, blocks, group)
				if err != nil {
					t.Error(err)
					return
				}
				x := &results[p]
				x.outcome, x.ended, x.got, x.ok = run(t, n, flows, 1+p%2)
			})
		}
		all.Wait()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
		if want.deadlock != "" {
			deadlocks++
		}
		paused += len(want.pausings)
		for p, x := range results {
			if x.ok != ok {
				t.Fatalf("seed %d: process %d of %d ends well: %v, one: %v", seed, p, size, x.ok, ok)
			}
			if x.ok && !reflect.DeepEqual(x.outcome, want) {
				t.Fatalf("seed %d: process %d of %d:\n%+v\none:\n%+v", seed, p, size, x.outcome, want)
			}
			for i := range ended { // a process knows of its own flows
				if p > 0 && ok {
					results[0].ended[i] += x.ended[i]
					results[0].got[i] += x.got[i]
				}
			}
		}
		if ok && (!slices.Equal(results[0].ended, ended) || !slices.Equal(results[0].got, got)) {
			t.Fatalf("seed %d: flows of %d processes end at\n%v\nof one:\n%v", seed, size, results[0].ended, ended)
		}
	}
	if !testing.Short() && (deadlocks == 0 || paused < 20) {
		t.Errorf("%d deadlocks, %d senders paused: this shows nothing", deadlocks, paused)
	}
}
