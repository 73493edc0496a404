package calls_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast/collective"
	"fabricast/collective/allreduce"
	"fabricast/collective/barrier"
	"fabricast/node"
)

// machines are networks on which ranks are placed for tests: a torus with one host a router, one with
// two hosts a router, and hosts of groups.
var machines = []struct {
	dims    []int
	hostsOf int
	group   int // hosts of a group
}{{[]int{8, 8}, 1, 8}, {[]int{5, 3, 2}, 2, 7}, {[]int{6, 4}, 1, 5}, {[]int{13}, 1, 3}}

// placed is the machine of ranks on hosts of machines[m], in an order that stride gives.
func placed(m, ranks, onHost, stride int) *collective.Machine {
	at := machines[m]
	n := at.hostsOf
	for _, k := range at.dims {
		n *= k
	}
	hosts := make([]int32, ranks)
	for r := range hosts {
		hosts[r] = int32(r / onHost * stride % n)
	}
	return collective.NewMachine(hosts, &collective.Grid{Dims: at.dims, HostsOf: at.hostsOf}, func(h int32) int32 {
		return h / int32(at.group)
	})
}

// drawnLayout returns the layout of a communicator of some ranks, in any order, of a grid that may have
// dimensions of 1 and 2. Its ranks fill a box, or are on any hosts, with different numbers on each.
func drawnLayout(t *rapid.T) (l *collective.Layout, ranks int) {
	grid := &collective.Grid{
		Dims:    rapid.SliceOfN(rapid.IntRange(1, 3), 1, 3).Draw(t, "dims"),
		HostsOf: rapid.IntRange(1, 2).Draw(t, "hosts of a router"),
	}
	routers := 1
	for _, k := range grid.Dims {
		routers *= k
	}
	var hosts []int32
	fills := rapid.Bool().Draw(t, "fills a box")
	if fills {
		each := rapid.IntRange(1, 2).Draw(t, "ranks of a router")
		used := make([]int, len(grid.Dims)) // coordinates, as bits
		for d, k := range grid.Dims {
			used[d] = rapid.IntRange(1, 1<<k-1).Draw(t, "coordinates")
		}
		for router := range routers {
			in, rest := true, router
			for d, k := range grid.Dims {
				in = in && used[d]>>(rest%k)&1 != 0
				rest /= k
			}
			for i := 0; in && i < each; i++ {
				hosts = append(hosts, int32(router*grid.HostsOf+i%grid.HostsOf))
			}
		}
	} else {
		hosts = rapid.SliceOfN(rapid.Int32Range(0, int32(routers*grid.HostsOf-1)), 1, 24).Draw(t, "hosts")
	}
	members := make([]int32, len(hosts))
	for i := range members {
		members[i] = int32(i)
	}
	members = rapid.Permutation(members).Draw(t, "members")
	group := rapid.Int32Range(1, 5).Draw(t, "hosts of a group")
	world := append(hosts, 0, 0) // two ranks are in no communicator
	l = collective.NewMachine(world, grid, func(h int32) int32 { return h / group }).Layout(members, len(members))
	if found, _ := l.Lacks(collective.NeedsBox); fills && found != "" {
		t.Fatalf("hosts %v of %v: found %s", hosts, grid.Dims, found)
	}
	return l, len(members)
}

// needy reports whether what an algorithm sends depends on where ranks are.
func needy(info *collective.Info) bool {
	return info.Needs != collective.NeedsNothing || info.Name == collective.Hierarchical
}

// Algorithms that know the machine deliver the right data on whole machines, with ranks in any order,
// with several on a host and with different numbers of them, and in parts of a machine. Barriers among
// them hold every rank.
func TestRightDataOnMachines(t *testing.T) {
	tried := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(0, len(machines)-1).Draw(t, "machine")
		onHost := rapid.SampledFrom([]int{1, 1, 2, 3, 5}).Draw(t, "ranks of a host")
		p := rapid.IntRange(1, 64).Draw(t, "ranks")
		if rapid.Bool().Draw(t, "whole") {
			onHost, p = 1, []int{64, 60, 24, 13}[m]
		}
		stride := rapid.SampledFrom([]int{1, 7, 11, 17}).Draw(t, "stride")
		l := placed(m, p, onHost, stride).World()
		if rapid.Bool().Draw(t, "part") {
			l, p = drawnLayout(t)
		}
		for _, info := range collective.OfRanks(collective.KindBarrier) {
			if needy(&info) {
				holds(t, l, info.Name, p)
			}
		}
		for _, s := range scenes {
			block := rapid.IntRange(0, 70).Draw(t, "block")
			if s.reduce {
				block = 8 * (block / 8)
			}
			root := rapid.IntRange(0, p-1).Draw(t, "root")
			seed := rapid.Uint64().Draw(t, "order")
			for _, info := range collective.OfRanks(s.kind) {
				if !needy(&info) || !info.Suits(l) {
					continue
				}
				tried[fmt.Sprint(s.kind, info.Name)] = true
				a := drawOptions(t, &info)
				if err := s.checkOn(l, a, p, block, root, s.ops(info)[0], seed); err != nil {
					t.Fatalf("%s %s: %v", s.kind, a, err)
				}
			}
		}
	})
	for _, s := range scenes {
		for _, info := range collective.OfRanks(s.kind) {
			if needy(&info) && !tried[fmt.Sprint(s.kind, info.Name)] {
				t.Errorf("%s %s was never tried", s.kind, info.Name)
			}
		}
	}
}

// holds checks that a barrier holds every rank until all have entered.
func holds(t interface{ Errorf(string, ...any) }, l *collective.Layout, a collective.Algorithm, p int) {
	entered := 0
	_, err := runOn(l, p, 1, func(c collective.Comm) {
		entered++
		if barrier.Run(c, a); entered != p {
			panic(fmt.Sprintf("%s: rank %d left when %d of %d ranks had entered", a, c.Rank(), entered, p))
		}
	})
	if err != nil {
		t.Errorf("%s, %d ranks: %v", a, p, err)
	}
}

// A barrier on two levels holds every rank, and sums are bitwise equal at all ranks.
func TestMeetingAndSummingOnMachines(t *testing.T) {
	const n = 40
	for m := range machines {
		for _, onHost := range []int{1, 3} {
			p := 39
			if onHost == 1 {
				p = []int{64, 60, 24, 13}[m]
			}
			l := placed(m, p, onHost, 1).World()
			for _, info := range collective.OfRanks(collective.KindBarrier) {
				holds(t, l, info.Name, p)
			}
			in := inputs(p, n)
			for r := range in {
				for i := 0; i < n; i += 8 {
					in[r][i+7] = 0x3f
				}
			}
			for _, info := range collective.OfRanks(collective.KindAllreduce) {
				if !needy(&info) || !info.Suits(l) {
					continue
				}
				out := make([][]byte, p)
				if _, err := runOn(l, p, 2, func(c collective.Comm) {
					out[c.Rank()] = make([]byte, n)
					allreduce.Run(c, node.Data(in[c.Rank()]), node.Data(out[c.Rank()]), collective.SumFloat64, info.Name)
				}); err != nil {
					t.Fatal(err)
				}
				for r := range p {
					if !bytes.Equal(out[r], out[0]) {
						t.Errorf("%s on %v: rank %d has another sum than rank 0", info.Name, machines[m].dims, r)
					}
				}
			}
		}
	}
}

// A communicator is laid out by the hosts of its own ranks.
func TestLayoutsOfParts(t *testing.T) {
	m := placed(0, 64, 1, 1)
	for _, c := range []struct {
		ranks []int32
		dims  string
		lacks string
	}{
		{[]int32{0, 1, 2, 3}, "[4]", ""},
		{[]int32{9, 8, 0, 1}, "[2 2]", ""},
		{[]int32{0, 4, 32, 36}, "[2 2]", ""},
		{[]int32{5}, "[1]", ""},
		{[]int32{0, 1, 8}, "", "gaps"},
	} {
		l := m.Layout(c.ranks, len(c.ranks))
		if found, _ := l.Lacks(collective.NeedsBox); !strings.Contains(found, c.lacks) || (found == "") != (c.lacks == "") {
			t.Errorf("%v: found %q", c.ranks, found)
		}
		if l.Box == nil {
			continue
		}
		if got := fmt.Sprint(l.Box.Dims); got != c.dims {
			t.Errorf("%v: box %s, want %s", c.ranks, got, c.dims)
		}
		for r := range c.ranks {
			if l.Box.Rank(l.Box.Place(r)) != r {
				t.Errorf("%v: rank %d is not at its place", c.ranks, r)
			}
		}
	}
	// The memory of a list may hold another list later.
	list := []int32{0, 1, 2, 3}
	before := m.Layout(list, 4)
	copy(list, []int32{0, 1, 8, 9})
	if after := m.Layout(list, 4); len(before.Box.Dims) != 1 || len(after.Box.Dims) != 2 {
		t.Errorf("boxes %v and %v", before.Box.Dims, after.Box.Dims)
	}
	// Copies of a list, which ranks may have, are the same communicator.
	if a, b := []int32{3, 5, 7}, []int32{3, 5, 7}; m.Layout(a, 3) != m.Layout(b, 3) {
		t.Error("equal lists of ranks have two layouts")
	}
	uneven := placed(0, 6, 4, 1).World()
	if found, _ := uneven.Lacks(collective.NeedsBox); !strings.Contains(found, "different numbers") {
		t.Errorf("found %q", found)
	}
}

func TestWrongMachinesExplainThemselves(t *testing.T) {
	none := collective.NewMachine([]int32{0, 1, 2, 3}, nil, nil).World()
	c := &memoryComm{memory: &memory{size: 4, layout: none}}
	for a, want := range map[collective.Algorithm]string{
		collective.Swing:  "needs ranks that fill a box of a torus, mesh or HyperX, as many on each router, found a network that is no grid",
		collective.Groups: "needs a network with groups of routers, such as a dragonfly, found a network without groups",
	} {
		got := message(func() { allreduce.Run(c, node.Size(8), node.Size(8), nil, a) })
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
