package legs

import (
	"testing"

	"pgregory.net/rapid"

	"fabricast/topology"
)

// TestAnyEnds: between any two routers of trees and dragonflies+, leaves or not, all ways are
// shortest, of classes that there are, and without circles of waits.
func TestAnyEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := func(low, high int) int { return rapid.IntRange(low, high).Draw(t, "size") }
		var spec topology.Spec
		if rapid.Bool().Draw(t, "tree") {
			tree := topology.XGFTSpec{M: []int{n(1, 2)}, W: []int{1}, Width: []int{1}}
			for range n(0, 3) {
				tree.M, tree.W, tree.Width = append(tree.M, n(1, 3)), append(
					tree.W, n(1, 3),
				), append(tree.Width, n(1, 2))
			}
			spec = tree
		} else {
			d := topology.DragonflyPlusSpec{P: 1, Leaves: n(1, 3), Spines: n(1, 3), H: n(1, 2)}
			d.G = n(1, d.Spines*d.H+1)
			spec = d
		}
		net, err := spec.Build(1)
		if err != nil {
			t.Fatal(err)
		}
		l, err := New(net, AnyEnds)
		if err != nil {
			t.Fatal(err)
		}
		c := legCheck{t, rapid.Uint64().Draw(t, "flow"), l, net.Graph(), map[wait]bool{}}
		_, tree := spec.(topology.XGFTSpec)
		for to := range int32(c.graph.Routers) {
			c.toward(to, tree)
		}
		c.acyclic()
	})
}

// channel is a class of an output, and wait that packets of one may wait for another.
type (
	channel struct {
		router int32
		Hop
	}
	wait struct{ held, wanted channel }
)

type legCheck struct {
	t     *rapid.T
	flow  uint64
	leg   Leg
	graph *topology.Graph
	waits map[wait]bool
}

// toward checks the ways to one router from all others. On a tree they are the shortest there are;
// on a dragonfly+ no way has more than one global link.
func (c *legCheck) toward(to int32, shortest bool) {
	far := topology.NewDistances(c.graph).From(int(to))
	for at := range int32(c.graph.Routers) {
		if at == to {
			continue
		}
		distance := c.leg.Distance(at, to)
		if shortest && distance != int(far[at]) {
			c.t.Fatalf("from %d to %d: %d hops, the shortest way has %d", at, to, distance, far[at])
		}
		ways := c.leg.Ways(at, to, nil)
		taken := c.leg.Next(at, to, c.flow)
		found := false
		for _, w := range ways {
			next := After(c.graph, at, w.Port)
			if c.leg.Distance(next, to) != distance-1 || int(w.VC) >= c.leg.Classes() {
				c.t.Fatalf(
					"from %d to %d, %d hops: port %d of class %d leads to %d, %d hops away",
					at, to, distance, w.Port, w.VC, next, c.leg.Distance(next, to),
				)
			}
			found = found || HopOf(w) == taken
			if next != to {
				for _, wanted := range c.leg.Ways(next, to, nil) {
					c.waits[wait{channel{at, HopOf(w)}, channel{next, HopOf(wanted)}}] = true
				}
			}
		}
		if !found {
			c.t.Fatalf("from %d to %d: %+v is taken, which is none of %+v", at, to, taken, ways)
		}
	}
}

// acyclic fails if waits close a circle: it takes away channels that wait for none, until none is
// left.
func (c *legCheck) acyclic() {
	wanted, before := map[channel]int{}, map[channel][]channel{}
	for w := range c.waits {
		wanted[w.held]++
		wanted[w.wanted] += 0
		before[w.wanted] = append(before[w.wanted], w.held)
	}
	var free []channel
	for ch, n := range wanted {
		if n == 0 {
			free = append(free, ch)
		}
	}
	for i := 0; i < len(free); i++ {
		for _, held := range before[free[i]] {
			if wanted[held]--; wanted[held] == 0 {
				free = append(free, held)
			}
		}
	}
	if len(free) < len(wanted) {
		c.t.Fatalf("%d of %d channels wait for one another", len(wanted)-len(free), len(wanted))
	}
}
