package routing

import (
	"slices"
	"strings"
	"testing"

	"fabricast/topology"
)

// TestHeaderLimits: what does not fit in 64 bits is refused.
func TestHeaderLimits(t *testing.T) {
	const routers = 1 << 22
	g := &topology.Graph{Routers: routers, PortBase: make([]int32, routers+1)}
	g.PortBase[routers] = 1 << 12 // ports of the last router
	a, _, err := newAddress(g, 0)
	if err != nil {
		t.Fatal(err)
	}
	if a.flow.mask != 1<<25-1 {
		t.Errorf("the flow has mask %x, not what 22, 12 and 5 bits leave", a.flow.mask)
	}
	if _, _, err := newAddress(g, 22+2); err == nil ||
		!strings.Contains(err.Error(), "needs 67 on a network of 4194304 routers") {
		t.Error(err)
	}
}

// TestFields: fields of a header do not touch one another.
func TestFields(t *testing.T) {
	l := &headerLayout{}
	a, b, c := l.field(5), l.field(32), l.field(27)
	h := a.with(31) | b.with(1<<32-1) | c.with(1<<27-1)
	if h != 1<<64-1 {
		t.Errorf("%x", h)
	}
	h = b.set(h, 7)
	if a.of(h) != 31 || b.of(h) != 7 || c.of(h) != 1<<27-1 {
		t.Errorf("%x", h)
	}
}

// TestLanes: channels are divided as evenly as classes allow, and all are used.
func TestVCClasses(t *testing.T) {
	for classes := 1; classes <= MaxVCs; classes++ {
		for vcs := classes; vcs <= MaxVCs; vcs++ {
			l, err := newVCClasses(vcs, classes, "test")
			if err != nil {
				t.Fatal(err)
			}
			used := map[uint16]int{}
			for class := range classes {
				if n := int(l.count[class]); n != vcs/classes && n != vcs/classes+1 {
					t.Fatalf("%d of %d channels in one of %d classes", n, vcs, classes)
				}
				for choice := range uint64(MaxVCs) {
					vc := l.vc(uint16(class), choice)
					if owner, taken := used[vc]; taken && owner != class {
						t.Fatalf("channel %d is in classes %d and %d", vc, owner, class)
					}
					used[vc] = class
				}
			}
			if len(used) != vcs {
				t.Fatalf("%d of %d channels used by %d classes", len(used), vcs, classes)
			}
		}
	}
}

// TestSpread: NICs that are spread evenly need no table, and others keep it.
func TestSpread(t *testing.T) {
	full, err := topology.FullSpec{Routers: 11, Hosts: 7}.Build(2)
	if err != nil {
		t.Fatal(err)
	}
	even := full.Graph()
	a, _, err := newAddress(even, 0)
	if err != nil || a.spread.each != 14 {
		t.Fatalf("%d NICs of each router, %v", a.spread.each, err)
	}
	swapped := &topology.Graph{
		Routers: even.Routers, Hosts: even.Hosts, NICsPerHost: even.NICsPerHost,
		PortBase: even.PortBase, Ports: even.Ports, NICPort: slices.Clone(even.NICPort),
	}
	swapped.NICPort[20], swapped.NICPort[21] = even.NICPort[21], even.NICPort[20]
	b, _, err := newAddress(swapped, 0)
	if err != nil || b.spread.each != 0 {
		t.Fatalf("%d NICs of each router, %v", b.spread.each, err)
	}
	for nic, port := range even.NICPort {
		router := even.Ports[port].Router
		if got := a.router(int32(nic)); got != router {
			t.Errorf("NIC %d at router %d, expected %d", nic, got, router)
		}
		exit := uint64(port - even.PortBase[router])
		if got := a.exit.of(a.home(int32(nic))); got != exit {
			t.Errorf("NIC %d at port %d, expected %d", nic, got, exit)
		}
	}
	if x, y := b.home(20), a.home(21); x != y {
		t.Errorf("after the exchange NIC 20 is at %x, not at %x", x, y)
	}
}
