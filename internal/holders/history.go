package holders

import (
	"sort"

	"fabricast/internal/causes"
)

// step is a hop that has been processed.
type step struct {
	ready, asked, start, leave int64
	flits                      int64
	self                       *holder
	freed                      int64   // flits that have left its buffer, including it
	queue                      queue   // behind what it waited first
	pieces                     []piece // what it is charged with then, up to start
	class                      int32   // in which it has come; -1 without payload (Packets)
}

// holder is a Holder to which pieces refer. It refers to nothing, so that steps can be forgotten.
type holder struct {
	Holder
	counted int64 // by Finder.count
	at      int   // its index in what is counted
}

// queue is a wait behind others in a buffer. What the packets are charged with that are ahead of it is not copied
// for each that is behind.
type queue struct {
	buffer *buffer // nil: there is no such wait
	until  int64   // ps
	part   causes.Part
}

// piece is what a packet is charged with up to a time (ps), from the end of the piece before. part is
// causes.Count if it is no wait.
type piece struct {
	until  int64
	holder *holder
	part   causes.Part
}

// add charges a holder up to a time (ps).
func add(list []piece, until int64, part causes.Part, h *holder) []piece {
	if n := len(list); n > 0 && list[n-1].part == part {
		if last := &list[n-1]; last.holder == h || last.holder.Holder == h.Holder {
			last.until = max(last.until, until)
			return list
		}
	}
	return append(list, piece{until, h, part})
}

// during adds what a packet is charged with in a period to a list, as a wait of another kind. Before it may
// start from its buffer, and while it leaves, it is the holder itself.
func (s *step) during(list []piece, from, to, later int64, part causes.Part) []piece {
	if from < s.ready {
		list = add(list, min(to, s.ready)+later, part, s.self)
		from = s.ready
	}
	if end := min(to, s.queue.until); s.queue.buffer != nil && from < end {
		list = s.queue.buffer.ahead(list, from, end, later, part)
		from = end
	}
	first := sort.Search(len(s.pieces), func(i int) bool { return s.pieces[i].until > from })
	for begin := from; first < len(s.pieces) && begin < to; first++ {
		p := &s.pieces[first]
		begin = p.until
		list = add(list, min(to, p.until)+later, part, p.holder)
	}
	if to > s.start {
		list = add(list, to+later, part, s.self)
	}
	return list
}

// ahead adds what the packets are charged with that leave the buffer one after another in a period, to a list.
func (b *buffer) ahead(list []piece, from, to, later int64, part causes.Part) []piece {
	first := sort.Search(len(b.gone), func(i int) bool { return b.gone[i].leave > from })
	for ; first < len(b.gone) && from < to; first++ {
		g := b.gone[first]
		end := min(g.leave, to)
		list = g.during(list, from, end, later, part)
		from = end
	}
	return list
}

// server is something that one packet passes at a time. They are in the order in which they start, and leave.
type server struct{ passed []*step }

// at returns the packet that is passing at a time (ps); nil if there is none.
func (v *server) at(t int64) *step {
	i := sort.Search(len(v.passed), func(i int) bool { return v.passed[i].leave > t })
	if i < len(v.passed) && v.passed[i].start <= t {
		return v.passed[i]
	}
	return nil
}

// next returns the first packet that starts to pass after a time (ps); nil if there is none.
func (v *server) next(t int64) *step {
	i := sort.Search(len(v.passed), func(i int) bool { return v.passed[i].start > t })
	if i < len(v.passed) {
		return v.passed[i]
	}
	return nil
}

// buffer is the buffer of one VC.
type buffer struct {
	capacity int64   // flits
	latency  int64   // time that its credit takes (ps)
	entries  []entry // in the order in which they start; all that may be referred to
	entered  int64   // flits of all packets that have entered
	gone     []*step // that have left, and may be referred to; always the last
	left     int64   // flits of all packets that have left
	lost     int64   // flits of those that have left and are forgotten
}

// entry is a packet that has started toward a buffer.
type entry struct {
	step   *step
	before int64 // flits that had entered before
}

// enter records a packet that starts toward the buffer.
func (b *buffer) enter(s *step) {
	b.entries = append(b.entries, entry{step: s, before: b.entered})
	b.entered += s.flits
}

// leave records a packet that leaves the buffer.
func (b *buffer) leave(s *step) {
	b.left += s.flits
	s.freed = b.left
	b.gone = append(b.gone, s)
}

// after returns the first packet that starts toward the buffer after a time (ps), or nil, and the flits that
// had entered before.
func (b *buffer) after(t int64) (next *step, entered int64) {
	i := sort.Search(len(b.entries), func(i int) bool { return b.entries[i].step.start > t })
	if i < len(b.entries) {
		return b.entries[i].step, b.entries[i].before
	}
	return nil, b.entered
}

// enables returns the packet whose departure makes enough space for a packet that needs some flits when
// others have entered; nil if there was always enough, or if it is forgotten.
func (b *buffer) enables(entered int64, needs int32) *step {
	least := entered + int64(needs) - b.capacity
	if least <= b.lost {
		return nil
	}
	i := sort.Search(len(b.gone), func(i int) bool { return b.gone[i].freed >= least })
	if i < len(b.gone) {
		return b.gone[i]
	}
	return nil
}
