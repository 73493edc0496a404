package core

import (
	"sync"
	"sync/atomic"

	"fabricast/node/internal/model"

	"fabricast/internal/snapshot"
	"fabricast/internal/units"
)

// failure is the first error of a world's ranks.
//
// Of several errors, the one with the earliest host time counts. The other ranks continue until the
// caller that runs the blocks checks World.Failed. Host times never decrease, so no later error can
// become the first.
type failure struct {
	sync.Mutex
	first *RankError
	found int64 // ps: host time at which the first error occurred
	Any   atomic.Bool
}

// Report records an error that occurred at host time found (ps). It becomes the error of the run if
// it is the first.
func (f *failure) Report(err *RankError, found int64) {
	f.Lock()
	defer f.Unlock()
	if f.first == nil || found < f.found || found == f.found && err.Rank < f.first.Rank {
		f.first, f.found = err, found
	}
	f.Any.Store(true)
}

// State saves or restores whether there is an error. Restoring a state without one discards a later
// error, unless the state is that of another world.
func (f *failure) State(v *snapshot.Visitor) {
	f.Lock()
	defer f.Unlock()
	if had := v.Flag(f.first != nil); v.Restores() && !v.Fresh() && !had {
		f.first, f.found = nil, 0
		f.Any.Store(false)
	}
}

// Err returns the error and the host time at which it occurred (ps); nil if there is none.
func (f *failure) Err() (first *RankError, found int64) {
	f.Lock()
	defer f.Unlock()
	return f.first, f.found
}

// Failures ends ranks of a block with errors, and guards accesses to the buffers that programs have
// passed for message contents.
type Failures struct {
	World    *Shared
	Now      *int64 // ps: current time of the host being simulated
	Programs runningPrograms
}

// runningPrograms is the interface to the programs of the block's ranks.
type runningPrograms interface {
	// Drop releases the program of a rank that will not be resumed.
	Drop(r *Rank)
	// Doing returns the name of the function that a rank's program is executing; empty if the
	// program does not report it.
	Doing(r *Rank) string
}

// Fail ends a rank with an error at time `at` (ps) of the rank's clock.
func (p *Failures) Fail(r *Rank, at int64, err error) {
	r.State = model.Failed
	p.Programs.Drop(r)
	p.Report(r.ID, at, err)
}

// Report records an error of a rank. It becomes the error of the run if it is the first.
func (p *Failures) Report(rank int32, at int64, err error) {
	p.World.Failure.Report(&RankError{Rank: int(rank), Time: units.Time(at), Err: err}, *p.Now)
}

// Of converts the panic of a program to an error.
func (p *Failures) Of(r *Rank, panicked any) error {
	if address, ok := faultAddress(panicked); ok {
		return &MemoryError{Rank: int(r.ID), Call: p.Programs.Doing(r), Address: address}
	}
	return NewPanicError(panicked)
}

// Guarded calls do, which accesses memory of a rank's program. If the memory is not mapped, Guarded
// ends the run with an error of the rank and returns false.
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

// fill copies contents to memory of a rank's program, guarded as by Guarded. If contents that are lent
// are not mapped any more, the error is their sender's.
func (p *Failures) fill(r *Rank, at int64, use string, memory []byte, c *Contents) {
	ok := false
	defer func() {
		if ok {
			return
		}
		panicked := recover()
		if address, fault := faultAddress(panicked); fault && c.lent && contains(c.Data, address) {
			err := memoryError(ToSend, c.Data, address)
			err.Rank = int(c.from)
			p.Report(c.from, at, err)
			return
		}
		p.missing(r, at, use, memory, panicked)
	}()
	copy(memory, c.Data)
	ok = true
}

// missing ends a rank with a MemoryError if the recovered panic is an access to unmapped memory. It
// panics again with any other value.
func (p *Failures) missing(r *Rank, at int64, use string, memory []byte, panicked any) {
	address, ok := faultAddress(panicked)
	if !ok {
		panic(panicked)
	}
	err := memoryError(use, memory, address)
	err.Rank, err.Call = int(r.ID), p.Programs.Doing(r)
	if r.State == model.Exit {
		p.Report(r.ID, at, err)
		return
	}
	p.Fail(r, at, err)
}

// Deposit copies the contents behind a handle, if any, to a buffer of a rank, truncated to the
// buffer's size. It returns the mark of the contents.
func (p *Failures) Deposit(r *Rank, at int64, use string, buffer []byte, handle uint32) (mark uint64) {
	if handle == 0 {
		return 0
	}
	store := &p.World.Payloads
	return store.Move(handle, func(c *Contents) {
		if len(buffer) > 0 {
			p.fill(r, at, use, buffer, c)
			store.copied(min(len(buffer), len(c.Data)))
		}
	})
}
