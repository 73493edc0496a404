package node

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"fabricast/fabric"
	"fabricast/internal/cluster"
	"fabricast/internal/histogram"
	"fabricast/internal/units"
	"fabricast/node/internal/core"
	"fabricast/node/internal/observe"
)

// others holds what this process knows about ranks that other processes run.
type others struct {
	group    cluster.Group
	progress []progress      // by process: the latest known progress
	stats    []observe.Stats // by process; nil before Share
	// by rank, for ranks of other processes; only at the first process, after Share
	records []observe.RankRecord
	waits   map[int32]blockedRank // by rank; only during Deadlock

	common   Common // shared state of the programs; nil if they share nothing
	control  *cluster.Control
	kinds    kinds
	contents int32 // number of message contents received from other processes
	once     sync.Once
	own      []bool // by rank: whether this process runs it; computed under once
}

// Across makes w a world that several processes share, each with the ranks of its own blocks.
// control carries the control messages of the world; it is nil if there is a single process. c is
// the state that the programs share; nil if they share nothing. saved permits the world to keep a
// journal (see Journal), and to be resumed in other processes. Across must be called before
// NewBlock.
func (w *World) Across(g cluster.Group, control *cluster.Control, c Common, saved bool) {
	if cluster.Several(g) {
		w.others = &others{group: g, progress: make([]progress, g.Size()), common: c, control: control}
		w.others.kinds = w.register(control)
		w.shared.Payloads.Process, w.shared.Payloads.Processes = uint32(g.Rank()), uint32(g.Size())
	}
	w.saved = saved
	w.lasting, _ = c.(Lasting)
	if c != nil {
		c.Begin(w)
	}
}

// ErrShared is the error of a rank that uses a feature that works only among ranks of one process.
var ErrShared = errors.New(
	"the run has several processes: windows that are made while a program in Go runs, and one-sided " +
		"operations in Go that combine data, need all ranks in one process",
)

// Share distributes the sums of all processes to every process, for Stats, and collects the records
// of all ranks at the first process, for Record. The first error of any rank becomes the error of
// all processes. No block may be running. In a single process Share does nothing.
func (w *World) Share() {
	e := w.others
	if e == nil {
		return
	}
	e.stats = nil
	own := *w.Stats()
	sent := sentStats{own, own.Parts()}
	sent.Stats.Latencies = histogram.Latencies{}
	for p, of := range cluster.GatherValues(e.group, sent) {
		if p != e.group.Rank() {
			of.Stats.AddParts(of.Parts)
			e.stats = append(e.stats, of.Stats)
		}
	}
	e.records = w.recordsOfOthers()
}

// sentStats is the form in which Stats are sent to other processes.
type sentStats struct {
	Stats observe.Stats // with no Latencies
	Parts histogram.Parts
}

// recordsOfOthers returns the records of ranks that other processes run, by rank. It returns them
// at the first process only.
func (w *World) recordsOfOthers() []observe.RankRecord {
	g := w.others.group
	own := func(yield func(observe.RankRecord) bool) {
		for _, b := range w.blocks.all() {
			for i := range b.ranks {
				if !yield(w.Record(int(b.ranks[i].ID))) {
					return
				}
			}
		}
	}
	var records []observe.RankRecord
	if cluster.First(g) {
		records = make([]observe.RankRecord, len(w.shared.HostOf))
	}
	cluster.Bring(g, own, cluster.ToFirst, func(_ int, r observe.RankRecord) { records[r.Rank] = r })
	return records
}

// progress counts the ranks that have finished and the messages that have arrived in another
// process.
type progress struct{ finished, arrived atomic.Int64 }

// Progress implements fabric.Contents.
func (b *Block) Progress() fabric.EndpointProgress {
	return fabric.EndpointProgress{Arrived: b.world.arrivedHere(), Finished: b.world.finishedHere()}
}

// ProgressOf implements fabric.Contents.
func (b *Block) ProgressOf(process int, p fabric.EndpointProgress) {
	h := &b.world.others.progress[process]
	h.arrived.Store(p.Arrived)
	h.finished.Store(p.Finished)
}

// foundError is the form in which a rank's error is sent to other processes.
type foundError struct {
	Rank  int
	Time  units.Time
	Found int64 // ps: when the error occurred
	Text  string
	Code  int // exit code that the error requests; 0: none
}

// remoteError is the error of a rank that another process runs.
type remoteError struct{ text string }

func (e *remoteError) Error() string { return e.text }

// remoteExit is a remoteError that requests an exit code.
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

// ShareState makes the first error of any rank the error of all processes, and distributes the
// number of ended ranks for Finished. No block may be running. In a single process it does nothing.
func (w *World) ShareState() {
	e := w.others
	if e == nil {
		return
	}
	w.exchangeControl()
	if e.common != nil {
		e.common.Settle(e.group)
	}
	for p, finished := range cluster.GatherValues(e.group, w.finishedHere()) {
		if p != e.group.Rank() {
			e.progress[p].finished.Store(finished)
		}
	}
	own := foundError{Rank: -1}
	if first, found := w.shared.Failure.Err(); first != nil {
		own = foundError{Rank: first.Rank, Time: first.Time, Found: found, Text: first.Err.Error()}
		var exit interface{ ExitCode() int }
		if errors.As(first.Err, &exit) {
			own.Code = exit.ExitCode()
		}
	}
	for _, x := range cluster.GatherValues(e.group, own) {
		if x.Rank >= 0 && x.Rank != own.Rank {
			w.shared.Failure.Report(&core.RankError{Rank: x.Rank, Time: x.Time, Err: x.err()}, x.Found)
		}
	}
}

// TakeContents implements fabric.Contents.
func (b *Block) TakeContents(m *fabric.Message) (body fabric.Body, ok bool) {
	store := &b.shared.Payloads
	// AccessDone has a request in Payload instead. The contents of others may be at the receiver
	// already, if the run has been resumed.
	if core.KindOf(m) == core.AccessDone || !store.Has(m.Payload) {
		return body, false
	}
	c := store.View(m.Payload)
	body = fabric.Body{Data: slices.Clone(c.Data), Mark: c.Mark, Label: c.Label}
	store.Drop(m.Payload)
	return body, true
}

// KeepContents implements fabric.Contents.
func (b *Block) KeepContents(process int, body fabric.Body) uint32 {
	e, store := b.world.others, &b.shared.Payloads
	e.contents++
	handle := store.Put(e.contents, body.Data, e.markFrom(process, body.Mark))
	if body.Label != 0 {
		store.Label(handle, body.Label)
	}
	return handle
}

// markFrom translates a mark of another process to the mark that this process uses for the same
// object.
func (e *others) markFrom(process int, mark uint64) uint64 {
	if c := e.common; c != nil && mark != 0 {
		return c.Mark(process, mark)
	}
	return mark
}

var _ fabric.Contents = (*Block)(nil)
