package core

import (
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"fabricast/node/internal/model"

	"fabricast/internal/snapshot"
	"fabricast/internal/units"
)

// failure is the first error of a world's ranks.
//
// Of several errors, the one at the earliest time of its host counts. The other ranks go on until
// the caller that runs the blocks looks at World.Failed. Host times never decrease, so no later
// error can become the first.
type failure struct {
	sync.Mutex
	first *RankError
	found int64 // ps: the time of the rank's host when the first came up
	Any   atomic.Bool
}

// Report makes an error that came up at a time of its host (ps) the error of the run if it is the
// first.
func (f *failure) Report(err *RankError, found int64) {
	f.Lock()
	defer f.Unlock()
	if f.first == nil || found < f.found || found == f.found && err.Rank < f.first.Rank {
		f.first, f.found = err, found
	}
	f.Any.Store(true)
}

// State goes over whether there is an error. One that came up after the state was saved that is
// restored did not come up. A state that comes from elsewhere says nothing about this world.
func (f *failure) State(v *snapshot.Visitor) {
	f.Lock()
	defer f.Unlock()
	if had := v.Flag(f.first != nil); v.Restores() && !v.Fresh() && !had {
		f.first, f.found = nil, 0
		f.Any.Store(false)
	}
}

// Err returns the error and when it came up (ps); nil if there is none.
func (f *failure) Err() (first *RankError, found int64) {
	f.Lock()
	defer f.Unlock()
	return f.first, f.found
}

// Failures ends ranks of a block with errors, and checks accesses to the buffers that programs have
// given for contents.
type Failures struct {
	World    *Shared
	Now      *int64 // ps: the time of the host that is awake
	Programs runningPrograms
}

// runningPrograms are the programs of the block's ranks.
type runningPrograms interface {
	// drop releases the program of a rank that will not be resumed.
	Drop(r *Rank)
	// doing returns the name of the function that a rank's program is in; empty if it cannot tell.
	Doing(r *Rank) string
}

// Fail ends a rank with an error at the time `at` of its clock (ps).
func (p *Failures) Fail(r *Rank, at int64, err error) {
	r.State = model.Failed
	p.Programs.Drop(r)
	p.Report(r.ID, at, err)
}

// Report makes an error of a rank the error of the run if it is the first.
func (p *Failures) Report(rank int32, at int64, err error) {
	p.World.Failure.Report(&RankError{Rank: int(rank), Time: units.Time(at), Err: err}, *p.Now)
}

// Of returns the error for a program that has panicked.
func (p *Failures) Of(r *Rank, panicked any) error {
	if address, ok := faultAddress(panicked); ok {
		return &MemoryError{Rank: int(r.ID), Call: p.Programs.Doing(r), Address: address}
	}
	return NewPanicError(panicked)
}

// Guarded calls do, which accesses memory of a rank's program. It returns false if the memory is
// not mapped, and ends the run with an error of the rank.
func (p *Failures) Guarded(r *Rank, at int64, use string, memory []byte, do func()) (ok bool) {
	defer func() {
		if !ok {
			p.missing(r, at, use, memory, recover())
		}
	}()
	do()
	ok = true
	return ok
}

// fill copies contents to memory of a rank's program, with the checks of guarded.
func (p *Failures) fill(r *Rank, at int64, use string, memory, contents []byte) (ok bool) {
	defer func() {
		if !ok {
			p.missing(r, at, use, memory, recover())
		}
	}()
	copy(memory, contents)
	ok = true
	return ok
}

// missing ends a rank whose memory is not mapped, according to a recovered panic. It panics again
// with any other value.
func (p *Failures) missing(r *Rank, at int64, use string, memory []byte, panicked any) {
	address, ok := faultAddress(panicked)
	if !ok {
		panic(panicked)
	}
	err := &MemoryError{
		Rank:    int(r.ID),
		Call:    p.Programs.Doing(r),
		Use:     fmt.Sprintf(use, len(memory)),
		Begin:   uintptr(unsafe.Pointer(unsafe.SliceData(memory))),
		Address: address,
	}
	if r.State == model.Exit {
		p.Report(r.ID, at, err)
		return
	}
	p.Fail(r, at, err)
}

// Deposit copies contents, if the handle has any, to their buffer in a rank's memory, as far as
// there is room. It returns their mark.
func (p *Failures) Deposit(r *Rank, at int64, use string, buffer []byte, handle uint32) (mark uint64) {
	if handle == 0 {
		return 0
	}
	store := &p.World.Payloads
	c := store.View(handle)
	if len(buffer) > 0 {
		p.fill(r, at, use, buffer, c.Data)
	}
	store.Drop(handle)
	return c.Mark
}
