package switched

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/internal/stage"
	"fabricast/fabric/model"
	"fabricast/internal/causes"
)

// # Packets that are lost
//
// A link that is down takes packets as if it were up, so that nothing waits for it: buffers empty, and
// what is proved of routes free of deadlock holds. But no packet comes out at its other end, nor takes
// credit there. The NIC of the packet gets it back as work for a later time (see model.Doors.Timeout), and
// sends it before other packets of messages, by the routing of that time. Which of the packets of a
// message it is does not matter: all but the last are alike.

// firstRepeat is the number of the first random coin of packets that a NIC sends again.
const firstRepeat = 1 << 62

// lostControl marks the number of a packet that is a reply.
const lostControl = 1 << 32

// lastChange returns the time of the last event or epoch (ps).
func (d *Doors) lastChange() (last int64) {
	for i := range d.Events {
		last = max(last, int64(d.Events[i].At))
	}
	if n := len(d.Epochs); n > 0 {
		last = max(last, int64(d.Epochs[n-1].At))
	}
	return last
}

// lose discards a packet that starts on a link that is down. Its tail leaves at `leave` (ps).
func (d *Doors) lose(id uint32, p *stage.Packet, leave int64) {
	b, g, x := d.b, d.g, *d.riders.At(id)
	g.Out.At(uint32(p.Out)).Credit += int32(p.Flits & core.FlitMask)
	b.Counters.Lost++
	m := b.Messages.At(p.Msg)
	w := work{
		at:   leave + int64(d.Timeout)<<min(x.Losses, model.MostDoublings),
		kind: sendAgain, nic: uint32(m.Src), packet: uint32(p.Msg), value: uint64(x.Number),
	}
	if x.Control {
		w.value |= lostControl
	}
	x.Losses = min(x.Losses, model.MostDoublings) + 1
	w.from = uint32(p.Flits) | uint32(x.Losses)<<16 | uint32(x.Hopeless)<<24
	g.Pool.Give(id, p)
	if x.Hopeless == model.MostRepeats {
		return
	}
	router := b.Hosts[b.Send.HostOf(m.Src)]
	if router-b.First < b.Count {
		d.schedule(router, w)
		return
	}
	b.Mail.SendFeedback(router, core.FeedbackMail{
		At: w.at, Value: w.value, NIC: w.nic, From: w.from, Lost: model.MsgID(w.packet),
	})
}

// queueLost passes a packet to a NIC of the active router for sending it again.
func (d *Doors) queueLost(r *core.Router, w *work) {
	place := d.keep()
	d.works[place] = *w
	d.works[place].next = 0
	own := d.all.NICs.At(w.nic)
	if own.lost == 0 {
		own.lost = place
	} else {
		d.works[own.lastLost].next = place
	}
	own.lastLost = place
	d.tryNIC(r, w.nic)
}

// injectAgain sends the first packet that has been lost of a NIC whose link is free, if there is credit.
func (d *Doors) injectAgain(timer, id uint32, n *nic.Sender, own *doorNIC) {
	b, g, place := d.b, d.g, own.lost
	w := d.works[place]
	msg, size, number := model.MsgID(w.packet), uint16(w.from), uint32(w.value)
	m := b.Messages.At(msg)
	x := core.Rider{
		Epoch: d.epochAt(b.Events.Now), Number: number, Control: w.value&lostControl != 0, Losses: uint8(w.from >> 16),
	}
	if b.Events.Now >= d.settled {
		x.Hopeless = uint8(w.from>>24) + 1
	}
	index, route, vc, other := d.aim(m, x.Epoch, firstRepeat|own.Repeats)
	if g.injectInTurn && !x.Control {
		vc = uint8(number % g.NumVCs)
	}
	if !d.credited(timer, id, n, uint32(vc), d.replyNeeds(msg, uint32(vc), size)) {
		return
	}
	if b.Messages.Divides() && size&core.LastPacket != 0 && !x.Control {
		part := b.Messages.Division(msg) // the NIC has been waiting for the timeout
		part.Reach(causes.NICQueue, b.Events.Now)
		part.ChargeHop(b.Layout, b.Spec.Graph.Ports[b.Spec.Graph.NICPort[id]].Link, 0)
	}
	if own.lost = d.works[place].next; own.lost == 0 {
		own.lastLost = 0
	}
	d.works[place].next, d.freeWork = d.freeWork, place
	own.Repeats++
	own.Flits += uint64(size & core.FlitMask)
	b.Counters.Repeated++
	if other && !x.Control {
		b.Counters.Rerouted++
	}
	d.sendBeside(timer, id, uint32(vc), core.Packet{Route: route, Msg: msg, Flits: size, Out: index}, x)
}
