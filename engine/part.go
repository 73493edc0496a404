package engine

import (
	"fabricast/internal/cluster"
	"fabricast/internal/snapshot"
)

// Part is a part of a model that can be undone: what TraceR and ROSS call a kernel process. Parts
// share no memory. What they send to each other are bytes. The length of their windows is fixed,
// and nothing that a part sends in a window has an effect before the next one.
//
// One worker at a time uses a part.
type Part interface {
	// Next returns the earliest window in which the part has something to do, by what it has
	// received; math.MaxInt64 if there is none.
	Next() int64
	// Run simulates a window.
	Run(window int64)
	// Sent returns what the last Run has sent to another part, and the first window in which any of
	// it has an effect (math.MaxInt64 if only its coming matters). It is empty if that is nothing.
	// The same state and the same window give the same bytes. They are valid until the next Run.
	Sent(to int) (data []byte, first int64)
	// Receive takes in what another part has sent in one window. It is called before the first Run
	// of a later window, in the order in which the other part has sent.
	Receive(from int, data []byte)
	// Save and Restore save the state between two windows, and restore it, as often as wanted.
	Save(to *snapshot.Snapshot)
	Restore(from *snapshot.Snapshot)
	// Work returns a measure of the work done so far, in router activations, and the packets that
	// have moved so far. Both are parts of the state.
	Work() (work, packets uint64)
}

// Optimism says how far parts run ahead.
type Optimism struct {
	// Batch is how many windows a part executes at most beyond the global virtual time (GVT), and
	// between two looks at what other workers have sent. Fewer are executed where rollbacks and saved
	// states take more time than meeting more often.
	Batch int
	// Static makes every batch one of Batch windows.
	Static bool
	// Throttle is what an earlier run of the same parts has found to be a good batch; nil: none.
	Throttle *Throttle
	// Interval is how many rounds, of a batch each, pass between two collections of what lies
	// before GVT.
	Interval int
	// Until, if it is not 0, ends the run before a window: parts execute none from that one on.
	Until int64
	// Check makes parts execute each window twice: it is undone, the state is compared with the one
	// before, and the window is executed again, which must give the same.
	Check bool
	// Control carries control messages of processes in their exchanges; nil: none.
	Control *cluster.Control
}

// Warp is what a run of parts has cost.
type Warp struct {
	Committed, RolledBack uint64 // windows of parts
	// Packets that moved in them
	CommittedPackets, RolledBackPackets uint64
	Rollbacks                           uint64 // of one part each
	Stragglers                          uint64 // what came for a window that had been executed
	Cancelled                           uint64 // what was taken back of what parts had sent to each other
	Confirmed                           uint64 // what repeated windows sent as before: it was not sent again
	Coasted                             uint64 // windows repeated only to get from one state to a later one
	Saves                               uint64
	SavedBytes                          uint64 // copied by saves
	PeakBytes                           int64  // memory of saved states; the sum of the peaks of parts
	Rounds                              uint64 // of a batch each
	Cautious                            uint64 // rounds in which no window could come too late
	Collections                         uint64 // of what lies before GVT
	Synchronizations                    uint64 // exchanges with other processes
}

// Efficiency is TraceR's event efficiency: 1 - rolled back / committed. It may be negative.
func (w *Warp) Efficiency() float64 {
	if w.Committed == 0 {
		return 1
	}
	return 1 - float64(w.RolledBack)/float64(w.Committed)
}

// Then adds the costs of a later run of the same parts.
func (w *Warp) Then(o *Warp) {
	rounds, collections, exchanges, peak := w.Rounds, w.Collections, w.Synchronizations, w.PeakBytes
	cautious := w.Cautious
	w.Add(o)
	w.Rounds, w.Collections, w.Cautious = rounds+o.Rounds, collections+o.Collections, cautious+o.Cautious
	w.Synchronizations, w.PeakBytes = exchanges+o.Synchronizations, max(peak, o.PeakBytes)
}

// Add adds the costs of another run of parts, which took part in the same rounds.
func (w *Warp) Add(o *Warp) {
	w.Committed += o.Committed
	w.RolledBack += o.RolledBack
	w.CommittedPackets += o.CommittedPackets
	w.RolledBackPackets += o.RolledBackPackets
	w.Rollbacks += o.Rollbacks
	w.Stragglers += o.Stragglers
	w.Cancelled += o.Cancelled
	w.Confirmed += o.Confirmed
	w.Coasted += o.Coasted
	w.Saves += o.Saves
	w.SavedBytes += o.SavedBytes
	w.PeakBytes += o.PeakBytes
	w.Rounds = max(w.Rounds, o.Rounds)
	w.Cautious = max(w.Cautious, o.Cautious)
	w.Collections = max(w.Collections, o.Collections)
	w.Synchronizations = max(w.Synchronizations, o.Synchronizations)
}
