package mpi

import (
	"errors"
	"fmt"
	"slices"

	"fabricast/node"
)

// epoch records which operations the window permits at present.
type epoch struct {
	fenced  bool         // after Fence: operations on all ranks are permitted
	started bool         // between Start and Complete
	start   []int        // the ranks on which operations are permitted while started is set
	posted  bool         // between Post and Wait
	post    []int        // the ranks that may access this rank's memory while posted is set
	locked  []int        // targets whose locks are held, in the order in which they were taken
	holds   map[int]bool // the same targets, as a set
	// between LockAll and UnlockAll; a target's lock is taken at the first operation on it
	lockAll bool
}

// Tags of the notifications between ranks of a window.
const (
	posted int32 = iota
	completed
)

// holding reports whether the window is in an epoch of Lock or LockAll.
func (e *epoch) holding() bool { return e.lockAll || len(e.locked) > 0 }

// admit panics unless the current epoch permits an operation on the target. what names the
// operation.
func (w *Win) admit(what string, target int) {
	e := &w.epoch
	switch {
	case e.fenced || e.holds[target]:
	case e.lockAll:
		w.lock(target, false)
	case !slices.Contains(e.start, target):
		panic(
			fmt.Errorf(
				"%s on rank %d's window outside of an epoch: there was no Fence, Start or Lock before",
				what, target,
			),
		)
	}
}

// Fence ends an epoch of all ranks and starts the next one. It returns when all earlier operations
// of all ranks are complete. All ranks must call it.
func (w *Win) Fence() {
	if w.epoch.started || w.epoch.holding() {
		panic(errors.New("fence of a window in another epoch: Complete or Unlock comes first"))
	}
	w.FlushAll()
	w.meet()
	w.epoch.fenced = true
}

// EndFences is like Fence, but starts no epoch.
func (w *Win) EndFences() {
	w.Fence()
	w.epoch.fenced = false
}

// Post permits the ranks of the group to access this rank's memory until Wait. It does not block.
func (w *Win) Post(group []int) {
	if w.epoch.posted {
		panic(errors.New("post of a window that is posted already: Wait comes first"))
	}
	w.tell(group, posted)
	w.epoch.post, w.epoch.posted = append(w.epoch.post[:0], group...), true
}

// Start starts an epoch for operations on the ranks of the group. It returns when all of them have
// called Post.
func (w *Win) Start(group []int) {
	if w.epoch.started {
		panic(errors.New("start of an epoch within another: Complete comes first"))
	}
	w.hear(group, posted)
	w.epoch.start, w.epoch.started = append(w.epoch.start[:0], group...), true
}

// Complete ends the epoch that Start has started. It returns when all operations in it are
// complete.
func (w *Win) Complete() {
	if !w.epoch.started {
		panic(errors.New("complete of a window on which no epoch has begun: Start comes first"))
	}
	for _, target := range w.epoch.start {
		w.Flush(target)
	}
	w.tell(w.epoch.start, completed)
	w.epoch.start, w.epoch.started = w.epoch.start[:0], false
}

// Wait ends the access that Post permitted. It returns when all ranks of that group have called
// Complete.
func (w *Win) Wait() {
	if !w.epoch.posted {
		panic(errors.New("wait of a window that is not posted: Post comes first"))
	}
	w.hear(w.epoch.post, completed)
	w.epoch.post, w.epoch.posted = w.epoch.post[:0], false
}

// tell notifies each of the ranks by an empty put with the tag.
func (w *Win) tell(ranks []int, tag int32) {
	c := w.comm
	for _, rank := range ranks {
		a := node.Access{Rank: int32(c.World(rank)), Detached: true}
		c.rank.ask()
		c.rank.ops.OneSided().Put(Size(0), a, c.me, tag, c.Context(node.Transfers))
	}
}

// hear waits for the notification of each of the ranks, an empty put with the tag.
func (w *Win) hear(ranks []int, tag int32) {
	for _, rank := range ranks {
		w.comm.World(rank) // panics if there is no such rank
		w.comm.rank.call()
		w.comm.end(w.comm.irecv(Size(0), rank, int(tag), node.Transfers))
	}
}

// Lock starts an epoch for operations on the target and takes its lock: exclusive if alone is true,
// else shared. The target's NIC grants locks in the order of the requests.
func (w *Win) Lock(target int, alone bool) {
	w.comm.World(target) // panics if there is no such rank
	if w.epoch.lockAll || w.epoch.holds[target] {
		panic(fmt.Errorf("lock of rank %d's window, which is locked already", target))
	}
	w.lock(target, alone)
}

func (w *Win) lock(target int, alone bool) {
	e := &w.epoch
	if e.holds == nil {
		e.holds = make(map[int]bool)
	}
	w.comm.rank.call()
	w.comm.end(w.comm.rank.ops.OneSided().Lock(w.memoryOf(target), alone))
	e.holds[target] = true
	e.locked = append(e.locked, target)
}

// memoryOf returns the target's whole memory in the form of an access.
func (w *Win) memoryOf(target int) node.Access {
	return node.Access{Rank: w.comm.world(target), Region: w.shared.parts[target].region}
}

// Unlock ends the epoch that Lock has started: it waits until all operations in it are complete,
// and releases the lock.
func (w *Win) Unlock(target int) {
	e := &w.epoch
	if e.lockAll || !e.holds[target] {
		panic(fmt.Errorf("unlock of rank %d's window, which Lock has not locked", target))
	}
	w.Flush(target)
	w.release(target)
	i := slices.Index(e.locked, target)
	e.locked = slices.Delete(e.locked, i, i+1)
}

// release releases the lock of a target.
func (w *Win) release(target int) {
	w.comm.rank.ask()
	w.comm.rank.ops.OneSided().Unlock(w.memoryOf(target))
	delete(w.epoch.holds, target)
}

// LockAll starts an epoch for operations on all ranks, with shared locks. A rank's lock is taken at
// the first operation on that rank.
func (w *Win) LockAll() {
	if w.epoch.holding() {
		panic(errors.New("lock of a whole window of which something is locked already"))
	}
	w.epoch.lockAll = true
}

// UnlockAll ends the epoch that LockAll has started: it waits until all operations in it are
// complete, and releases the locks.
func (w *Win) UnlockAll() {
	if !w.epoch.lockAll {
		panic(errors.New("unlock of a whole window that is not locked"))
	}
	w.FlushAll()
	for _, target := range w.epoch.locked {
		w.release(target)
	}
	w.epoch.locked, w.epoch.lockAll = w.epoch.locked[:0], false
}
