package observe

import (
	"fabricast/internal/units"
	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
)

// Tracer receives the activities of ranks while they happen. Blocks call it in parallel; each
// passes its own index. It may change what it gets, which is valid until it returns.
type Tracer interface {
	Span(block int, s *Span)
	Message(block int, m *Sent)
	Step(block int, s *Step)
}

// Traced selects what a Tracer receives.
type Traced struct{ Spans, Messages, Steps bool }

// Span is a period that a rank spent in one state.
type Span struct {
	Rank       int32
	State      State
	Collective bool  // the span belongs to a message of a collective
	Tag        int32 // tag of that message
	// Step is the number of messages of the same collective call that the rank has received before;
	// -1 if there is no such call
	Step       int32
	Peer       int32 // world rank; -1 if there is none
	Begin, End units.Time
	// Continues: the rank continues to compute, and the block has reported nothing since its last
	// span of computation. This does not depend on which ranks share the block.
	Continues bool
}

// State is the activity of a rank.
type State uint8

// The states of ranks.
const (
	Computing       State = iota
	InLibrary             // software time of receives
	Sending               // software time of sends
	AwaitingMessage       // waiting for a message
	Awaiting              // in any other wait
)

// Sent is a message that has been delivered.
type Sent struct {
	Source, Dst         int32 // world ranks
	SourceHost, DstHost int32
	Tag                 int32
	Context             int32
	Size                units.Bytes // payload
	Class               uint8
	Sent, Delivered     units.Time
}

// Collective reports whether the message belongs to a collective.
func (m *Sent) Collective() bool { return m.Context%core.ContextsOfEach == core.Collectives }

// BlockTracer reports the activities of the ranks of a block to a Tracer.
type BlockTracer struct {
	Tracer Tracer
	Block  int
	World  *core.Shared
	Stages []Stage // by slot
	About  Span    // describes the message that is handled next
	Doing  State   // AwaitingMessage or Sending if About is set
	// Computes: the running rank has computed since it was resumed, and nothing has been reported
	// since.
	Computes bool
	// context of the message that delivered reports next; the program's own context unless set
	context int32
	Spans   bool    // spans are reported
	Causes  *Causes // nil unless steps are reported
	Why     Cause   // of the wait or the software time that is reported next

	// what is reported at present
	period  Span
	step    Step
	message Sent
}

// Stage is the progress of a rank in a collective.
type Stage struct {
	context, tag int32
	step         int32
	Within       bool
}

// handles records that the rank in a slot starts to handle a message with the given context, tag
// and peer.
func (t *BlockTracer) handles(slot, context, tag, peer int32) *Stage {
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

// Sends records that a rank starts to spend time on a send.
func (t *BlockTracer) Sends(slot, context, tag, dst int32) {
	t.handles(slot, context, tag, dst)
	t.Doing = Sending
}

// Receives records that a rank starts to wait for, and then spends time on, a message.
func (t *BlockTracer) Receives(q *core.ReceiveState) {
	peer := q.Source
	if peer >= 0 {
		peer = t.World.Communicators.WorldRank(q.Context, peer)
	}
	t.Takes(q.Slot(), q.Context, q.Tag, peer)
}

// Takes records that a rank's processor starts to wait for, and then spends time on, a message.
func (t *BlockTracer) Takes(slot, context, tag, peer int32) {
	t.handles(slot, context, tag, peer).step++
	t.Doing = AwaitingMessage
}

// Computed reports that the rank in a slot has computed from time begin (ps) to its clock, including
// d ps of work.
func (t *BlockTracer) Computed(r *core.Rank, slot int32, begin, d int64) {
	t.Stages[slot].Within = false
	t.About = Span{Peer: -1, Step: -1, Continues: t.Computes}
	t.Why = Cause{Peer: -1}
	t.span(r, Computing, begin, d)
	t.Computes = true
}

// Waited reports that a rank has waited from time begin (ps) to its clock, for something that took d
// ps.
func (t *BlockTracer) Waited(r *core.Rank, begin, d int64) {
	if t.Doing == AwaitingMessage {
		t.span(r, AwaitingMessage, begin, d)
		return
	}
	t.About = Span{Peer: -1, Step: -1}
	t.span(r, Awaiting, begin, d)
}

// Charged reports that a rank has spent time in the library from time begin (ps) to its clock,
// including d ps of work.
func (t *BlockTracer) Charged(r *core.Rank, begin, d int64) {
	state := InLibrary
	if t.Doing == Sending {
		state = Sending
	}
	t.span(r, state, begin, d)
	t.Doing, t.About = Awaiting, Span{Peer: -1, Step: -1}
	t.Why = Cause{Peer: -1}
}

// span reports the state of a rank from time begin (ps) to its clock. The processor is taken by
// others during what exceeds d ps.
func (t *BlockTracer) span(r *core.Rank, state State, begin, d int64) {
	if begin >= r.Clock {
		return
	}
	s := &t.About
	s.Rank, s.State, s.Begin, s.End = r.ID, state, units.Time(begin), units.Time(r.Clock)
	if t.Spans {
		t.period = *s
		t.Tracer.Span(t.Block, &t.period)
	}
	if t.Causes != nil {
		t.step.Span, t.step.Cause, t.step.Noise = *s, t.Why, r.Clock-begin-d
		t.Tracer.Step(t.Block, &t.step)
	}
	t.Computes = false
}

// delivered reports a delivered message.
func (t *BlockTracer) delivered(source, dst, tag int32, size, sent, delivered int64) {
	context := t.context
	t.context = core.Messages
	t.message = Sent{
		Source: source, Dst: dst, SourceHost: t.World.HostOf[source], DstHost: t.World.HostOf[dst],
		Tag: tag, Context: context, Size: units.Bytes(size), Sent: units.Time(sent),
		Class:     model.ClassOf(t.World.Spec.Classes, size),
		Delivered: units.Time(delivered),
	}
	t.Tracer.Message(t.Block, &t.message)
}
