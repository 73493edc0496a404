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
	made     int32 // communicators; with the lock of contexts
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
		w.payloads.process, w.payloads.processes = uint32(g.Rank()), uint32(g.Size())
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
		records = make([]RankRecord, len(w.hostOf))
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
	e, f := w.elsewhere, &w.failure
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
	if f.first != nil {
		own = foundError{Rank: f.first.Rank, Time: f.first.Time, Found: f.found, Text: f.first.Err.Error()}
		var exit interface{ ExitCode() int }
		if errors.As(f.first.Err, &exit) {
			own.Code = exit.ExitCode()
		}
	}
	for _, x := range processes.GatherValues(e.group, own) {
		if x.Rank < 0 || x.Rank == own.Rank {
			continue
		}
		if f.first == nil || x.Found < f.found || x.Found == f.found && x.Rank < f.first.Rank {
			f.first, f.found = &RankError{Rank: x.Rank, Time: x.Time, Err: x.err()}, x.Found
			f.any.Store(true)
		}
	}
}

// add adds the sums of another process.
func (s *Stats) add(o *Stats) {
	s.Finished += o.Finished
	s.Messages += o.Messages
	s.Bytes += o.Bytes
	s.Looks += o.Looks
	s.Hash[0] += o.Hash[0]
	s.Hash[1] += o.Hash[1]
	s.End = units.Time(max(int64(s.End), int64(o.End)))
	s.Unmet += o.Unmet
	if o.Stray != nil && (s.Stray == nil || s.Stray.Destination > o.Stray.Destination) {
		s.Stray = o.Stray
	}
	s.Latency.Add(&o.Latency)
	s.Latencies.Add(&o.Latencies)
}

// TakeContents implements fabric.Contents.
func (b *Block) TakeContents(m *fabric.Message) (body fabric.Body, ok bool) {
	store := &b.world.payloads
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
	e, store := b.world.elsewhere, &b.world.payloads
	e.contents++
	handle := store.put(e.contents, body.Data, e.markFrom(process, body.Mark))
	if body.Label != 0 {
		store.label(handle, body.Label)
	}
	return handle
}

// markFrom returns the mark by which this process knows what another one has marked so.
func (e *elsewhere) markFrom(process int, mark uint64) uint64 {
	if e.common != nil && mark != 0 {
		return e.common.Mark(process, mark)
	}
	return mark
}

// blockedRank is a rank that has not ended, or the end of one, in an explanation of a deadlock.
type blockedRank struct {
	Rank  int32
	Clock int64
	State Kind
	Wait  Wait
}

// blockedRanks returns what the ranks of this process wait for.
func (w *World) blockedRanks(open unanswered) (list []blockedRank) {
	for _, b := range w.blocks.all() {
		for i := range b.ranks {
			r := &b.ranks[i]
			x := blockedRank{Rank: r.id, Clock: r.clock, State: r.state}
			if r.state != Exit && r.state != failed {
				x.Wait = b.explain(r, open)
			}
			list = append(list, x)
		}
	}
	return list
}

// openRequests is unanswered in a form for other processes.
type openRequests struct {
	Sends []openSend
	Locks []openLock
}

type openSend struct {
	Rank             int32
	Request          uint32
	To, Tag, Context int32
}

type openLock struct {
	Rank       int32
	Request    uint32
	Of, Holder int32
}

// share adds the unanswered requests of other processes.
func (u *unanswered) share(e *elsewhere) {
	var own openRequests
	for k, s := range u.sends {
		own.Sends = append(own.Sends, openSend{k.rank, k.request, s.to, s.tag, s.context})
	}
	for k, l := range u.locks {
		own.Locks = append(own.Locks, openLock{k.rank, k.request, l.of, l.holder})
	}
	for _, of := range processes.GatherValues(e.group, own) {
		for _, s := range of.Sends {
			u.sends[sendOf{s.Rank, s.Request}] = unmetSend{s.To, s.Tag, s.Context}
		}
		for _, l := range of.Locks {
			u.locks[sendOf{l.Rank, l.Request}] = awaitedLock{l.Of, l.Holder}
		}
	}
}

// shareWaits makes known to all processes what all ranks wait for.
func (w *World) shareWaits(open unanswered) {
	e := w.elsewhere
	e.waits = make(map[int32]blockedRank)
	for _, of := range processes.GatherValues(e.group, w.blockedRanks(open)) {
		for _, x := range of {
			e.waits[x.Rank] = x
		}
	}
	for id, x := range e.waits {
		if x.Wait.forRank() {
			x.Wait.Ended = e.waits[int32(x.Wait.Source)].State == Exit
			e.waits[id] = x
		}
	}
}

var _ fabric.Contents = (*Block)(nil)
