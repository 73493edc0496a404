package headers

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
	a, _, err := NewAddress(g, 0)
	if err != nil {
		t.Fatal(err)
	}
	if a.Flow.mask != 1<<25-1 {
		t.Errorf("the flow has mask %x, not what 22, 12 and 5 bits leave", a.Flow.mask)
	}
	if _, _, err := NewAddress(g, 22+2); err == nil ||
		!strings.Contains(err.Error(), "needs 67 on a network of 4194304 routers") {
		t.Error(err)
	}
}

// TestFields: fields of a header do not touch one another.
func TestFields(t *testing.T) {
	l := &Layout{}
	a, b, c := l.Field(5), l.Field(32), l.Field(27)
	h := a.With(31) | b.With(1<<32-1) | c.With(1<<27-1)
	if h != 1<<64-1 {
		t.Errorf("%x", h)
	}
	h = b.Set(h, 7)
	if a.Of(h) != 31 || b.Of(h) != 7 || c.Of(h) != 1<<27-1 {
		t.Errorf("%x", h)
	}
}

// TestSpread: NICs that are spread evenly need no table, and others keep it.
func TestSpread(t *testing.T) {
	full, err := topology.FullSpec{Routers: 11, Hosts: 7}.Build(2)
	if err != nil {
		t.Fatal(err)
	}
	even := full.Graph()
	a, _, err := NewAddress(even, 0)
	if err != nil || a.spread.each != 14 {
		t.Fatalf("%d NICs of each router, %v", a.spread.each, err)
	}
	swapped := &topology.Graph{
		Routers: even.Routers, Hosts: even.Hosts, NICsPerHost: even.NICsPerHost,
		PortBase: even.PortBase, Ports: even.Ports, NICPort: slices.Clone(even.NICPort),
	}
	swapped.NICPort[20], swapped.NICPort[21] = even.NICPort[21], even.NICPort[20]
	b, _, err := NewAddress(swapped, 0)
	if err != nil || b.spread.each != 0 {
		t.Fatalf("%d NICs of each router, %v", b.spread.each, err)
	}
	for nic, port := range even.NICPort {
		router := even.Ports[port].Router
		if got := a.Router(int32(nic)); got != router {
			t.Errorf("NIC %d at router %d, expected %d", nic, got, router)
		}
		exit := uint64(port - even.PortBase[router])
		if got := a.Exit.Of(a.home(int32(nic))); got != exit {
			t.Errorf("NIC %d at port %d, expected %d", nic, got, exit)
		}
	}
	if x, y := b.home(20), a.home(21); x != y {
		t.Errorf("after the exchange NIC 20 is at %x, not at %x", x, y)
	}
}
