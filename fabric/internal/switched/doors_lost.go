package switched

import (
	"slices"

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
// credit there. The same becomes of a packet that is on the link when that goes down. Events are known
// before a run, so this is decided when the packet starts: its head may reach the next block's router
// before the link goes down, where it could not be called back. The NIC of the packet gets it back as work
// for a later time (see model.Doors.Timeout), and sends it before other packets of messages, by the
// routing of that time. Which of the packets of a message it is does not matter: all but the last are alike.

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

// direction is one direction of a link: out of a port, or from the NIC of a port.
type direction struct {
	port    uint32 // of the layout
	fromNIC bool
}

// findDowns returns when each direction goes down and loses packets on it, in ascending order; nil if links lose
// none. A NIC that stays down completes its packet, as it will not send it again.
func (d *Doors) findDowns() map[direction][]int64 {
	if d.Timeout == 0 {
		return nil
	}
	downs, lastUp := map[direction][]int64{}, map[direction]int64{}
	for _, c := range d.b.Changes {
		switch on := (direction{c.Port, c.FromNIC}); c.Kind {
		case model.Down:
			downs[on] = append(downs[on], c.At)
		case model.Up:
			lastUp[on] = max(lastUp[on], c.At)
		}
	}
	for on, times := range downs {
		slices.Sort(times)
		if on.fromNIC {
			downs[on] = slices.DeleteFunc(times, func(at int64) bool { return at > lastUp[on] })
		}
	}
	return downs
}

// failsUnder reports whether a direction, which is not down now, goes down before the time until (ps), when
// all of a packet is at the other end.
func (d *Doors) failsUnder(port uint32, fromNIC bool, until int64) bool {
	if len(d.downs) == 0 {
		return false
	}
	times := d.downs[direction{port, fromNIC}]
	next, _ := slices.BinarySearch(times, d.b.Events.Now+1)
	return next < len(times) && times[next] < until
}

// loses reports whether a port of the active router loses a packet that starts now. Its tail leaves at
// `leave` (ps).
func (d *Doors) loses(port uint32, c *stage.CrossbarPort, leave int64) bool {
	return c.Halted == stage.Losing ||
		d.failsUnder(d.g.R.FirstPort+port, false, leave+d.b.Classes.At(uint32(c.Class)).Tail)
}

// lose discards a packet that a port loses. Its tail leaves at `leave` (ps).
func (d *Doors) lose(id uint32, p *stage.Packet, leave int64) {
	d.g.Out.At(uint32(p.Out)).Credit += int32(p.Flits & core.FlitMask)
	d.expectAgain(p.Msg, p.Flits, *d.riders.At(id), leave)
	d.g.Pool.Give(id, p)
}

// expectAgain schedules that the NIC of a lost packet gets it back, or counts it as given up. Its tail has left
// at `leave` (ps).
func (d *Doors) expectAgain(msg model.MsgID, flits uint16, x core.Rider, leave int64) {
	b := d.b
	b.Counters.Lost++
	m := b.Messages.At(msg)
	w := work{
		at:   leave + int64(d.Timeout)<<min(x.Losses, model.MostDoublings),
		kind: sendAgain, nic: uint32(m.Src), packet: uint32(msg), value: uint64(x.Number),
	}
	if x.Control {
		w.value |= lostControl
	}
	x.Losses = min(x.Losses, model.MostDoublings) + 1
	w.from = uint32(flits) | uint32(x.Losses)<<16 | uint32(x.Hopeless)<<24
	if x.Hopeless == model.MostRepeats {
		b.Counters.GivenUp++
		return
	}
	router := b.Hosts[b.Send.HostOf(m.Src)]
	if router-b.First < b.Count {
		d.scheduleLost(router, w)
		return
	}
	b.Mail.SendFeedback(router, core.FeedbackMail{
		At: w.at, Value: w.value, NIC: w.nic, From: w.from, Lost: model.MsgID(w.packet),
	})
}

// scheduleLost schedules that a NIC of a router of the block gets a lost packet back. There may be very many
// of them, so that a router has them in a pairing heap, beside the list of its other works.
func (d *Doors) scheduleLost(router uint32, w work) {
	place := d.keep()
	w.next, w.child = 0, 0
	d.works[place] = w
	root := d.all.lost.At(router)
	*root = d.meld(*root, place)
	if r := d.b.Routers.At(router); *root == place {
		d.b.Events.SetEarlier(r, r.DoorTimer(), w.at)
	}
}

// serveLost gives NICs of the active router the lost packets back that are due now.
func (d *Doors) serveLost(r *core.Router) {
	e, root := &d.b.Events, d.all.lost.At(r.Number)
	for *root != 0 && d.works[*root].at == e.Now {
		place := *root
		*root = d.meldAll(d.works[place].child)
		d.queueLost(r, place)
	}
	if *root != 0 {
		e.SetEarlier(r, r.DoorTimer(), d.works[*root].at)
	}
}

// meld joins two heaps, and returns the root of the one that results. 0 is an empty heap.
func (d *Doors) meld(a, b uint32) uint32 {
	switch {
	case a == 0:
		return b
	case b == 0:
		return a
	case d.works[b].Before(&d.works[a]):
		a, b = b, a
	}
	d.works[b].next = d.works[a].child
	d.works[a].child = b
	return a
}

// meldAll joins a heap and its siblings: first in pairs, then all pairs, from the last on.
func (d *Doors) meldAll(first uint32) (root uint32) {
	pairs := uint32(0)
	for first != 0 {
		a, b := first, d.works[first].next
		d.works[a].next, first = 0, 0
		if b != 0 {
			first, d.works[b].next = d.works[b].next, 0
		}
		pair := d.meld(a, b)
		d.works[pair].next, pairs = pairs, pair
	}
	for pairs != 0 {
		next := d.works[pairs].next
		d.works[pairs].next = 0
		root, pairs = d.meld(root, pairs), next
	}
	return root
}

// queueLost passes a packet, one of the works, to a NIC of the active router for sending it again.
func (d *Doors) queueLost(r *core.Router, place uint32) {
	w := &d.works[place]
	w.next = 0
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
