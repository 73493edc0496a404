package routing_test

import (
	"strings"
	"testing"

	"fabricast/routing"
	"fabricast/topology"
)

// busy is a view in which some ports have queues.
type busy map[uint16]int64

func (b busy) Queue(port, _ uint16) int64  { return b[port] }
func (b busy) PortQueue(port uint16) int64 { return b[port] }
func (b busy) Queues(list []routing.Candidate) {
	for i := range list {
		list[i].Cost = b[list[i].Port]
	}
}

func (b busy) Published(router int32, port uint16) int64 { return b[uint16(router)<<8|port] }

// TestUGALDecides: the minimal route is taken as long as its queue times its
// hops is not more than those of the detour.
func TestUGALDecides(t *testing.T) {
	net, err := topology.FullSpec{Routers: 3, Hosts: 1}.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	const direct, around = 1, 0 // ports of router 0 to routers 2 and 1
	f := func(o routing.UGALOptions, view busy, want uint16) {
		t.Helper()
		u, err := routing.NewUGALL(net, 2, o)
		if err != nil {
			t.Fatal(err)
		}
		header, _ := u.StartPacket(0, 2, 12345)
		for _, c := range u.Candidates(0, header, view, nil) {
			if c.Port != want {
				t.Errorf("%+v with queues %v: port %d", o, view, c.Port)
			}
		}
		if all := u.Candidates(0, header, nil, nil); len(all) != 2 {
			t.Errorf("without a view %d candidates", len(all))
		}
	}
	f(routing.UGALOptions{}, busy{}, direct)
	f(routing.UGALOptions{}, busy{direct: 10, around: 5}, direct)
	f(routing.UGALOptions{}, busy{direct: 11, around: 5}, around)
	f(routing.UGALOptions{Threshold: 1}, busy{direct: 11, around: 5}, direct)
	f(routing.UGALOptions{MinimalWeight: 1, DetourWeight: 3}, busy{direct: 15, around: 5}, direct)
	f(routing.UGALOptions{MinimalWeight: 1, DetourWeight: 3}, busy{direct: 16, around: 5}, around)
}

// TestUGALGSeesFar: with global information a queue at the router in between counts as well.
func TestUGALGSeesFar(t *testing.T) {
	net, err := topology.FullSpec{Routers: 3, Hosts: 1}.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	u, err := routing.NewUGALG(net, 2, routing.UGALOptions{})
	if err != nil || u.Interval() != routing.DefaultInterval {
		t.Fatal(u.Interval(), err)
	}
	f := func(view busy, want uint16) {
		t.Helper()
		header, _ := u.StartPacket(0, 2, 12345)
		if c := u.Candidates(0, header, view, nil); c[0].Port != want {
			t.Errorf("with queues %v: port %d", view, c[0].Port)
		}
	}
	f(busy{1: 10, 0: 9}, 0)
	f(busy{1: 10, 0: 9, 1<<8 | 1: 2}, 1) // router 1, port to router 2
	if _, err := routing.NewUGALG(net, 2, routing.UGALOptions{Interval: routing.MaxInterval + 1}); err == nil {
		t.Error("any interval is taken")
	}
}

// TestPARDecidesAgain: a packet that set out minimally leaves the minimal route at the
// next router of its group, if the global link there is busy.
func TestPARDecidesAgain(t *testing.T) {
	net, err := topology.DragonflySpec{P: 1, A: 4, H: 1}.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	d := net.(*topology.Dragonfly)
	par, err := routing.NewPAR(d, 4, routing.UGALOptions{})
	if err != nil {
		t.Fatal(err)
	}
	gateway, global := d.GlobalLink(0, 1, 0)
	from := (gateway + 1) % d.GroupSize()
	diverted := 0
	for coin := range uint64(64) {
		header, _ := par.StartPacket(int32(from), int32(d.GroupSize()), coin*0x9e3779b97f4a7c15)
		first := par.Candidates(int32(from), header, busy{}, nil)[0]
		if int(first.Port) != d.LocalPort(from, gateway) || first.VC != 0 {
			t.Fatalf("the first hop is %+v", first)
		}
		if c := par.Candidates(int32(gateway), first.Header, busy{}, nil)[0]; int(c.Port) != global ||
			c.VC != 2 {
			t.Errorf("on an idle network the second hop is %+v", c)
		}
		if c := par.Candidates(int32(gateway), first.Header, busy{uint16(global): 100}, nil)[0]; int(
			c.Port,
		) != global &&
			c.VC == 1 {
			diverted++
		}
	}
	if diverted < 32 {
		t.Errorf("%d of 64 packets leave the busy route", diverted)
	}
}

// TestEscapeIsLast: an escape channel costs more than any adaptive one, however busy.
func TestEscapeIsLast(t *testing.T) {
	for _, c := range combinations {
		_, algorithm := c.build(t, c.least)
		a, ok := algorithm.(routing.Adaptive)
		// channels of a class are alike, whether the other shares them or not
		if !ok || strings.Contains(c.name, "shared") {
			continue
		}
		header, _ := a.StartPacket(0, 3, 99)
		highest, escape := int64(-1), int64(-1)
		for _, c := range a.Candidates(0, header, busy{0: 1 << 40, 1: 1 << 40, 2: 1 << 40, 3: 1 << 40}, nil) {
			if c.Escape {
				escape = c.Cost
			} else {
				highest = max(highest, c.Cost)
			}
		}
		if escape >= 0 && escape <= highest {
			t.Errorf("%s: an escape channel costs %d, another %d", c.name, escape, highest)
		}
	}
}

// TestZoneOrder: packets finish the dimensions of a mask before those of the next.
func TestZoneOrder(t *testing.T) {
	net, err := topology.TorusSpec{Dims: []int{5, 5, 5}, Hosts: 1}.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	algorithm, err := zone("y|xz")(net, 3)
	if err != nil {
		t.Fatal(err)
	}
	z := algorithm.(routing.Adaptive)
	header, _ := z.StartPacket(0, 1+5+25, 7)
	for _, c := range z.Candidates(0, header, nil, nil) {
		if !c.Escape && c.Port != 2 {
			t.Errorf("port %d before y is finished", c.Port)
		}
	}
	ports := map[uint16]bool{}
	for _, c := range z.Candidates(5, header, nil, nil) {
		if !c.Escape {
			ports[c.Port] = true
		}
	}
	if len(ports) != 2 || !ports[0] || !ports[4] {
		t.Errorf("after y the ports are %v, not +x and +z", ports)
	}
}

// TestWrongOptions: options that make no sense are refused.
func TestWrongOptions(t *testing.T) {
	for _, text := range []string{"", "|x", "x|", "xx", "x|q", "x|yx"} {
		if _, err := routing.ParseZone(text); err == nil {
			t.Errorf("zone %q is taken", text)
		}
	}
	for _, c := range []combination{
		{name: "dateline", spec: torus, make: dorWith(4, routing.ChoiceFlow)},
		{name: "dateline of a mesh", spec: mesh, make: dorWith(1, routing.ChoiceFlow)},
		{name: "zone without a dimension", spec: torus, make: zone("x")},
		{name: "zone of a dragonfly", spec: dragonfly, make: zone()},
		{name: "five zones", spec: torus, make: zone("xy", "x|y", "y|x", "xy", "xy")},
		{name: "escape channels of a Slim Fly", spec: slimfly, make: adaptive},
		{name: "root", spec: torus, make: func(t topology.Topology, vcs int) (routing.Algorithm, error) {
			return routing.NewUpDown(t.Graph(), vcs, 20)
		}},
	} {
		net, err := c.spec.Build(1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.make(net, 4); err == nil {
			t.Errorf("%s is taken", c.name)
		}
	}
}
