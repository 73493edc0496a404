package oracle

import (
	"cmp"
	"slices"

	"fabricast/fabric"
	"fabricast/routing"
	"fabricast/topology"
)

// doors is the oracle's state for the doors of a specification.
type doors struct {
	*core
	hosts    *hosts
	switches *switches
	messages *Oracle
	states   map[place][]uint64 // by place: its words of state
	works    [][]task           // by router: its tasks, in any order
}

// place identifies an owner of state: a port, a NIC, an agent, or a flow of a NIC.
type place struct {
	kind         string
	index, other int32
}

// task is a scheduled action of a router for a door.
type task struct {
	at, made int64
	order    [4]int64 // order of tasks at the same instant, lowest first
	do       func()
}

// The order of tasks at one instant.
const (
	portTask int64 = iota
	nicTask
	epochTask
	takeTask
	postTask
	feedbackTask
	replyTask
	repeatTask
)

// newDoors returns the doors of an oracle, or nil if its specification has none.
func newDoors(o *Oracle) *doors {
	if o.spec.Doors == nil {
		return nil
	}
	d := &doors{
		core: o.core, hosts: o.hosts, switches: o.switches, messages: o, states: map[place][]uint64{},
		works: make([][]task, o.spec.Graph.Routers),
	}
	for i := range o.spec.Doors.Events {
		d.planEvent(&o.spec.Doors.Events[i])
	}
	for _, epoch := range o.spec.Doors.Epochs {
		for r := range d.works {
			d.plan(r, int64(epoch.At), [4]int64{epochTask}, func() { d.retry(r) })
		}
	}
	return d
}

// words returns the words of state of an owner. They are zero initially.
func (d *doors) words(kind string, index, other int32, count int) []uint64 {
	at := place{kind, index, other}
	if d.states[at] == nil && count > 0 {
		d.states[at] = make([]uint64, count)
	}
	return d.states[at]
}

// plan adds a task of a router.
func (d *doors) plan(router int, at int64, order [4]int64, do func()) {
	d.events.made++
	d.works[router] = append(d.works[router], task{at, int64(d.events.made), order, do})
	d.events.add(at, doorTasks, router, func() { d.perform(router) })
}

// perform performs all tasks of a router that are due.
func (d *doors) perform(router int) {
	for {
		list := d.works[router]
		if len(list) == 0 {
			return
		}
		slices.SortFunc(list, func(a, b task) int {
			return cmp.Or(cmp.Compare(a.at, b.at), slices.Compare(a.order[:], b.order[:]), cmp.Compare(a.made, b.made))
		})
		if list[0].at > d.now {
			return
		}
		first := list[0]
		d.works[router] = slices.Clone(list[1:])
		first.do()
	}
}

// retry makes all NICs of a router try to send.
func (d *doors) retry(router int) {
	for _, port := range d.switches.routers[router].ports {
		if port.NIC != topology.Unconnected {
			d.hosts.injectAt(d.now, &d.hosts.nics[port.NIC])
		}
	}
}

// planEvent schedules the effects of an event on ports.
func (d *doors) planEvent(e *fabric.Event) {
	for i := range d.switches.routers[e.Router].ports {
		p := &d.switches.routers[e.Router].ports[i]
		if int(e.Port) != i && e.Port != fabric.AllPorts || p.agent {
			continue
		}
		if e.FromNIC {
			d.planNIC(e, &d.hosts.nics[p.NIC])
			continue
		}
		if p.Peer != topology.Unconnected && !e.OneWay {
			d.planChange(e, &d.switches.routers[d.spec.Graph.Ports[p.Peer].Router], p.Peer)
		}
		if p.Peer != topology.Unconnected || p.NIC != topology.Unconnected {
			d.planChange(e, &d.switches.routers[e.Router], int32(p.global))
		}
	}
}

// planChange schedules the effect of an event on one port.
func (d *doors) planChange(e *fabric.Event, r *router, global int32) {
	local := global - d.spec.Graph.PortBase[r.number]
	d.plan(r.number, int64(e.At), [4]int64{portTask, int64(local)}, func() {
		p := &r.ports[local]
		switch e.Kind {
		case fabric.Down:
			p.down = true
		case fabric.Up:
			if p.down && p.loses {
				p.down = false
			} else if p.down {
				p.down, p.server.fraction, p.link.fraction = false, 0, 0
			}
		case fabric.SetRate:
			d.setRate(p, int64(e.Rate))
		}
		d.switches.passAt(d.now, r)
	})
}

// planNIC schedules the effect of an event on the direction from a NIC to its router.
func (d *doors) planNIC(e *fabric.Event, n *nic) {
	d.plan(int(e.Router), int64(e.At), [4]int64{nicTask, int64(n.number)}, func() {
		switch e.Kind {
		case fabric.Down:
			n.down = true
		case fabric.Up:
			n.down = false
			d.hosts.injectAt(d.now, n)
		case fabric.SetRate:
			if n.server.rate, n.server.fraction = int64(e.Rate), 0; e.Rate == 0 {
				n.server.rate = int64(d.link(&d.spec.Graph.Ports[n.plug]).Bandwidth)
			}
		}
	})
}

// setRate changes the rate of a port's output; 0 means that of its link class.
func (d *doors) setRate(p *port, rate int64) {
	if rate == 0 {
		rate = int64(d.link(p.Port).Bandwidth)
	}
	p.server.fraction, p.link.fraction = 0, 0
	if d.buffered() {
		p.link.rate = rate
		return
	}
	p.server.rate = min(rate, int64(d.spec.Router.Bandwidth))
}

// epoch returns the index of the current epoch.
func (d *doors) epoch() int {
	n := 0
	for _, e := range d.spec.Doors.Epochs {
		if int64(e.At) <= d.now {
			n++
		}
	}
	return n
}

// routing returns the routing function of an epoch.
func (d *doors) routing(epoch int) routing.Function {
	if epoch == 0 {
		return d.spec.Routing
	}
	return d.spec.Doors.Epochs[epoch-1].Routing
}
