package core

import (
	"fabricast/fabric/model"
	"fabricast/internal/snapshot"
)

// Base holds the data that the parts of a block share: its routers, the current time and the event
// list, counters, messages, mail to other blocks, and the endpoint.
type Base struct {
	*Layout
	Index    int
	First    uint32 // its routers are First to First+Count-1
	Count    uint32
	own      Span // blocks of this process
	Endpoint model.Endpoint

	// fields of the layout that the inner loop reads
	Routers Array[Router]
	Classes Array[LinkLayout]
	NumVCs  uint32
	Uneven  bool

	Counters Counters     // statistics
	Events   EventWheel   // timers
	Messages MessageTable // messages that its hosts have sent
	Mail     Outbox       // data for other blocks
	Ahead    Lookahead    // limits the window length
	Active   []uint32     // routers of the current window, relative to First
}

// Place gives a block its index and its routers. own are the blocks of this process.
func (b *Base) Place(l *Layout, index int, own Span, first, count uint32) {
	b.Layout, b.Index, b.own, b.First, b.Count = l, index, own, first, count
	b.Routers, b.Classes = ArrayOf(l.Routers), ArrayOf(l.classes)
	b.NumVCs, b.Uneven = l.NumVCs, l.Uneven
}

// Begin creates the parts that a block needs to run. Its messages and its mail must already exist.
func (b *Base) Begin(s *State) {
	b.Events = newEventWheel(b.Layout, s, b.First, b.Count)
	b.Ahead = Lookahead{
		Layout: b.Layout, messages: &b.Messages, mail: &b.Mail,
		Length: b.FullWindow, Longest: b.FullWindow,
	}
}

// Next returns the earliest window with an event in this block; math.MaxInt64 if there is none.
func (b *Base) Next() int64 { return b.Events.Calendar.next() }

// SetTimer makes the fabric call the endpoint's Wake for a host at the time `at` (ps). Unlike other
// timers, a host's timer may be set again before it is due. Its entry in the event list is valid
// only if the timer still has that time.
func (b *Base) SetTimer(host int32, at int64) {
	r := b.Routers.At(b.Hosts[host])
	b.Events.SetAgain(r, uint32(host)-r.FirstHost, at)
}

// StateAt visits the timers of some routers.
func (b *Base) StateAt(v *snapshot.Visitor, x Extent) {
	for r := x.First; r < x.First+x.Count; r++ {
		s := b.Routers.At(r)
		snapshot.Value(v, &s.armed)
		snapshot.Value(v, &s.Far)
		snapshot.Value(v, &s.Streams)
	}
	snapshot.Values(v, b.Events.Timers.Slice(x.timers, x.endTimers-x.timers))
	snapshot.Values(v, b.Events.armed.Slice(x.masks, x.endMasks-x.masks))
	for row := range uint32(Wheel) {
		snapshot.Values(v, b.Events.Due.Slice(row*b.Events.words+x.masks, x.endMasks-x.masks))
	}
}

// StateOf visits the state of a block except for its share of the common arrays and its messages.
func (b *Base) StateOf(v *snapshot.Visitor) {
	b.Counters.state(v)
	b.Events.state(v)
	b.Mail.state(v)
	b.Ahead.state(v)
}

// Release returns a delivered message, or one that was not posted, for reuse.
func (b *Base) Release(id model.MsgID) {
	owner, index := b.Messages.Owner(id)
	if owner == uint32(b.Index) {
		b.Messages.Reuse(index)
		return
	}
	if owner < b.own.First || owner >= b.own.End {
		*b.Messages.At(id) = model.Message{} // clear the copy, since a checkpoint would not know that the message is complete
	}
	b.Mail.release(owner, index)
}

// PrefetchFrom is the size of a block's state, in bytes, from which on data for router activations
// is prefetched. Prefetching takes a quarter to a third of the fast path's instructions, and pays
// only if the cache lines are not in a near cache. On two cores of an AMD EPYC, it increases the
// run time by a fifth to two fifths up to 8 MB, and saves a fifth from 18 MB on
// (docs/performance.md).
const PrefetchFrom = 8 << 20
