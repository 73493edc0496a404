package oracle

import (
	"errors"
	"fmt"
)

// ErrStuck is the error of a run that ends in a packet deadlock.
var ErrStuck = errors.New("oracle: the network is stuck")

// Traffic holds the transmit counters of a router port or a NIC.
type Traffic struct {
	Packets int64
	Bytes   int64 // bytes sent on the wire
}

// Totals holds the counters of the whole network.
type Totals struct {
	Messages         int64 // messages posted
	Delivered        int64 // messages delivered
	Packets          int64 // packets injected by NICs
	DeliveredPackets int64
	InjectedBytes    int64 // payload bytes injected
	DeliveredBytes   int64 // payload bytes delivered
	PacketHops       int64 // departures on links from router to router
	Latency          int64 // time from injection to memory (ps), summed over the packets
	Made             int64 // packets created by agents of routers
	Consumed         int64 // payload bytes consumed by agents of routers
	Retried          int64 // times that links have sent packets again
	Lost             int64 // times that links that are down have lost packets
	Repeated         int64 // times that NICs have sent such packets again
	Rerouted         int64 // packets that took other links than without epochs
	Marked           int64 // times that hooks have changed what a packet carries
	Notified         int64 // replies of hooks that NICs have injected
	Refused          int64 // time for which injectors have held back packets that have left since (ps)
}

// Totals returns the counters so far.
func (o *Oracle) Totals() Totals { return o.totals }

// Traffic returns the transmit counters of each port, by global port ID.
func (o *Oracle) Traffic() []Traffic {
	ts := make([]Traffic, len(o.spec.Graph.Ports))
	for i := range o.switches.routers {
		for j := range o.switches.routers[i].ports {
			if p := &o.switches.routers[i].ports[j]; !p.agent {
				ts[p.global] = p.traffic
			}
		}
	}
	return ts
}

// NICTraffic returns the transmit counters of each NIC, by global NIC ID.
func (o *Oracle) NICTraffic() []Traffic {
	ts := make([]Traffic, len(o.hosts.nics))
	for i := range o.hosts.nics {
		ts[i] = o.hosts.nics[i].traffic
	}
	return ts
}

// drained checks the network after the last event. It returns an error if packets are still waiting
// in it, and panics if packets, bytes or credits were lost.
func (o *Oracle) drained() error {
	if err := o.stuck(); err != nil {
		return err
	}
	t := o.totals
	if t.Messages != t.Delivered || t.Packets+t.Made != t.DeliveredPackets ||
		t.InjectedBytes != t.DeliveredBytes+t.Consumed {
		o.violation("something was lost on the way: %+v", t)
	}
	for i := range o.switches.routers {
		for j := range o.switches.routers[i].ports {
			o.switches.atRest(&o.switches.routers[i].ports[j])
		}
	}
	for i := range o.hosts.nics {
		o.hosts.atRest(&o.hosts.nics[i])
	}
	return nil
}

func (s *switches) atRest(p *port) {
	for v := range p.vcs {
		full := p.vcs[v].credit == int64(s.spec.Router.Buffer)
		full = full && p.vcs[v].room == int64(s.spec.Router.OutputBuffer) && p.vcs[v].inside == 0
		moving := p.inMove != nil || p.outMove != nil || p.linkMove != nil
		if !full || p.vcs[v].holder != nil || p.stored[v] != 0 || moving {
			s.violation("router %d, global port %d, VC %d is not at rest at the end", p.Router, p.global, v)
		}
	}
}

func (h *hosts) atRest(n *nic) {
	if n.asks || n.offers || len(n.arrived) > 0 {
		h.violation("NIC %d asks for its bus at the end", n.number)
	}
	for v, credit := range n.credit {
		if credit != int64(h.spec.Router.Buffer) || n.stored[v] != 0 {
			h.violation("NIC %d VC %d is not at rest at the end", n.number, v)
		}
	}
}

// stuck returns an error if packets are waiting forever.
func (o *Oracle) stuck() error {
	for i := range o.switches.routers {
		r := &o.switches.routers[i]
		for j := range r.ports {
			for v, fifo := range r.ports[j].fifos {
				if n := len(fifo) + len(r.ports[j].vcs[v].queue); n > 0 {
					return fmt.Errorf(
						"%w at %d ps: router %d, port %d, VC %d holds %d packets, coming in or going out",
						ErrStuck, o.now, i, j, v, n,
					)
				}
			}
		}
	}
	if n := o.totals.Lost - o.totals.Repeated; n > 0 {
		return fmt.Errorf("%w at %d ps: NICs have given up %d packets", ErrStuck, o.now, n)
	}
	for i := range o.hosts.nics {
		n := &o.hosts.nics[i]
		for _, l := range n.lanes[1:] {
			if len(l.waiting) > 0 {
				return fmt.Errorf("%w at %d ps: NIC %d has packets of a class that it cannot inject", ErrStuck, o.now, i)
			}
		}
		if len(n.waiting)+len(n.replies)+len(n.again) > 0 {
			return fmt.Errorf("%w at %d ps: NIC %d has packets it cannot inject", ErrStuck, o.now, i)
		}
	}
	return nil
}
