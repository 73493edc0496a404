package oracle

import (
	"math"
	"math/big"

	"fabricast/fabric"
	"fabricast/topology"
)

// damaged returns when a packet that starts now toward a port, and whose tail leaves at `leave` (ps), begins
// to be sent for the first time without bit errors, and when its tail leaves then. Each time before, a
// signal of the other end comes back before it is sent again, in `took` (ps).
func (d *doors) damaged(out *port, p *packet, took, leave int64) (begin, tail int64) {
	begin = d.now
	if out.agent {
		return begin, leave
	}
	wrong := hitBy(d.spec.Doors.BitErrors[out.global], p.wire)
	u := mix(mix(mix(d.spec.Seed^0x6269746572726f72)+uint64(out.global)) + uint64(out.traffic.Packets))
	for new(big.Float).SetUint64(u).Cmp(wrong) < 0 {
		d.totals.Retried++
		begin = leave + 2*int64(d.link(out.Port).Latency)
		leave = begin + took
		u = mix(u)
	}
	return begin, leave
}

// hitBy returns 2^64 times the probability that errors of a rate (2^-64 a bit) hit a packet: the series
// of 1 - exp(-x).
func hitBy(rate uint64, bytes int64) *big.Float {
	exact := func(v uint64) *big.Float { return new(big.Float).SetPrec(300).SetUint64(v) }
	one := new(big.Float).SetPrec(300).SetMantExp(exact(1), 64)
	x := exact(rate)
	x.Mul(x, exact(8*uint64(bytes))).Quo(x, one)
	sum, term := exact(0), new(big.Float).Copy(x)
	for i := uint64(2); i < 60; i++ {
		sum.Add(sum, term)
		term.Mul(term, x).Quo(term, exact(i)).Neg(term)
	}
	return sum.Mul(sum, one)
}

// again returns when a packet that starts at `begin` toward a port, and whose tail leaves at `leave` (ps), begins
// to be sent for the last time, and when its tail leaves then: each outage of the link that begins before
// the tail is at the other end has it sent again, at a rate with which it takes `took`, after the link is
// up and a signal has gone to its other end and back. It does not leave before its tail has come.
func (d *doors) again(out *port, p *packet, begin, took, leave int64) (last, tail int64) {
	latency := int64(d.link(out.Port).Latency)
	post := int64(d.spec.Router.SwitchTraversal) + int64(d.spec.Router.Latency)
	for at := begin; ; {
		down, up := d.nextOutage(out, at)
		switch {
		case up == math.MaxInt64:
			return begin, leave
		case down >= leave+post+latency:
			at = up
			continue
		}
		if at = up; up > begin {
			d.totals.Retried++
			begin = up + 2*latency
			leave = max(begin+took, p.ready+p.span)
		}
	}
}

// nextOutage returns the first outage of a port that ends after a time; down is math.MaxInt64 if the port
// is up then already, and up if there is none.
func (d *doors) nextOutage(out *port, after int64) (down, up int64) {
	up = math.MaxInt64
	for i := range d.spec.Doors.Events {
		if e := &d.spec.Doors.Events[i]; e.Kind == fabric.Up && int64(e.At) > after && int64(e.At) < up && d.concerns(e, out) {
			up = int64(e.At)
		}
	}
	// it begins with the first of the events that put the port down after it was last up
	last := int64(-1)
	for i := range d.spec.Doors.Events {
		if e := &d.spec.Doors.Events[i]; e.Kind == fabric.Up && int64(e.At) < up && d.concerns(e, out) {
			last = max(last, int64(e.At))
		}
	}
	down = math.MaxInt64
	for i := range d.spec.Doors.Events {
		e := &d.spec.Doors.Events[i]
		if e.Kind == fabric.Down && int64(e.At) > last && int64(e.At) < up && d.concerns(e, out) {
			down = min(down, int64(e.At))
		}
	}
	return down, up
}

// concerns reports whether an event changes the direction out of a port.
func (d *doors) concerns(e *fabric.Event, out *port) bool {
	g := d.spec.Graph
	if e.FromNIC || out.agent {
		return false
	}
	own := e.Router == out.Router && (e.Port == fabric.AllPorts || g.PortBase[e.Router]+e.Port == int32(out.global))
	if own || e.OneWay || out.Peer == topology.Unconnected {
		return own
	}
	at := g.Ports[out.Peer].Router
	return e.Router == at && (e.Port == fabric.AllPorts || g.PortBase[at]+e.Port == out.Peer)
}
