package node

import (
	"fabricast/fabric"
	"fabricast/internal/snapshot"
	"fabricast/internal/units"
	"fabricast/node/internal/core"
	"fabricast/node/internal/observe"
)

// Stats returns the totals over all blocks. No block may be running.
func (w *World) Stats() *observe.Stats {
	s := &observe.Stats{Ranks: len(w.shared.HostOf)}
	for _, b := range w.blocks.all() {
		s.Messages += b.stats.Messages
		s.Bytes += units.Bytes(b.stats.Bytes)
		s.Looks += b.stats.Looks
		for i, n := range b.stats.Counts {
			s.Counts[i] += n
		}
		s.Notes = append(s.Notes, b.stats.Notes...)
		s.Hash[0] += b.stats.Hash[0]
		s.Hash[1] += b.stats.Hash[1]
		s.AddLatencies(&b.stats.Latency)
		s.Finished += int(b.programs.finished.Load())
		for i := range b.ranks {
			r := &b.ranks[i]
			s.End = units.Time(max(int64(s.End), r.Clock))
			for id := range b.matching.UnexpectedOf(r) {
				u := b.matching.Unexpected.At(id)
				if core.OfPuts(u.Context) {
					continue // complete, even if its rank does not poll for it
				}
				if s.Unmet++; s.Stray == nil || s.Stray.Destination > int(r.ID) {
					s.Stray = &observe.Stray{
						Source:      int(u.Source),
						Destination: int(r.ID),
						Tag:         int(u.Tag),
						Size:        units.Bytes(u.Size),
						Collective:  u.Context%core.ContextsOfEach == core.Collectives,
					}
				}
			}
		}
	}
	if w.others != nil {
		for i := range w.others.stats {
			s.Add(&w.others.stats[i])
		}
	}
	return s
}

// Record returns the totals of a rank. No block may be running.
func (w *World) Record(id int) observe.RankRecord {
	b, r := w.locate(int32(id))
	if r == nil && w.others != nil && w.others.records != nil {
		return w.others.records[id]
	}
	if r == nil {
		return observe.RankRecord{Rank: id, Host: int(w.shared.HostOf[id])}
	}
	record := observe.RecordOf(r)
	if b.times.By != nil {
		w := b.times.By[b.shared.Slot(r.ID)]
		record.Network, record.Serialization = units.Time(w.Network), units.Time(w.Serialization)
		record.NetworkWaits = int64(w.Messages)
	}
	return record
}

// Log makes l receive what the rank's program does from now on. It returns a function that returns
// the rank's clock (ps), to be called from methods of l or after the run.
func (o *Ops) Log(l observe.Log) (clock func() int64) {
	r := o.rank
	o.block.log(o.slot, l)
	return func() int64 { return r.Clock }
}

// Logs sets Logs for the ranks of this process: of returns the Log of a rank, or nil for none.
// clock returns the clock of the rank (ps). No block may be running.
func (w *World) Logs(of func(rank int, clock func() int64) observe.Log) {
	for _, b := range w.blocks.all() {
		for slot := range b.ranks {
			r := &b.ranks[slot]
			if l := of(int(r.ID), func() int64 { return r.Clock }); l != nil {
				b.log(int32(slot), l)
			}
		}
	}
}

func (b *Block) log(slot int32, l observe.Log) {
	if b.logs.By == nil {
		b.logs.By = make([]observe.Log, len(b.ranks))
	}
	b.logs.By[slot] = l
}

// Trace makes a Tracer receive what is selected. It must be called before any block starts.
func (w *World) Trace(t observe.Tracer, what observe.Traced) {
	for i, b := range w.blocks.all() {
		x := &observe.BlockTracer{
			Tracer: t, Block: i, World: &w.shared, Doing: observe.Awaiting, About: observe.Span{Peer: -1, Step: -1},
			Spans: what.Spans, Why: observe.Cause{Peer: -1},
		}
		if what.Spans || what.Steps {
			x.Stages = make([]observe.Stage, len(b.ranks))
			b.clocks.Tracer = x
		}
		if what.Steps {
			x.Causes = observe.NewCauses(len(b.ranks))
		}
		if what.Messages {
			b.stats.Tracer = x
		}
	}
}

// Enter reports that the rank starts a collective. It separates the messages of this call from
// those of an earlier call of the same collective.
func (o *Ops) Enter() {
	if o.journal != nil && o.journal.Feed != nil {
		return
	}
	if l := o.block.logs.Of(o.slot); l != nil {
		l.Entered()
	}
	if t := o.block.clocks.Tracer; t != nil {
		t.Stages[o.slot].Within = false
	}
}

// Waiting returns the earliest time (ps) of an event of a block's ranks that has not been handled:
// a rank that is busy takes its messages later. It returns fabric.Forever if there is none. It must
// be called by the block's own goroutine, or while no block runs.
func (w *World) Waiting(block int) int64 {
	first := int64(fabric.Forever)
	b := w.blocks.all()[block]
	for i := range b.ranks {
		r := &b.ranks[i]
		first = min(first, b.schedule.First(r))
		if r.Arrivals != 0 {
			first = min(first, r.ArrivesAt)
		}
	}
	return first
}

// StateOfObservation saves or restores what the block needs to trace its ranks. The network's block
// calls it.
func (b *Block) StateOfObservation(v *snapshot.Visitor) {
	x := b.clocks.Tracer
	if x == nil {
		return
	}
	snapshot.Values(v, x.Stages)
	snapshot.Value(v, &x.About)
	snapshot.Value(v, &x.Doing)
	if x.Causes != nil {
		snapshot.Value(v, &x.Why)
		x.Causes.State(v)
	}
}

// Count adds n to sum i of the program's own, which Stats.Counts holds for all ranks together. i is
// below Counters.
func (o *Ops) Count(i int, n int64) { o.block.stats.Counts[i] += n }

// Note keeps a number under a key, which Stats.Notes returns for all ranks together. No other rank
// may use the key.
func (o *Ops) Note(key, value int64) {
	o.block.stats.Notes = append(o.block.stats.Notes, observe.Note{Key: key, Value: value})
}
