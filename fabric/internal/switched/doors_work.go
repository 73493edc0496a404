package switched

import (
	"fabricast/fabric/internal/core"
)

// workKind is the kind of a router's work for doors. At one instant, kinds are processed in this
// order.
type workKind uint8

const (
	changePort workKind = iota
	changeNIC
	newEpoch
	agentTakes
	agentPosts
	takeFeedback
	sendReply
	sendAgain
)

// work is a scheduled action of a router for a door.
type work struct {
	at          int64  // time of the action (ps)
	value, meta uint64 // values of feedback and replies
	nic         uint32 // ID of the NIC or port
	from        uint32 // the NIC that sends feedback; the NIC that a reply goes to; the input port of a packet
	packet      uint32 // ID of a packet that an agent holds; the message of a packet that is sent again
	next        uint32 // index of the router's next work, or of the next sibling in its heap of lost packets
	child       uint32 // index of the first child in that heap
	kind        workKind
	_           [3]byte
}

// Before reports whether w is done before x, regardless of the order in which they were scheduled.
func (w *work) Before(x *work) bool {
	switch {
	case w.at != x.at:
		return w.at < x.at
	case w.kind != x.kind:
		return w.kind < x.kind
	case w.nic != x.nic:
		return w.nic < x.nic
	case w.from != x.from:
		return w.from < x.from
	case w.value != x.value:
		return w.value < x.value
	}
	return w.meta < x.meta
}

// schedule adds work for a router of the block.
func (d *Doors) schedule(router uint32, w work) {
	place := d.keep()
	at := d.all.heads.At(router)
	first := true
	for *at != 0 && !w.Before(&d.works[*at]) {
		at, first = &d.works[*at].next, false
	}
	w.next = *at
	d.works[place] = w
	*at = place
	if r := d.b.Routers.At(router); first {
		d.b.Events.SetEarlier(r, r.DoorTimer(), w.at)
	}
}

// keep returns the index of a free element of works.
func (d *Doors) keep() (place uint32) {
	if place = d.freeWork; place == 0 {
		d.works = append(d.works, work{})
		return uint32(len(d.works) - 1)
	}
	d.freeWork = d.works[place].next
	return place
}

// due handles the timer of a NIC of the active router, or the timer of doors. The timer may have
// been set again.
func (d *Doors) due(timer uint32) {
	switch r := d.g.R; {
	case !d.b.Events.TakeTimer(r, timer):
	case timer == r.DoorTimer():
		d.serve(r)
	default:
		d.inject(timer)
	}
}

// serve does the active router's work for doors that is due now.
func (d *Doors) serve(r *core.Router) {
	e := &d.b.Events
	head := d.all.heads.At(r.Number)
	for *head != 0 && d.works[*head].at == e.Now {
		place := *head
		w := d.works[place]
		*head = w.next
		d.works[place].next, d.freeWork = d.freeWork, place
		d.do(r, &w)
	}
	if *head != 0 {
		e.SetEarlier(r, r.DoorTimer(), d.works[*head].at)
	}
	if d.Timeout > 0 {
		d.serveLost(r)
	}
}

// do performs one piece of work.
func (d *Doors) do(r *core.Router, w *work) {
	switch w.kind {
	case changePort:
		d.changePort(w.nic, w.value)
	case changeNIC:
		d.changeNIC(r, w.nic, w.value)
	case newEpoch:
		for nic := r.FirstNIC; nic < r.FirstNIC+uint32(r.NumNICs); nic++ {
			d.tryNIC(r, nic)
		}
	case agentTakes:
		d.arrive(w)
	case agentPosts:
		d.post(w)
	case takeFeedback:
		d.takeFeedback(r, w)
	case sendReply:
		d.queueReply(r, w)
	}
}

// takeMail processes feedback, or a packet that has been lost, from another block.
func (d *Doors) takeMail(f *core.FeedbackMail) {
	router := d.b.Hosts[d.b.Send.HostOf(int32(f.NIC))]
	w := work{at: f.At, kind: takeFeedback, nic: f.NIC, from: f.From, value: f.Value}
	if f.Lost != 0 {
		w.kind, w.packet = sendAgain, uint32(f.Lost)
		d.scheduleLost(router, w)
		return
	}
	d.schedule(router, w)
}
