package observe

import (
	"fabricast/internal/units"
	"fabricast/node/internal/core"
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
func (m *Sent) Collective() bool { return m.Context%core.ContextsOfEach == core.Collectives }

// BlockTracer is a block's part of a trace.
type BlockTracer struct {
	Tracer Tracer
	Block  int
	World  *core.Shared
	Stages []Stage // by slot
	About  Span    // what is known of the message that comes to be dealt with
	Doing  State   // AwaitingMessage or Sending if about is set
	// computes: the running rank has computed since it was resumed, and nothing has been reported
	// since
	Computes bool
	// context of the message that delivered reports next; the program's own context unless set
	context int32
}

// Stage is how far a rank is in a collective.
type Stage struct {
	context, tag int32
	step         int32
	Within       bool
}

// message records that the rank in a slot now deals with a message of a context, tag and peer.
func (t *BlockTracer) message(slot, context, tag, peer int32) *Stage {
	t.About = Span{Peer: peer, Step: -1}
	s := &t.Stages[slot]
	if context%core.ContextsOfEach != core.Collectives {
		s.Within = false
		return s
	}
	if !s.Within || s.context != context || s.tag != tag {
		*s = Stage{context: context, tag: tag, Within: true}
	}
	t.About.Collective, t.About.Tag, t.About.Step = true, tag, s.step
	return s
}

// Sends records that a rank now spends time on a send.
func (t *BlockTracer) Sends(slot, context, tag, dst int32) {
	t.message(slot, context, tag, dst)
	t.Doing = Sending
}

// Receives records that a rank now waits for a message, and then spends time on it.
func (t *BlockTracer) Receives(q *core.ReceiveState) {
	peer := q.Source
	if peer >= 0 {
		peer = t.World.Communicators.WorldRank(q.Context, peer)
	}
	t.Takes(q.Slot(), q.Context, q.Tag, peer)
}

// Takes records that a rank's processor now waits for a message, and then spends time on it.
func (t *BlockTracer) Takes(slot, context, tag, peer int32) {
	t.message(slot, context, tag, peer).step++
	t.Doing = AwaitingMessage
}

// Computed reports that the rank in a slot has computed since the time begin (ps).
func (t *BlockTracer) Computed(r *core.Rank, slot int32, begin int64) {
	t.Stages[slot].Within = false
	t.About = Span{Peer: -1, Step: -1, Continues: t.Computes}
	t.span(r, Computing, begin)
	t.Computes = true
}

// Waited reports that a rank has waited since the time begin (ps).
func (t *BlockTracer) Waited(r *core.Rank, begin int64) {
	if t.Doing == AwaitingMessage {
		t.span(r, AwaitingMessage, begin)
		return
	}
	t.About = Span{Peer: -1, Step: -1}
	t.span(r, Awaiting, begin)
}

// Charged reports that a rank has spent time in the library since the time begin (ps).
func (t *BlockTracer) Charged(r *core.Rank, begin int64) {
	state := InLibrary
	if t.Doing == Sending {
		state = Sending
	}
	t.span(r, state, begin)
	t.Doing, t.About = Awaiting, Span{Peer: -1, Step: -1}
}

// span reports what a rank has done from begin (ps) up to its clock.
func (t *BlockTracer) span(r *core.Rank, state State, begin int64) {
	if begin < r.Clock {
		s := t.About
		s.Rank, s.State, s.Begin, s.End = r.ID, state, units.Time(begin), units.Time(r.Clock)
		t.Tracer.Span(t.Block, &s)
		t.Computes = false
	}
}

// delivered reports a delivered message.
func (t *BlockTracer) delivered(source, dst, tag int32, size, sent, delivered int64) {
	context := t.context
	t.context = core.Messages
	t.Tracer.Message(t.Block, &Sent{
		Source: source, Dst: dst, SourceHost: t.World.HostOf[source], DstHost: t.World.HostOf[dst],
		Tag: tag, Context: context, Size: units.Bytes(size), Sent: units.Time(sent),
		Delivered: units.Time(delivered),
	})
}
