package node

import (
	"fabricast/fabric"
	"fabricast/internal/snapshot"
	"fabricast/internal/units"
)

// Stats returns the sums over all blocks. No block may be running.
func (w *World) Stats() *Stats {
	s := &Stats{Ranks: len(w.shared.hostOf)}
	for _, b := range w.blocks.all() {
		s.Messages += b.stats.messages
		s.Bytes += units.Bytes(b.stats.bytes)
		s.Looks += b.stats.looks
		s.Hash[0] += b.stats.hash[0]
		s.Hash[1] += b.stats.hash[1]
		s.addLatencies(&b.stats.latency)
		s.Finished += int(b.programs.finished.Load())
		for i := range b.ranks {
			r := &b.ranks[i]
			s.End = units.Time(max(int64(s.End), r.clock))
			for id := range b.matching.unexpectedOf(r) {
				u := b.matching.unexpected.at(id)
				if ofPuts(u.context) {
					continue // it is complete, whether its rank polls for it or not
				}
				if s.Unmet++; s.Stray == nil || s.Stray.Destination > int(r.id) {
					s.Stray = &Stray{
						Source:      int(u.source),
						Destination: int(r.id),
						Tag:         int(u.tag),
						Size:        units.Bytes(u.size),
						Collective:  u.context%contextsOfEach == Collectives,
					}
				}
			}
		}
	}
	if w.elsewhere != nil {
		for i := range w.elsewhere.stats {
			s.add(&w.elsewhere.stats[i])
		}
	}
	return s
}

// Record returns what a rank did. No block may be running.
func (w *World) Record(id int) RankRecord {
	b, r := w.locate(int32(id))
	if r == nil && w.elsewhere != nil && w.elsewhere.records != nil {
		return w.elsewhere.records[id]
	}
	if r == nil {
		return RankRecord{Rank: id, Host: int(w.shared.hostOf[id])}
	}
	record := recordOf(r)
	if b.times.by != nil {
		w := b.times.by[b.shared.slot(r.id)]
		record.Network, record.Serialization = units.Time(w.network), units.Time(w.serialization)
		record.NetworkWaits = int64(w.messages)
	}
	return record
}

// Log makes l receive what the rank's program does from now on. It returns a function that returns
// the rank's clock (ps), to be called from l's methods or after the run.
func (o *Ops) Log(l Log) (clock func() int64) {
	r := o.rank
	o.block.log(o.slot, l)
	return func() int64 { return r.clock }
}

// Logs makes the Logs that of returns, if not nil, receive what the programs of this process's ranks do
// from now on. clock returns the clock of the rank. No block may be running.
func (w *World) Logs(of func(rank int, clock func() int64) Log) {
	for _, b := range w.blocks.all() {
		for slot := range b.ranks {
			r := &b.ranks[slot]
			if l := of(int(r.id), func() int64 { return r.clock }); l != nil {
				b.log(int32(slot), l)
			}
		}
	}
}

func (b *Block) log(slot int32, l Log) {
	if b.logs.by == nil {
		b.logs.by = make([]Log, len(b.ranks))
	}
	b.logs.by[slot] = l
}

// Trace makes a Tracer receive the spans of ranks, the messages, or both. Call it before any block
// starts.
func (w *World) Trace(t Tracer, spans, messages bool) {
	for i, b := range w.blocks.all() {
		x := &tracer{tracer: t, block: i, world: &w.shared, doing: Awaiting, about: Span{Peer: -1, Step: -1}}
		if spans {
			x.stages = make([]stage, len(b.ranks))
			b.clocks.tracer = x
		}
		if messages {
			b.stats.tracer = x
		}
	}
}

// Enter reports that the rank begins a collective. Its next messages are the first ones of this
// call, even if earlier messages were of the same collective.
func (o *Ops) Enter() {
	if o.journal != nil && o.journal.feed != nil {
		return
	}
	if l := o.block.logs.of(o.slot); l != nil {
		l.Entered()
	}
	if t := o.block.clocks.tracer; t != nil {
		t.stages[o.slot].within = false
	}
}

// Waiting returns the earliest time (ps) of what has happened to the ranks of a block but has not been
// dealt with: a rank that is busy takes its messages later. It is fabric.Forever if there is none. The
// block's own goroutine calls it, or any while no block runs.
func (w *World) Waiting(block int) int64 {
	first := int64(fabric.Forever)
	b := w.blocks.all()[block]
	for i := range b.ranks {
		r := &b.ranks[i]
		first = min(first, b.schedule.first(r))
		if r.arrivals != 0 {
			first = min(first, r.arrivesAt)
		}
	}
	return first
}

// StateOfObservation goes over what the block has to know to trace its ranks. The network's block calls
// it.
func (b *Block) StateOfObservation(v *snapshot.Visitor) {
	x := b.clocks.tracer
	if x == nil {
		return
	}
	snapshot.Values(v, x.stages)
	snapshot.Value(v, &x.about)
	snapshot.Value(v, &x.doing)
}
