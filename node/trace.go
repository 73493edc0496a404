package node

// Tracer is told what ranks do while they do it. Blocks call it in parallel, each with its
// number, that of its part of the network.
type Tracer interface {
	Span(block int, s *Span)
	Message(block int, m *Sent)
}

// Span is a time that a rank spent in a state.
type Span struct {
	Rank       int32
	State      State
	Collective bool  // in a message of a collective
	Tag        int32 // of that message
	Step       int32 // how many messages of that call of the collective the rank has received before; -1 if there is none
	Peer       int32 // world rank; -1 if there is none
	Begin, End int64 // ps
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
	Source, Dst           int32 // world ranks
	SourceHost, DstHost   int32
	Tag                   int32
	Context               int32
	Size, Sent, Delivered int64 // bytes; ps
}

// Collective tells whether the message belongs to a collective.
func (m *Sent) Collective() bool { return m.Context%contextsOfEach == Collectives }

// Trace has a tracer told what ranks do, and of messages; before any block starts.
func (w *World) Trace(t Tracer, spans, messages bool) {
	for i, b := range w.blocks {
		x := &tracer{tracer: t, block: i, host: w.hostOf, doing: Awaiting, about: Span{Peer: -1, Step: -1}}
		if spans {
			x.stages = make([]stage, len(b.ranks))
			b.tracer = x
		}
		if messages {
			b.stats.tracer = x
		}
	}
}

// tracer is a block's part of a trace.
type tracer struct {
	tracer Tracer
	block  int
	host   []int32 // by world rank
	stages []stage // by slot
	about  Span    // what is known of the message that comes to be dealt with
	doing  State   // AwaitingMessage or Sending if about is set
	// context is that of the message of which delivered is told next; that of the program's own unless it is set.
	context int32
}

// stage is where a rank is in a collective.
type stage struct {
	context, tag int32
	step         int32
	within       bool
}

// message notes that the rank in a slot deals with a message of a context, tag and peer next.
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

// Enter tells that the rank begins a collective: its messages are the first ones of it, though those before may have been
// of the same kind.
func (o *Ops) Enter() {
	if t := o.block.tracer; t != nil {
		t.stages[o.slot].within = false
	}
}

// sends notes that a rank is going to spend time on a send.
func (t *tracer) sends(slot, context, tag, dst int32) {
	t.message(slot, context, tag, dst)
	t.doing = Sending
}

// receives notes that a rank is going to wait for a message, and then to spend time on it.
func (t *tracer) receives(b *Block, q *receive) {
	peer := q.source
	if peer >= 0 {
		peer = b.world.worldRank(q.context, peer)
	}
	t.message(q.slot(), q.context, q.tag, peer).step++
	t.doing = AwaitingMessage
}

// computed tells that the rank in a slot has computed from a time on.
func (t *tracer) computed(r *rank, slot int32, begin int64) {
	t.stages[slot].within = false
	t.about = Span{Peer: -1, Step: -1}
	t.span(r, Computing, begin)
}

// waited tells that a rank has waited from a time on.
func (t *tracer) waited(r *rank, begin int64) {
	if t.doing == AwaitingMessage {
		t.span(r, AwaitingMessage, begin)
		return
	}
	t.about = Span{Peer: -1, Step: -1}
	t.span(r, Awaiting, begin)
}

// charged tells that a rank has spent time in the library from a time on.
func (t *tracer) charged(r *rank, begin int64) {
	state := InLibrary
	if t.doing == Sending {
		state = Sending
	}
	t.span(r, state, begin)
	t.doing, t.about = Awaiting, Span{Peer: -1, Step: -1}
}

// span tells what a rank has just done up to its clock.
func (t *tracer) span(r *rank, state State, begin int64) {
	if begin < r.clock {
		s := t.about
		s.Rank, s.State, s.Begin, s.End = r.id, state, begin, r.clock
		t.tracer.Span(t.block, &s)
	}
}

// in sets the context of a message of which delivered is told next.
func (t *tally) in(context int32) {
	if t.tracer != nil {
		t.tracer.context = context
	}
}

// delivered tells of a message.
func (t *tracer) delivered(source, dst, tag int32, size, sent, delivered int64) {
	context := t.context
	t.context = Messages
	t.tracer.Message(t.block, &Sent{
		Source: source, Dst: dst, SourceHost: t.host[source], DstHost: t.host[dst],
		Tag: tag, Context: context, Size: size, Sent: sent, Delivered: delivered,
	})
}
