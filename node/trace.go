package node

import (
	"fabricast/internal/units"
)

// Tracer receives what ranks do while they do it. Blocks call it in parallel, each with its own
// number.
type Tracer interface {
	Span(block int, s *Span)
	Message(block int, m *Sent)
}

// Span is a period that a rank spent in a state.
type Span struct {
	Rank       int32
	State      State
	Collective bool  // in a message of a collective
	Tag        int32 // of that message
	// number of messages of the same call of the collective that the rank has received before; -1
	// if there is none
	Step       int32
	Peer       int32 // world rank; -1 if there is none
	Begin, End units.Time
	// Continues: the rank goes on computing, and the block has reported nothing since its last span
	// of computation. It does not depend on which ranks share the block.
	Continues bool
}

// State is what a rank does.
type State uint8

// The states of ranks.
const (
	Computing       State = iota
	InLibrary             // software time of receives
	Sending               // software time of sends
	AwaitingMessage       // in a wait for a message
	Awaiting              // in any other wait
)

// Sent is a message that has been delivered.
type Sent struct {
	Source, Dst         int32 // world ranks
	SourceHost, DstHost int32
	Tag                 int32
	Context             int32
	Size                units.Bytes // payload
	Sent, Delivered     units.Time
}

// Collective reports whether the message belongs to a collective.
func (m *Sent) Collective() bool { return m.Context%contextsOfEach == Collectives }

// tracer is a block's part of a trace.
type tracer struct {
	tracer Tracer
	block  int
	world  *shared
	stages []stage // by slot
	about  Span    // what is known of the message that comes to be dealt with
	doing  State   // AwaitingMessage or Sending if about is set
	// computes: the running rank has computed since it was resumed, and nothing has been reported
	// since
	computes bool
	// context of the message that delivered reports next; the program's own context unless set
	context int32
}

// stage is how far a rank is in a collective.
type stage struct {
	context, tag int32
	step         int32
	within       bool
}

// message records that the rank in a slot now deals with a message of a context, tag and peer.
func (t *tracer) message(slot, context, tag, peer int32) *stage {
	t.about = Span{Peer: peer, Step: -1}
	s := &t.stages[slot]
	if context%contextsOfEach != Collectives {
		s.within = false
		return s
	}
	if !s.within || s.context != context || s.tag != tag {
		*s = stage{context: context, tag: tag, within: true}
	}
	t.about.Collective, t.about.Tag, t.about.Step = true, tag, s.step
	return s
}

// sends records that a rank now spends time on a send.
func (t *tracer) sends(slot, context, tag, dst int32) {
	t.message(slot, context, tag, dst)
	t.doing = Sending
}

// receives records that a rank now waits for a message, and then spends time on it.
func (t *tracer) receives(q *receive) {
	peer := q.source
	if peer >= 0 {
		peer = t.world.communicators.worldRank(q.context, peer)
	}
	t.takes(q.slot(), q.context, q.tag, peer)
}

// takes records that a rank's processor now waits for a message, and then spends time on it.
func (t *tracer) takes(slot, context, tag, peer int32) {
	t.message(slot, context, tag, peer).step++
	t.doing = AwaitingMessage
}

// computed reports that the rank in a slot has computed since the time begin (ps).
func (t *tracer) computed(r *rank, slot int32, begin int64) {
	t.stages[slot].within = false
	t.about = Span{Peer: -1, Step: -1, Continues: t.computes}
	t.span(r, Computing, begin)
	t.computes = true
}

// waited reports that a rank has waited since the time begin (ps).
func (t *tracer) waited(r *rank, begin int64) {
	if t.doing == AwaitingMessage {
		t.span(r, AwaitingMessage, begin)
		return
	}
	t.about = Span{Peer: -1, Step: -1}
	t.span(r, Awaiting, begin)
}

// charged reports that a rank has spent time in the library since the time begin (ps).
func (t *tracer) charged(r *rank, begin int64) {
	state := InLibrary
	if t.doing == Sending {
		state = Sending
	}
	t.span(r, state, begin)
	t.doing, t.about = Awaiting, Span{Peer: -1, Step: -1}
}

// span reports what a rank has done from begin (ps) up to its clock.
func (t *tracer) span(r *rank, state State, begin int64) {
	if begin < r.clock {
		s := t.about
		s.Rank, s.State, s.Begin, s.End = r.id, state, units.Time(begin), units.Time(r.clock)
		t.tracer.Span(t.block, &s)
		t.computes = false
	}
}

// delivered reports a delivered message.
func (t *tracer) delivered(source, dst, tag int32, size, sent, delivered int64) {
	context := t.context
	t.context = Messages
	t.tracer.Message(t.block, &Sent{
		Source: source, Dst: dst, SourceHost: t.world.hostOf[source], DstHost: t.world.hostOf[dst],
		Tag: tag, Context: context, Size: units.Bytes(size), Sent: units.Time(sent),
		Delivered: units.Time(delivered),
	})
}
