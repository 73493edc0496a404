package experiments

import (
	"math/rand/v2"

	"fabricast/internal/units"

	"fabricast/fabric"
)

// long is the scale of experiments with long messages.
var long = scale{routers: 24, size: 6, messages: 12, packets: 3000}

// DrawStreams returns the experiment for a seed in which long messages meet in a network where all
// rates are equal, so that their packets may form streams. Most delays and buffers are tiny: then
// several things happen at the same instant.
func DrawStreams(seed uint64) *Experiment {
	d := drawer{rand.New(rand.NewPCG(seed, 0x73747265616d73)), long}
	e := &Experiment{}
	d.network(e)
	e.Router.Arbiter = fabric.FCFS
	d.smallPackets(e)
	d.equalRates(e)
	d.tinyDelays(e)
	d.longTraffic(e)
	return e
}

func (d drawer) smallPackets(e *Experiment) {
	p := &e.Packet
	p.Flit = int64(pick(d, 1, 1, 2, 8, 100))
	p.MTU = p.Flit * int64(d.between(1, 5))
	if d.chance(20) {
		p.Header = int64(d.IntN(int(p.MTU)))
	}
	e.Router.Buffer = units.Bytes(p.MTU)
	if e.Unsafe {
		return
	}
	switch d.IntN(4) {
	case 0, 1:
		e.Router.Buffer *= units.Bytes(d.between(1, 5))
	case 2:
		e.Router.Buffer = e.Router.Buffer*units.Bytes(d.between(2, 40)) + units.Bytes(d.IntN(int(p.MTU)))
	case 3:
		e.Router.Buffer *= 1000 // practically unlimited
	}
}

func (d drawer) equalRates(e *Experiment) {
	rate := d.wholeRate()
	e.Link.Bandwidth, e.HostLink.Bandwidth, e.Router.Bandwidth = rate, rate, rate
	e.DMA = int64(pick(d, rate, rate, 2*rate, d.wholeRate(), units.Rate(d.between(1, 5000))*1_000_000))
	if e.Tree != nil {
		e.Tree.Trunk.Bandwidth = rate
	}
}

func (d drawer) tinyDelays(e *Experiment) {
	if d.chance(30) {
		d.delays(e)
		return
	}
	r := &e.Router
	for _, delay := range []*units.Time{&r.Routing, &r.SwitchTraversal, &e.Link.Latency, &e.HostLink.Latency} {
		*delay = units.Time(pick(d, 0, 0, 1, 2, d.between(1, 5000)))
	}
	if r.Routing+r.SwitchTraversal+e.Link.Latency < 2 {
		e.Link.Latency = 2 // the minimum that the model requires
	}
	if e.Tree != nil {
		e.Tree.Trunk.Latency = e.Link.Latency + units.Time(pick(d, 0, 1, d.between(1, 5000)))
	}
}

func (d drawer) longTraffic(e *Experiment) {
	d.traffic(e)
	full, packets := e.Packet.Payload(), int64(0)
	for i := range e.Messages {
		m := &e.Messages[i]
		if d.chance(70) {
			m.Size = full*int64(d.between(4, pick(d, 20, 200, 600))) - int64(d.IntN(int(full)))
		}
		if packets += e.Packet.Count(m.Size); packets > d.most.packets {
			e.Messages = e.Messages[:i]
			return
		}
	}
}
