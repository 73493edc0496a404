package routing_test

import (
	"testing"

	"fabricast/routing"
	"fabricast/topology"
)

// TestFirstPortsOfATorus: the first hop is in the first dimension that differs, the shorter way.
func TestFirstPortsOfATorus(t *testing.T) {
	f := func(wrap []bool, src, dst, want int) {
		t.Helper()
		net, err := topology.TorusSpec{Dims: []int{5, 3}, Wrap: wrap, Hosts: 2}.Build(4)
		if err != nil {
			t.Fatal(err)
		}
		a, err := dor(routing.TieUp)(net, 2)
		if err != nil {
			t.Fatal(err)
		}
		if got := routing.NewFirstPorts(net.Graph(), a).Of(int32(src), int32(dst)); got != want {
			t.Errorf("from host %d to %d by port %d, want %d", src, dst, got, want)
		}
	}
	ring, line := []bool{true, true}, []bool{false, false}
	f(ring, 0, 2, 0)
	f(ring, 1, 2, 0)
	f(ring, 0, 8, 1)
	f(line, 0, 8, 0)
	f(ring, 0, 10, 2)
	f(ring, 0, 20, 3)
	f(line, 0, 20, 2)
	f(line, 29, 9, 3)
	f(ring, 0, 12, 0)
	f(ring, 0, 1, -1) // another host of the same router
}

// TestFirstPortsOfATree: ports for NICs do not count, wherever their numbers lie.
func TestFirstPortsOfATree(t *testing.T) {
	net, err := topology.XGFTSpec{M: []int{2, 4}, W: []int{1, 2}}.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	a, err := nca(routing.UpDestination)(net, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := routing.NewFirstPorts(net.Graph(), a)
	seen := map[int]int{}
	for dst := range int32(8) {
		seen[p.Of(0, dst)]++
	}
	if seen[-1] != 2 || seen[0] != 3 || seen[1] != 3 {
		t.Errorf("ports up to the other hosts: %v", seen)
	}
}

// TestNoFirstPorts: where packets decide for themselves nobody knows.
func TestNoFirstPorts(t *testing.T) {
	net, err := torus.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, make := range []func(topology.Topology, int) (routing.Algorithm, error){valiant, adaptive, minimal(routing.ChoicePacket), minimal(routing.ChoiceQueue)} {
		a, err := make(net, 6)
		if err != nil {
			t.Fatal(err)
		}
		if port := routing.NewFirstPorts(net.Graph(), a).Of(0, 1); port != -1 {
			t.Errorf("%T: port %d", a, port)
		}
	}
}

// TestFirstPortsAreOfHosts: whichever NIC of a host a message leaves by, and for whichever, it
// takes the same port.
func TestFirstPortsAreOfHosts(t *testing.T) {
	const nics = 3
	for _, c := range combinations {
		net, err := c.spec.Build(nics)
		if err != nil {
			continue // a block of a hierarchy, whose ports are its NICs
		}
		a, err := c.make(net, c.least)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if f, ok := a.(routing.Function); ok && routing.NewFirstPorts(net.Graph(), a) != nil {
			sameFirstPorts(t, c.name, net.Graph(), f, nics)
		}
	}
}

func sameFirstPorts(t *testing.T, name string, g *topology.Graph, f routing.Function, nics int32) {
	t.Helper()
	for pair := range int32(min(g.Hosts, 8) * g.Hosts) {
		src, dst := pair/int32(g.Hosts), pair%int32(g.Hosts)
		router := int32(g.HostRouter(int(src)))
		var first uint16
		for nic := range nics {
			header, _ := f.Start(src*nics+nic, dst*nics+nic)
			port, _, _ := f.Next(router, header)
			if nic == 0 {
				first = port
			} else if port != first && int(router) != g.HostRouter(int(dst)) {
				t.Fatalf("%s: from host %d to host %d, by NIC 0 through port %d, by NIC %d through port %d", name, src, dst, first, nic, port)
			}
		}
	}
}
