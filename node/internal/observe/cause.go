package observe

import (
	"fabricast/internal/snapshot"
	"fabricast/node/internal/core"
)

// CauseKind is the kind of event for which a rank waits, or of what its software does.
type CauseKind uint8

// The kinds of causes.
const (
	CauseNone    CauseKind = iota
	CauseMessage           // an eager message or a put has arrived from Peer
	CauseRequest           // the request of a rendezvous has arrived from Peer; Size is that of its data
	CauseData              // the data of a rendezvous with Peer has arrived
	CauseFetch             // the rank's NIC has read a message to Peer from memory
	CauseMatch             // a synchronous send to Peer has met its receive
	CauseTimer             // a computation that started at From has ended; the rank did not wait for it at once
	CauseAccess            // a one-sided operation on memory of Peer is complete
	CauseTurn              // the NIC of the rank is ready for its next message; only with a Processor
	CausePolling           // tests and probes that failed
	CauseSend              // software of the send to Peer, or of the one-sided operation, that was called at From
)

// Cause says why a request completes when it does, and where that comes from. It explains the wait
// that the request ends.
type Cause struct {
	Kind CauseKind
	// Late: the receive was posted after the request of the rendezvous had arrived, so Via is the
	// time at which it was posted
	Late    bool
	Peer    int32 // world rank; -1 if there is none
	Tag     int32
	Context int32
	Size    int64 // bytes
	From    int64 // ps: when the send, the operation or the computation was called
	// Via is the time (ps) at which the receiver's NIC has answered the request of a rendezvous; for
	// CauseMatch that at which message and receive have met. 0: there was none.
	Via int64
	At  int64 // ps: when the request is complete
}

// Collective reports whether the cause belongs to a collective.
func (c *Cause) Collective() bool { return c.Context%core.ContextsOfEach == core.Collectives }

// Step is a period in which a rank does one thing, with its cause.
type Step struct {
	Span
	Cause Cause
	Noise int64 // ps: the last part of the period, in which the processor is taken by others
}

// Causes holds the causes of the requests of a block that are open, and of its unexpected messages.
type Causes struct {
	sends, receives causeList // by index of the request
	unexpected      causeList // by index of the message
	last            []Cause   // by slot: of the send that delays the end of a WaitAll most
	Arriving        Cause     // of the message that the block handles
}

// records reports whether causes are recorded. t may be nil.
func (t *BlockTracer) records() bool { return t != nil && t.Causes != nil }

// Opened stores the cause for which a request will complete. t may be nil, as in all methods of this
// file.
func (t *BlockTracer) Opened(id uint32, c Cause) {
	switch {
	case !t.records() || id == 0:
	case core.IsReceiveID(id):
		t.Causes.receives.set(core.IndexOf(id), &c)
	default:
		t.Causes.sends.set(core.IndexOf(id), &c)
	}
}

// Load prefetches the cause for which a request will complete.
func (t *BlockTracer) Load(id uint32) {
	switch {
	case !t.records():
	case core.IsReceiveID(id):
		t.Causes.receives.load(core.IndexOf(id))
	default:
		t.Causes.sends.load(core.IndexOf(id))
	}
}

// LoadUnexpected prefetches the cause of an unexpected message.
func (t *BlockTracer) LoadUnexpected(id uint32) {
	if t.records() {
		t.Causes.unexpected.load(id)
	}
}

// Sent stores the cause for which a send will complete, and makes the software time that follows
// that of the send. local: the message stays on its host.
func (t *BlockTracer) Sent(id uint32, e *core.Op, local bool) {
	if !t.records() {
		return
	}
	c := Cause{Kind: CauseFetch, Peer: e.Dst, Tag: e.Tag, Context: e.Context, Size: e.Size, From: e.Sent}
	if local || e.How == core.SynchronousMessage {
		c.Kind = CauseMatch
	}
	t.Opened(id, c)
	t.Calls(e)
}

// Accesses is like Sent for a one-sided operation.
func (t *BlockTracer) Accesses(id uint32, e *core.Op, n int64) {
	if !t.records() {
		return
	}
	t.Opened(id, Cause{Kind: CauseAccess, Peer: e.Dst, Tag: e.Tag, Context: e.Context, Size: n, From: e.Sent})
	t.Calls(e)
}

// Calls makes the software time that follows that of a send or an operation.
func (t *BlockTracer) Calls(e *core.Op) {
	if t.records() {
		t.Why = Cause{Kind: CauseSend, Peer: e.Dst, Tag: e.Tag, Context: e.Context, Size: e.Size, From: e.Sent}
	}
}

// Posts makes the software time that follows no part of a message's way: that of posting a receive, or
// of a send whose message has left.
func (t *BlockTracer) Posts() {
	if t.records() {
		t.Why = Cause{Peer: -1}
	}
}

// Polls makes the software time that follows that of tests and probes that fail.
func (t *BlockTracer) Polls() {
	if t.records() {
		t.Why = Cause{Kind: CausePolling, Peer: -1}
	}
}

// AwaitsTurn makes the wait that follows one for the rank's NIC.
func (t *BlockTracer) AwaitsTurn(at int64) {
	if t.records() {
		t.Why = Cause{Kind: CauseTurn, Peer: -1, At: at}
	}
}

// Completes makes the wait that follows end because a request is complete.
func (t *BlockTracer) Completes(id uint32, at int64) {
	if !t.records() {
		return
	}
	if core.IsReceiveID(id) {
		t.Why = t.Causes.receives.get(core.IndexOf(id))
	} else {
		t.Why = t.Causes.sends.get(core.IndexOf(id))
	}
	t.Why.At = at
}

// Delays records that a send is, of those that a WaitAll waits for, the last to complete so far.
func (t *BlockTracer) Delays(slot int32, id uint32, at int64) {
	if t.records() {
		t.Completes(id, at)
		t.Causes.last[slot] = t.Why
	}
}

// SendsComplete makes the wait that follows end because the last send is complete.
func (t *BlockTracer) SendsComplete(slot int32) {
	if t.records() {
		t.Why = t.Causes.last[slot]
	}
}

// Arrives makes a message from world rank source the one that the block handles.
func (t *BlockTracer) Arrives(c Cause) {
	if t.records() {
		t.Causes.Arriving = c
	}
}

// TakesArriving makes the wait that follows end because the message that the block handles has
// arrived.
func (t *BlockTracer) TakesArriving(at int64) {
	if t.records() {
		t.Why = t.Causes.Arriving
		t.Why.At = at
	}
}

// Meets makes the message that the block handles the cause for which a receive completes.
func (t *BlockTracer) Meets(index uint32) {
	if t.records() {
		t.Causes.receives.set(index, &t.Causes.Arriving)
	}
}

// Keeps stores the cause of the message that the block handles with an unexpected message.
func (t *BlockTracer) Keeps(id uint32) {
	if t.records() {
		t.Causes.unexpected.set(id, &t.Causes.Arriving)
	}
}

// Finds makes an unexpected message the one that the block handles.
func (t *BlockTracer) Finds(id uint32) {
	if t.records() {
		t.Causes.Arriving = t.Causes.unexpected.get(id)
	}
}

// Answered records that a rendezvous, or a synchronous send, has met its receive at time via (ps).
func (t *BlockTracer) Answered(id uint32, via int64, late bool) {
	if !t.records() || core.IsReceiveID(id) {
		return
	}
	if c := t.Causes.sends.at(core.IndexOf(id)); c != nil {
		c.Via, c.Late = via, late
	}
}

// NewCauses returns the causes of a block with the given number of ranks.
func NewCauses(ranks int) *Causes { return &Causes{last: make([]Cause, ranks)} }

// State saves or restores the causes of what is open.
func (c *Causes) State(v *snapshot.Visitor) {
	c.sends.state(v)
	c.receives.state(v)
	c.unexpected.state(v)
	snapshot.Values(v, c.last)
}
