package core

import (
	"fabricast/fabric/model"
	"fabricast/internal/snapshot"
)

// Base is what the parts of a block share: which routers it has, the present time and the event list,
// counters, messages, what it sends to other blocks, and the endpoint.
type Base struct {
	*Layout
	Index    int
	First    uint32 // its routers are first .. first+count-1
	Count    uint32
	own      Span // blocks of this process
	Endpoint model.Endpoint

	// the parts of the layout that the inner loop reads
	Routers Array[Router]
	Classes Array[LinkLayout]
	NumVCs  uint32
	Uneven  bool

	Counters Counters     // what it has done
	Events   EventWheel   // what is due when
	Messages MessageTable // that its hosts have sent
	Mail     Outbox       // for other blocks
	Ahead    Lookahead    // how long windows may be
	Active   []uint32     // routers of the current window, counted from the first
}

// Place gives a block its number and its routers. own are the blocks of this process.
func (b *Base) Place(l *Layout, index int, own Span, first, count uint32) {
	b.Layout, b.Index, b.own, b.First, b.Count = l, index, own, first, count
	b.Routers, b.Classes = ArrayOf(l.Routers), ArrayOf(l.classes)
	b.NumVCs, b.Uneven = l.NumVCs, l.Uneven
}

// Begin makes the parts of a block that runs. Its messages and its mail must be there.
func (b *Base) Begin(s *State) {
	b.Events = newEventWheel(b.Layout, s, b.First, b.Count)
	b.Ahead = Lookahead{
		Layout: b.Layout, messages: &b.Messages, mail: &b.Mail,
		Length: b.FullWindow, Longest: b.FullWindow,
	}
}

// Next returns the earliest window with an event in this block; math.MaxInt64 if there is none.
func (b *Base) Next() int64 { return b.Events.Calendar.next() }

// SetTimer makes the fabric call the endpoint's Wake for a host at the time `at` (ps). Unlike
// others, a host's timer may be set again before it is due. Its entry in the event list is valid only
// if the timer still has that time.
func (b *Base) SetTimer(host int32, at int64) {
	r := b.Routers.At(b.Hosts[host])
	b.Events.SetAgain(r, uint32(host)-r.FirstHost, at)
}

// StateAt goes over the timers of some routers.
func (b *Base) StateAt(v *snapshot.Visitor, x Extent) {
	for r := x.First; r < x.First+x.Count; r++ {
		s := b.Routers.At(r)
		snapshot.Value(v, &s.armed)
		snapshot.Value(v, &s.Far)
	}
	snapshot.Values(v, b.Events.Timers.Slice(x.timers, x.endTimers-x.timers))
	snapshot.Values(v, b.Events.armed.Slice(x.masks, x.endMasks-x.masks))
	for row := range uint32(Wheel) {
		snapshot.Values(v, b.Events.Due.Slice(row*b.Events.words+x.masks, x.endMasks-x.masks))
	}
}

// StateOf goes over what a block has besides its share of arrays and its messages.
func (b *Base) StateOf(v *snapshot.Visitor) {
	b.Counters.state(v)
	b.Events.state(v)
	b.Mail.state(v)
	b.Ahead.state(v)
}

// Release gives back a delivered message, or one that was not posted.
func (b *Base) Release(id model.MsgID) {
	owner, index := b.Messages.Owner(id)
	if owner == uint32(b.Index) {
		b.Messages.Reuse(index)
		return
	}
	if owner < b.own.First || owner >= b.own.End {
		*b.Messages.At(id) = model.Message{} // a copy, of which a checkpoint would not know that it is over
	}
	b.Mail.release(owner, index)
}

// PrefetchFrom is the size of a block's state (bytes) from which on what router activations use is
// prefetched. Prefetching takes a quarter to a third of the fast path's instructions, and pays only
// if the lines are in no near cache. On two cores of an AMD EPYC it costs a fifth to two fifths of
// the time up to 8 MB, and saves a fifth from 18 MB on (docs/performance.md).
const PrefetchFrom = 8 << 20
