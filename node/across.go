package node

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"fabricast/fabric"
	"fabricast/internal/histogram"
	"fabricast/internal/processes"
	"fabricast/internal/units"
)

// elsewhere is what this process knows of the ranks that others run.
type elsewhere struct {
	group   processes.Group
	heard   []heard               // by process: its progress, as known
	stats   []Stats               // of the other processes; nil before Share
	records []RankRecord          // by rank, of those elsewhere; at the first process, after Share
	waits   map[int32]blockedRank // by rank; during Deadlock

	common   Common // of the programs; nil if they share nothing
	news     newsroom
	contents int32 // that have come from other processes
	once     sync.Once
	own      []bool // by rank: this process runs it; after once
}

// Across makes the world one that several processes share, each with the ranks of its own blocks.
// c is what the programs share, nil if that is nothing. saved says that the world may keep a journal
// (see Journal), and go on in other processes. It must be called before NewBlock.
func (w *World) Across(g processes.Group, c Common, saved bool) {
	if processes.Several(g) {
		w.elsewhere = &elsewhere{group: g, heard: make([]heard, g.Size()), common: c}
		w.elsewhere.news.queues = make([][][]byte, g.Size())
		w.shared.payloads.process, w.shared.payloads.processes = uint32(g.Rank()), uint32(g.Size())
	}
	w.saved = saved
	w.lasting, _ = c.(Lasting)
	if c != nil {
		c.Begin(w)
	}
}

// ErrShared is what fails a rank that asks for what only ranks of one process can share.
var ErrShared = errors.New(
	"the run has several processes: windows that are made while a program in Go runs, and one-sided " +
		"operations in Go that combine data, need all ranks in one process",
)

// Share makes the sums of all processes known to all, for Stats, and the records of ranks to the
// first, for Record. The first error of a rank becomes that of all. No block may be running. With
// one process it does nothing.
func (w *World) Share() {
	e := w.elsewhere
	if e == nil {
		return
	}
	e.stats = nil
	own := *w.Stats()
	sent := sentStats{own, own.Parts()}
	sent.Stats.Latencies = histogram.Latencies{}
	for p, of := range processes.GatherValues(e.group, sent) {
		if p != e.group.Rank() {
			of.Stats.AddParts(of.Parts)
			e.stats = append(e.stats, of.Stats)
		}
	}
	e.records = w.recordsOfOthers()
}

// sentStats are Stats as other processes get them.
type sentStats struct {
	Stats Stats // without Latencies
	Parts histogram.Parts
}

// recordsOfOthers returns the records of ranks that other processes run, at the first one, by rank.
func (w *World) recordsOfOthers() []RankRecord {
	g := w.elsewhere.group
	own := func(yield func(RankRecord) bool) {
		for _, b := range w.blocks.all() {
			for i := range b.ranks {
				if !yield(w.Record(int(b.ranks[i].id))) {
					return
				}
			}
		}
	}
	var records []RankRecord
	if processes.First(g) {
		records = make([]RankRecord, len(w.shared.hostOf))
	}
	processes.Bring(g, own, processes.ToFirst, func(_ int, r RankRecord) { records[r.Rank] = r })
	return records
}

// heard is how far another process has got.
type heard struct{ finished, arrived atomic.Int64 }

// Told implements fabric.Contents.
func (b *Block) Told() fabric.EndpointProgress {
	return fabric.EndpointProgress{Arrived: b.world.arrivedHere(), Finished: b.world.finishedHere()}
}

// Heard implements fabric.Contents.
func (b *Block) Heard(process int, p fabric.EndpointProgress) {
	h := &b.world.elsewhere.heard[process]
	h.arrived.Store(p.Arrived)
	h.finished.Store(p.Finished)
}

// foundError is a rank's error as other processes know it.
type foundError struct {
	Rank  int
	Time  units.Time
	Found int64 // ps
	Text  string
	Code  int // exit code that the error asks for; 0: none
}

// remoteError is the error of a rank that another process runs.
type remoteError struct{ text string }

func (e *remoteError) Error() string { return e.text }

// remoteExit is a remoteError that asks for an exit code.
type remoteExit struct {
	remoteError
	code int
}

// ExitCode returns the exit code.
func (e *remoteExit) ExitCode() int { return e.code }

// err returns the error of the rank.
func (f *foundError) err() error {
	if f.Code != 0 {
		return &remoteExit{remoteError{f.Text}, f.Code}
	}
	return &remoteError{f.Text}
}

// ShareState makes the first error of a rank, of all processes, the one of each, and tells them for
// Finished how many ranks have ended. No block may be running. With one process it does nothing.
func (w *World) ShareState() {
	e := w.elsewhere
	if e == nil {
		return
	}
	w.exchangeNews()
	if e.common != nil {
		e.common.Settle(e.group)
	}
	for p, finished := range processes.GatherValues(e.group, w.finishedHere()) {
		if p != e.group.Rank() {
			e.heard[p].finished.Store(finished)
		}
	}
	own := foundError{Rank: -1}
	if first, found := w.shared.failure.err(); first != nil {
		own = foundError{Rank: first.Rank, Time: first.Time, Found: found, Text: first.Err.Error()}
		var exit interface{ ExitCode() int }
		if errors.As(first.Err, &exit) {
			own.Code = exit.ExitCode()
		}
	}
	for _, x := range processes.GatherValues(e.group, own) {
		if x.Rank >= 0 && x.Rank != own.Rank {
			w.shared.failure.report(&RankError{Rank: x.Rank, Time: x.Time, Err: x.err()}, x.Found)
		}
	}
}

// TakeContents implements fabric.Contents.
func (b *Block) TakeContents(m *fabric.Message) (body fabric.Body, ok bool) {
	store := &b.shared.payloads
	// the Payload is a request, or the contents are with the receiver since the run has gone on
	if kindOf(m) == accessDone || !store.has(m.Payload) {
		return body, false
	}
	c := store.view(m.Payload)
	body = fabric.Body{Data: slices.Clone(c.data), Mark: c.mark, Label: c.label}
	store.drop(m.Payload)
	return body, true
}

// KeepContents implements fabric.Contents.
func (b *Block) KeepContents(process int, body fabric.Body) uint32 {
	e, store := b.world.elsewhere, &b.shared.payloads
	e.contents++
	handle := store.put(e.contents, body.Data, b.world.markFrom(process, body.Mark))
	if body.Label != 0 {
		store.label(handle, body.Label)
	}
	return handle
}

// markFrom returns the mark by which this process knows what another one has marked so.
func (w *World) markFrom(process int, mark uint64) uint64 {
	if c := w.elsewhere.common; c != nil && mark != 0 {
		return c.Mark(process, mark)
	}
	return mark
}

var _ fabric.Contents = (*Block)(nil)

// takeMessages returns the control messages for each process, and forgets them.
func (w *World) takeMessages() [][]byte { return w.elsewhere.news.take() }
