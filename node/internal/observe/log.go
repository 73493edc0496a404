package observe

import (
	"fabricast/internal/units"
	"fabricast/node/internal/core"
	"fabricast/node/internal/model"
)

// Log receives, in order, everything that one rank's program does that affects its messages and
// their times. A wait is reported with the request that ended it. A successful test is reported as
// a wait for its request; a failed one as software time. Reports are made before the rank's clock
// advances. The exception is a wait that an arrival has ended: there the clock is at the start of
// the charge that follows.
type Log interface {
	Computed(d int64) // the rank has computed for d ps
	// Spent: the rank has spent d ps of software time, other than for sends, receives and probes.
	Spent(d int64)
	Sent(q model.Request, m *Outgoing) // the rank has started a send
	// Accessed: the rank has started a get or a put. q is 0 for a put without a request.
	Accessed(q model.Request, get bool, m *Outgoing)
	// Posted: the rank has posted a receive. source is a rank of the context's communicator.
	Posted(q model.Request, source, tag, context int32)
	Cancelled(q model.Request)         // the rank has canceled a receive
	Timed(q model.Request, d int64)    // the rank has started a timer of d ps of work
	Waited(q ...model.Request)         // the rank has waited for requests and freed them
	Received(m *Incoming)              // one of the receives that the rank waits for is complete
	Entered()                          // the rank has started a collective
	Probed(source, tag, context int32) // the rank has waited until a matching message had arrived
	Skipped(what string)               // the rank has done something else
}

// Outgoing is a message that is being sent.
type Outgoing struct {
	Dst     int32 // world rank
	Tag     int32
	Context int32
	Size    units.Bytes // bytes
	Options model.Options
}

// Incoming is a message that has been received.
type Incoming struct {
	Source  int32 // rank of the context's communicator
	Tag     int32
	Context int32
	Size    units.Bytes // bytes
}

// Logs holds the Logs of a block's ranks.
type Logs struct {
	World   *core.Shared
	By      []Log // by slot; nil if no Log has ever been set
	waited  []model.Request
	Options model.Options // options of the message that is being sent
}

// Of returns the Log of the rank in a slot; nil if it has none.
func (g *Logs) Of(slot int32) Log {
	if g.By == nil {
		return nil
	}
	return g.By[slot]
}

// ofRank returns the Log of a rank; nil if it has none.
func (g *Logs) ofRank(r *core.Rank) Log {
	if g.By == nil {
		return nil
	}
	return g.By[g.World.Slot(r.ID)]
}

// Sent reports a send that has just been emitted.
func (g *Logs) Sent(slot int32, q uint32, e *core.Op) {
	if l := g.Of(slot); l != nil {
		l.Sent(
			model.Request{ID: q},
			&Outgoing{Dst: e.Dst, Tag: e.Tag, Context: e.Context, Size: units.Bytes(e.Size), Options: g.Options},
		)
	}
	g.Options = model.Options{}
}

// Accessed reports a put or a get.
func (g *Logs) Accessed(slot int32, q uint32, get bool, a *core.Access, n int64, tag, context int32) {
	if l := g.Of(slot); l != nil {
		l.Accessed(
			model.Request{ID: q}, get,
			&Outgoing{Dst: a.Rank, Tag: tag, Context: context, Size: units.Bytes(n), Options: a.Options},
		)
	}
}

// WaitedAll reports a WaitAll. It copies the requests, so that they do not escape to the heap if no
// Log is set.
func (g *Logs) WaitedAll(slot int32, requests []model.Request) {
	g.waited = append(g.waited[:0], requests...)
	if l := g.Of(slot); l != nil {
		l.Waited(g.waited...)
	}
}

// WaitedFor reports a request that a rank has waited for.
func (g *Logs) WaitedFor(r *core.Rank, id uint32) {
	if l := g.ofRank(r); l != nil {
		l.Waited(model.Request{ID: id})
	}
}

// Received reports a completed receive that has been waited for.
func (g *Logs) Received(r *core.Rank, q *core.ReceiveState, size int64) {
	if l := g.ofRank(r); l != nil {
		l.Received(&Incoming{Source: q.Source, Tag: q.Tag, Context: q.Context, Size: units.Bytes(size)})
	}
}

// Spent reports software time (ps).
func (g *Logs) Spent(r *core.Rank, d int64) {
	if l := g.ofRank(r); l != nil && d > 0 {
		l.Spent(d)
	}
}

// Probed reports a message that a rank's probe or iprobe has found.
func (g *Logs) Probed(r *core.Rank, pattern model.Envelope) {
	if l := g.ofRank(r); l != nil {
		l.Probed(pattern.Source, pattern.Tag, r.Probe)
	}
}
