package traffic

import (
	"math"
	"testing"

	"fabricast/topology"
)

func torusOf(t *testing.T, dims ...int) topology.Topology {
	t.Helper()
	top, err := topology.NewTorus(dims, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	return top
}

func TestPermutationPatterns(t *testing.T) {
	f := func(spec Spec, top topology.Topology, src, want int32) {
		t.Helper()
		p, err := New(spec, top)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Destination(src, nil); got != want {
			t.Errorf("%s: host %d sends to %d, want %d", spec.Name, src, got, want)
		}
	}
	top := torusOf(t, 8, 8)
	f(Spec{Name: "complement"}, top, 0b001011, 0b110100)
	f(Spec{Name: "reversal"}, top, 0b001011, 0b110100)
	f(Spec{Name: "reversal"}, top, 0b000001, 0b100000)
	f(Spec{Name: "shuffle"}, top, 0b101011, 0b010111)
	f(Spec{Name: "transpose"}, top, 0b001011, 0b011001)
	f(Spec{Name: "tornado"}, top, 6+8*7, (6+3)%8+8*((7+3)%8))
	f(Spec{Name: "tornado"}, torusOf(t, 5), 4, 1)
	f(Spec{Name: "neighbour"}, top, 7, 0+8)
	f(Spec{Name: "neighbour", Dims: []int{4, 4}}, top, 4*5+3, 4*(2+8)+3) // four hosts per router
	f(Spec{Name: "worst"}, top, 0, 3+8*3)
	f(Spec{Name: "permutation", Table: []int32{2, 0, 1}}, torusOf(t, 3), 2, 1)
}

func TestWorstCases(t *testing.T) {
	f := func(s topology.Spec, src, first, last int32) {
		t.Helper()
		top, err := s.Build(1)
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(Spec{Name: "worst"}, top)
		if err != nil {
			t.Fatal(err)
		}
		for n := range uint64(100) {
			d := drawsOf(1, src, n)
			if got := p.Destination(src, &d); got < first || got > last {
				t.Errorf("%s: host %d sends to %d, want %d to %d", top.Kind(), src, got, first, last)
			}
		}
	}
	f(topology.DragonflySpec{P: 2, A: 4, H: 2}, 71, 0, 7)
	f(topology.HyperXSpec{Dims: []int{4, 4}, Hosts: 3}, 4, 6, 8)
	f(topology.DragonflyPlusSpec{P: 2, Leaves: 3, Spines: 2, H: 2}, 29, 0, 5)
	f(topology.DragonflyPlusSpec{P: 2, Leaves: 3, Spines: 2, H: 2}, 6, 12, 17)
}

// TestShares compares the destinations that random patterns draw with their specified shares.
func TestShares(t *testing.T) {
	f := func(spec Spec, src int32, share func(dst int32) bool, want float64) {
		t.Helper()
		p, err := New(spec, torusOf(t, 4, 4, 4))
		if err != nil {
			t.Fatal(err)
		}
		const n = 20_000
		count := 0
		for i := range uint64(n) {
			d := drawsOf(9, src, i)
			if dst := p.Destination(src, &d); share(dst) {
				count++
			}
		}
		if got := float64(count) / n; math.Abs(got-want) > 0.015 {
			t.Errorf("%s: a share of %.3f, want %.3f", spec.Name, got, want)
		}
	}
	itself := func(dst int32) bool { return dst == 5 }
	f(Spec{Name: "uniform"}, 5, itself, 1.0/64)
	f(Spec{Name: "uniform-others"}, 5, itself, 0)
	f(
		Spec{Name: "hot-spot", Hosts: []int32{3, 4}, Share: LoadUnit / 5},
		9,
		func(dst int32) bool { return dst == 3 },
		0.1+0.8/64,
	)
	mix := Spec{
		Name:  "mix",
		Parts: []Part{{Share: 7, Block: 8}, {Share: 2, Block: 8, Dims: []int{8}, Hops: 1}, {Share: 1}},
	}
	f(mix, 63, itself, 1.0/10/40)
	f(mix, 63, func(dst int32) bool { return dst >= 56 && dst != 63 }, 0.7)
	f(mix, 63, func(dst int32) bool { return dst < 8 }, 0.1)
	near := Spec{Name: "mix", Parts: []Part{{Share: 1, Hops: 1}, {Share: 3}}}
	f(
		near,
		0,
		func(dst int32) bool { return dst == 1 || dst == 3 || dst == 4 || dst == 12 || dst == 16 || dst == 48 },
		0.25,
	)
}

func TestPatternsThatDoNotFit(t *testing.T) {
	top := torusOf(t, 6, 2)
	for _, spec := range []Spec{
		{Name: "complement"},
		{Name: "transpose"},
		{Name: "tornado", Dims: []int{5}},
		{Name: "hot-spot", Share: 1},
		{Name: "hot-spot", Hosts: []int32{12}, Share: 1},
		{Name: "group", Block: 5},
		{Name: "permutation", Table: []int32{0}},
		{Name: "permutation", Table: []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0}},
		{Name: "mix"},
		{Name: "mix", Parts: []Part{{Share: 1, Block: 1}}},
		{Name: "mix", Parts: []Part{{Share: 1, Block: 12}, {Share: 1}}},
		{Name: "sideways"},
	} {
		if _, err := New(spec, top); err == nil {
			t.Errorf("%+v is accepted", spec)
		} else if _, ok := err.(*Problem); !ok {
			t.Errorf("%+v: %v is no *Problem", spec, err)
		}
	}
	if _, err := New(Spec{Name: "transpose"}, torusOf(t, 8)); err == nil {
		t.Error("transpose on 8 hosts is accepted")
	}
}
