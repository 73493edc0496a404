package fabric

import "fabricast/internal/snapshot"

// base is what the parts of a block share: which routers it has, the present time and the event list,
// counters, messages, what it sends to other blocks, and the endpoint.
type base struct {
	*layout
	index    int
	first    uint32 // its routers are first .. first+count-1
	count    uint32
	own      span // blocks of this process
	endpoint Endpoint

	// the parts of the layout that the inner loop reads
	routers array[routerState]
	classes array[linkLayout]
	vcs     uint32
	uneven  bool

	counters counters     // what it has done
	events   eventWheel   // what is due when
	messages messageTable // that its hosts have sent
	mail     outbox       // for other blocks
	ahead    lookahead    // how long windows may be
	active   []uint32     // routers of the current window, counted from the first
}

// place gives a block its number and its routers. own are the blocks of this process.
func (b *base) place(l *layout, index int, own span, first, count uint32) {
	b.layout, b.index, b.own, b.first, b.count = l, index, own, first, count
	b.routers, b.classes = arrayOf(l.routers), arrayOf(l.classes)
	b.vcs, b.uneven = l.vcs, l.uneven
}

// begin makes the parts of a block that runs. Its messages and its mail must be there.
func (b *base) begin(s *state) {
	b.events = newEventWheel(b.layout, s, b.first, b.count)
	b.ahead = lookahead{
		layout: b.layout, messages: &b.messages, mail: &b.mail,
		length: b.fullWindow, longest: b.fullWindow,
	}
}

// next returns the earliest window with an event in this block, or in a block to which this one has
// just sent something. It returns math.MaxInt64 if there is none.
func (b *base) next() int64 {
	return min(b.events.calendar.next(), b.mail.earliest(b.events.calendar.length))
}

// setTimer makes the fabric call the endpoint's Wake for a host at the time `at` (ps). Unlike
// others, a host's timer may be set again before it is due. Its entry in the agenda is valid only
// if the timer still has that time.
func (b *base) setTimer(host int32, at int64) {
	r := b.routers.at(b.hosts[host])
	b.events.setAgain(r, uint32(host)-r.hosts, at)
}

// stateAt goes over the timers of some routers.
func (b *base) stateAt(v *snapshot.Visitor, x extent) {
	for r := x.first; r < x.first+x.count; r++ {
		s := b.routers.at(r)
		snapshot.Value(v, &s.armed)
		snapshot.Value(v, &s.far)
	}
	snapshot.Values(v, b.events.timers.slice(x.timers, x.endTimers-x.timers))
	snapshot.Values(v, b.events.armed.slice(x.masks, x.endMasks-x.masks))
	for row := range uint32(wheel) {
		snapshot.Values(v, b.events.due.slice(row*b.events.words+x.masks, x.endMasks-x.masks))
	}
}

// stateOf goes over what a block has besides its share of arrays and its messages.
func (b *base) stateOf(v *snapshot.Visitor) {
	b.counters.state(v)
	b.events.state(v)
	b.mail.state(v)
	b.ahead.state(v)
}

// release gives back a delivered message, or one that was not posted.
func (b *base) release(id MsgID) {
	owner, index := b.messages.owner(id)
	if owner == uint32(b.index) {
		b.messages.reuse(index)
		return
	}
	if owner < b.own.first || owner >= b.own.end {
		*b.messages.at(id) = Message{} // a copy, of which a checkpoint would not know that it is over
	}
	b.mail.release(owner, index)
}
