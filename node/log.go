package node

import "fabricast/internal/units"

// Log receives, in order, everything that one rank's program does that affects its messages and
// their times. A wait is reported by the request that ended it. A successful test is reported as a
// wait for its request; a failed one as software time. Reports come before the rank's clock
// advances. The exception is a wait that an arrival ended: there the clock is at the start of the
// charge that follows.
type Log interface {
	Computed(d int64) // it has computed, for d ps of work
	// it has spent d ps of software time other than for sends, receives and probes
	Spent(d int64)
	Sent(q Request, m *Outgoing) // it has started a send
	// it has started a get or a put; q is 0 for a put that is never waited for
	Accessed(q Request, get bool, m *Outgoing)
	// it has posted a receive; the source is in the communicator's numbering
	Posted(q Request, source, tag, context int32)
	Cancelled(q Request)               // it has taken a receive back
	Timed(q Request, d int64)          // it has started a timer of d ps of work
	Waited(q ...Request)               // it has waited for requests, and given them back
	Received(m *Incoming)              // one of the receives that it waits for is complete
	Entered()                          // it begins a collective
	Probed(source, tag, context int32) // it has waited until a message was there
	Skipped(what string)               // it has done something else
}

// Outgoing is a message that is sent.
type Outgoing struct {
	Dst     int32 // world rank
	Tag     int32
	Context int32
	Size    units.Bytes // bytes
	Options Options
}

// Incoming is a message that has been received.
type Incoming struct {
	Source  int32 // in the numbering of the context's communicator
	Tag     int32
	Context int32
	Size    units.Bytes // bytes
}

// logs holds the Logs of a block's ranks.
type logs struct {
	world   *shared
	by      []Log // by slot; nil if nobody has ever been told
	waited  []Request
	options Options // of the message that is being sent
}

// of returns the Log of the rank in a slot; nil if it has none.
func (g *logs) of(slot int32) Log {
	if g.by == nil {
		return nil
	}
	return g.by[slot]
}

// ofRank returns the Log of a rank; nil if it has none.
func (g *logs) ofRank(r *rank) Log {
	if g.by == nil {
		return nil
	}
	return g.by[g.world.slot(r.id)]
}

// sent reports a send that has just been emitted.
func (g *logs) sent(slot int32, q uint32, e *op) {
	if l := g.of(slot); l != nil {
		l.Sent(
			Request{q},
			&Outgoing{Dst: e.dst, Tag: e.tag, Context: e.context, Size: units.Bytes(e.size), Options: g.options},
		)
	}
	g.options = Options{}
}

// accessed reports a put or a get.
func (g *logs) accessed(slot int32, q uint32, get bool, a *Access, n int64, tag, context int32) {
	if l := g.of(slot); l != nil {
		l.Accessed(
			Request{q}, get,
			&Outgoing{Dst: a.Rank, Tag: tag, Context: context, Size: units.Bytes(n), Options: a.Options},
		)
	}
}

// waitedAll reports a WaitAll. It copies the requests, so that they do not escape to the heap where
// no Log is set.
func (g *logs) waitedAll(slot int32, requests []Request) {
	g.waited = append(g.waited[:0], requests...)
	if l := g.of(slot); l != nil {
		l.Waited(g.waited...)
	}
}

// waitedFor reports a request that a rank has waited for.
func (g *logs) waitedFor(r *rank, id uint32) {
	if l := g.ofRank(r); l != nil {
		l.Waited(Request{id})
	}
}

// received reports a receive that is complete and waited for.
func (g *logs) received(r *rank, q *receive, size int64) {
	if l := g.ofRank(r); l != nil {
		l.Received(&Incoming{Source: q.source, Tag: q.tag, Context: q.context, Size: units.Bytes(size)})
	}
}

// spent reports software time (ps).
func (g *logs) spent(r *rank, d int64) {
	if l := g.ofRank(r); l != nil && d > 0 {
		l.Spent(d)
	}
}

// probed reports a message that a rank's probe or iprobe has found.
func (g *logs) probed(r *rank, pattern Envelope) {
	if l := g.ofRank(r); l != nil {
		l.Probed(pattern.Source, pattern.Tag, r.probe)
	}
}
