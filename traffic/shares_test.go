package traffic

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"fabricast/fabric"
	"fabricast/routing"
	"fabricast/topology"
)

// drawPattern returns a random pattern with a network that it supports.
func drawPattern(t *rapid.T) (Pattern, topology.Topology) {
	spec := rapid.SampledFrom([]topology.Spec{
		topology.TorusSpec{Dims: []int{4, 4}, Hosts: 1},
		topology.TorusSpec{Dims: []int{4, 3}, Hosts: 2},
		topology.DragonflySpec{P: 2, A: 2, H: 1},
		topology.XGFTSpec{M: []int{4, 4}, W: []int{1, 2}},
		topology.SlimFlySpec{Q: 3, Hosts: 1},
		topology.DragonflyPlusSpec{P: 1, Leaves: 2, Spines: 2, H: 1},
		topology.HierarchySpec{
			Block: topology.FullSpec{Routers: 2, Hosts: 1},
			Outer: topology.DragonflySpec{A: 2, H: 1},
		},
		topology.HierarchySpec{
			Block: topology.FullSpec{Routers: 2, Hosts: 2},
			Outer: topology.TorusSpec{Dims: []int{4}},
		},
	}).Draw(t, "network")
	top, err := spec.Build(rapid.IntRange(1, 2).Draw(t, "nics"))
	if err != nil {
		t.Fatal(err)
	}
	n := hosts(top)
	s := Spec{Name: rapid.SampledFrom(Names()).Draw(t, "pattern")}
	switch s.Name {
	case "hot-spot":
		s.Hosts = rapid.SliceOfN(rapid.Int32Range(0, int32(n-1)), 1, 3).Draw(t, "hot")
		s.Share = rapid.Int64Range(1, LoadUnit).Draw(t, "share")
	case "group":
		s.Block = 1 + n%2
	case "permutation":
		s.Table = rapid.Permutation(numbers(n)).Draw(t, "table")
	case "mix":
		s.Parts = []Part{{Share: rapid.Int64Range(1, 9).Draw(t, "near"), Hops: 1}, {Share: 3}}
		if rapid.Bool().Draw(t, "blocks") {
			s.Parts = []Part{{Share: 2, Block: n / 2}, {Share: 1}}
		}
		if rapid.Bool().Draw(t, "twice") { // two classes with the same destinations
			s.Parts = append(s.Parts, Part{Share: 2, Class: 1, Hops: s.Parts[0].Hops, Block: s.Parts[0].Block}, Part{Share: 1})
		}
	}
	p, err := New(s, top)
	if err != nil {
		t.Skip(err) // the pattern does not support the network
	}
	return p, top
}

func numbers(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// TestSharesOfPatterns checks that the destinations that a pattern draws agree with its Shares.
func TestSharesOfPatterns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, top := drawPattern(t)
		n := hosts(top)
		src := rapid.Int32Range(0, int32(n-1)).Draw(t, "src")
		share, visits, sum := make([]float64, n), 0, 0.0
		p.Shares(src, func(dst int32, s float64) bool {
			share[dst] += s
			sum += s
			visits++
			return true
		})
		if math.Abs(sum-1) > 1e-12 || visits > p.Fan() {
			t.Fatalf("shares add up to %v, %d visits of %d", sum, visits, p.Fan())
		}
		const draws = 4000
		for i := range uint64(draws) {
			d := drawsOf(5, src, i)
			share[p.Destination(src, &d)] -= 1.0 / draws
		}
		for dst, off := range share {
			if math.Abs(off) > 0.045 { // more than five standard deviations
				t.Fatalf("host %d sends %.3f more to %d than its share", src, -off, dst)
			}
		}
	})
}

// TestFlows checks that the shares of all flows add up to the number of NICs, and that the share of
// replies is proportional to their size.
func TestFlows(t *testing.T) {
	packet := fabric.Packet{MTU: 64, Flit: 16}
	rapid.Check(t, func(t *rapid.T) {
		p, top := drawPattern(t)
		l := Load{Pattern: p, Sizes: []SizeClass{{From: 1, To: 1, Share: 1}}}
		if rapid.Bool().Draw(t, "closed") {
			l.Window, l.Reply = 1, 48
		}
		g := top.Graph()
		nics := len(g.NICPort)
		there, sum := make([]float64, nics*nics), 0.0
		each(t, &l, g, packet, func(f routing.Flow) {
			if f.Src%int32(g.NICsPerHost) != f.First%int32(g.NICsPerHost) {
				t.Fatalf("NIC %d sends to %d", f.Src, f.First)
			}
			there[int(f.Src)*nics+int(f.First)] += f.Share
			sum += f.Share
		})
		if math.Abs(sum-float64(nics)) > 1e-9 {
			t.Fatalf("%v is sent by %d NICs", sum, nics)
		}
		if l.Window == 0 {
			return
		}
		// With requests of 1 flit and replies of 3 flits, the flows are 1/4 of the pattern and 3/4
		// of its reverse.
		l.Window = 0
		each(t, &l, g, packet, func(f routing.Flow) {
			there[int(f.Src)*nics+int(f.First)] -= f.Share / 4
			there[int(f.First)*nics+int(f.Src)] -= f.Share * 3 / 4
		})
		for _, off := range there {
			if math.Abs(off) > 1e-9 {
				t.Fatalf("a pair is %v off", off)
			}
		}
	})
}

// each calls visit for every flow of a load.
func each(t *rapid.T, l *Load, g *topology.Graph, p fabric.Packet, visit func(routing.Flow)) {
	flows, err := l.Flows(g, p)
	if err != nil {
		t.Fatal(err)
	}
	flows(func(some []routing.Flow) bool {
		for _, f := range some {
			for range f.N {
				visit(f)
				f.First++
			}
		}
		return true
	})
}

// TestStride checks that steps of stride(n) visit every host once.
func TestStride(t *testing.T) {
	for n := 1; n < 200; n++ {
		seen := make([]bool, n)
		for i := range n {
			seen[i*stride(n)%n] = true
		}
		if slices.Contains(seen, false) {
			t.Errorf("%d: step %d leaves numbers out", n, stride(n))
		}
	}
}
