package routing_test

import (
	"errors"
	"iter"
	"math"
	"testing"

	"pgregory.net/rapid"

	"fabricast/routing"
	"fabricast/topology"
)

// averaged are algorithms whose channel loads are known in advance, wherever they fit.
var averaged = []struct {
	name string
	make func(topology.Topology, int) (routing.Algorithm, error)
	fits func(topology.Topology) bool
}{
	{"minimal", minimal(routing.ChoiceFlow), anywhere},
	{"minimal packet", minimal(routing.ChoicePacket), anywhere},
	{"minimal queue", minimal(routing.ChoiceQueue), anywhere},
	{"shortest", shortest(routing.ClassesHop), anywhere},
	{"up-down", upDown, anywhere},
	{"valiant", valiant, anywhere},
	{"dor", dorWith(0, routing.ChoiceFlow), torusOnly},
	{"dor packet", dorWith(0, routing.ChoicePacket), torusOnly},
	{"dor queue", dorWith(0, routing.ChoiceQueue), torusOnly},
	{"romm", romm, torusOnly},
	{"nca destination", nca(routing.UpDestination), treeOnly},
	{"nca random", nca(routing.UpRandom), treeOnly},
	{"ugal-l", ugalL, anywhere},
	{"adaptive", adaptive, torusOnly},
}

func anywhere(topology.Topology) bool { return true }

func torusOnly(t topology.Topology) bool {
	_, ok := t.(*topology.Torus)
	return ok
}

func treeOnly(t topology.Topology) bool {
	_, ok := t.(*topology.XGFT)
	return ok
}

// withChannels makes an algorithm with as many channels as it needs; nil if it does not fit.
func withChannels(
	make func(topology.Topology, int) (routing.Algorithm, error),
	net topology.Topology,
) (algorithm routing.Algorithm, vcs int) {
	algorithm, err := make(net, 1)
	vcs = 1
	var few *routing.TooFewVCsError
	if errors.As(err, &few) && few.Need <= routing.MaxVCs {
		vcs = few.Need
		algorithm, err = make(net, vcs)
	}
	if err != nil {
		return nil, 0
	}
	return algorithm, vcs
}

// TestLoadsAreThoseOfPackets: on random networks, what single pairs of NICs put on every channel is
// the mean of many packets' routes; and where it cannot be told in advance, queues decide, or a
// hierarchy or nodes are crossed by chance.
func TestLoadsAreThoseOfPackets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		net, err := drawSpec(t).Build(rapid.IntRange(1, 2).Draw(t, "nics"))
		if err != nil {
			t.Skip(err)
		}
		g := net.Graph()
		a := averaged[rapid.IntRange(0, len(averaged)-1).Draw(t, "algorithm")]
		if !a.fits(net) {
			return
		}
		algorithm, vcs := withChannels(a.make, net)
		if algorithm == nil {
			return
		}
		nic := rapid.Int32Range(0, int32(len(g.NICPort)-1))
		src, dst := nic.Draw(t, "src"), nic.Draw(t, "dst")
		one := flows(routing.Flow{Src: src, First: dst, N: 1, Share: 1})
		load, ok := routing.MeanLoads(g, algorithm, one, routing.Effort{})
		if !ok {
			_, queues := algorithm.(routing.Adaptive)
			_, blocks := net.(*topology.Hierarchy)
			if _, nodes := net.(*topology.Nodes); !queues && !blocks && !nodes {
				t.Fatalf("%s on a %s: the loads are not known", a.name, net.Kind())
			}
			return
		}
		if _, ok := algorithm.(*routing.UGAL); ok {
			t.Fatalf("%s: queues decide, the loads were said to be known", a.name)
		}
		random := rapid.Uint64().Draw(t, "random")
		w := &walker{t: t, name: a.name, graph: g, algorithm: algorithm, vcs: vcs, random: random}
		seen := make([]float64, len(g.Ports))
		const packets = 2000
		for range packets {
			if src == dst {
				seen[g.NICPort[dst]]++
				continue
			}
			routers, steps := w.walk(src, dst)
			for i, s := range steps {
				seen[g.PortBase[routers[i]]+int32(s.Port)]++
			}
		}
		for p := range load {
			// Chance beyond six standard deviations is none; a link may be passed twice.
			if off := math.Abs(load[p] - seen[p]/packets); off > 6*math.Sqrt(
				load[p]*(2-min(load[p], 2))/packets,
			)+6e-3 {
				t.Fatalf(
					"%s on a %s: NIC %d to %d loads port %d by %.4f, packets by %.4f",
					a.name, net.Kind(), src, dst, p, load[p], seen[p]/packets,
				)
			}
		}
	})
}

// TestLoadsAddUp: the loads of all pairs together are the sum of those of each, whichever way they
// are found.
func TestLoadsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		net, err := drawSpec(t).Build(1)
		if err != nil {
			t.Skip(err)
		}
		g := net.Graph()
		a := averaged[rapid.IntRange(0, len(averaged)-1).Draw(t, "algorithm")]
		if !a.fits(net) {
			return
		}
		algorithm, _ := withChannels(a.make, net)
		if algorithm == nil {
			return
		}
		var list []routing.Flow
		for range rapid.IntRange(1, 12).Draw(t, "pairs") {
			nic := rapid.Int32Range(0, int32(len(g.NICPort)-1))
			f := routing.Flow{Src: nic.Draw(t, "src"), First: nic.Draw(t, "dst"), N: 1}
			f.Share = rapid.Float64Range(0.1, 3).Draw(t, "share")
			if rapid.Bool().Draw(t, "to many") {
				f.N = rapid.Int32Range(1, int32(len(g.NICPort))-f.First).Draw(t, "destinations")
			}
			list = append(list, f)
		}
		all, ok := routing.MeanLoads(g, algorithm, flows(list...), routing.Effort{})
		if !ok {
			return
		}
		for f := range pairs(list) {
			one, ok := routing.MeanLoads(g, algorithm, flows(f), routing.Effort{})
			if !ok {
				t.Fatalf("%s on a %s: known for all pairs, not for one", a.name, net.Kind())
			}
			for p := range all {
				all[p] -= one[p]
			}
		}
		for p, left := range all {
			if math.Abs(left) > 1e-9 {
				t.Fatalf("%s on a %s: port %d has %g more together", a.name, net.Kind(), p, left)
			}
		}
	})
}

// flows returns some flows at once.
func flows(list ...routing.Flow) routing.Flows {
	return func(visit func([]routing.Flow) bool) { visit(list) }
}

// pairs yields the flows between two NICs that some flows consist of.
func pairs(list []routing.Flow) iter.Seq[routing.Flow] {
	return func(yield func(routing.Flow) bool) {
		for _, f := range list {
			for n := range f.N {
				one := routing.Flow{Src: f.Src, First: f.First + n, N: 1, Share: f.Share}
				if !yield(one) {
					return
				}
			}
		}
	}
}

// TestLoadsStop: more than the effort is not done, and a stop is heeded.
func TestLoadsStop(t *testing.T) {
	for _, make := range []func(topology.Topology, int) (routing.Algorithm, error){
		dorWith(0, routing.ChoiceFlow), dorWith(0, routing.ChoicePacket), valiant, romm,
	} {
		net, err := topology.NewTorus([]int{16, 16}, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		algorithm, _ := withChannels(make, net)
		everybody := func(visit func([]routing.Flow) bool) {
			for i := range int32(256 * 256) {
				if !visit([]routing.Flow{{Src: i / 256, First: i % 256, N: 1, Share: 1}}) {
					return
				}
			}
		}
		asked := 0
		for _, e := range []routing.Effort{{Steps: 1000}, {Stop: func() bool { asked++; return true }}} {
			if _, ok := routing.MeanLoads(net.Graph(), algorithm, everybody, e); ok {
				t.Errorf("%T: nothing stopped it", algorithm)
			}
		}
		if asked != 1 {
			t.Errorf("%T: it was told to stop %d times", algorithm, asked)
		}
	}
}
