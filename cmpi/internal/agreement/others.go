package agreement

import (
	"encoding/binary"

	"fabricast/cmpi/internal/datatypes"
	"fabricast/cmpi/internal/host"
)

// Where several processes share a run, each looks at the calls of its own ranks. When all of these
// have called a collective, the process that compares the calls of the communicator, its keeper,
// receives them.

// Others are the processes that share a run, as one of them sees them.
type Others interface {
	// Here returns how many ranks of a call's communicator this process has.
	Here(c *host.Call) int32
	// Keeper returns the process that compares the calls on a communicator, and whether it is this one.
	Keeper(context int32) (process int, own bool)
	// Send sends what ranks here have called in a turn, for Receive, to the keeper.
	Send(keeper int, called []byte)
	// Announce makes other processes know the number of a signature, which they receive first.
	Announce(number int32)
	// Signature returns a signature of another process as this one knows it.
	Signature(process int, s datatypes.Signature) datatypes.Signature
}

// Share makes the agreement that of a process that shares its run with others. It is called before
// any rank begins.
func (a *Agreement) Share(o Others) { a.others = o }

// Open returns what has been called in turns that are not complete, or in which ranks differ, for
// Receive of other processes.
func (a *Agreement) Open() (list [][]byte) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for of, t := range a.open {
		list = append(list, t.write(of))
	}
	return list
}

// Announce makes other processes know the signatures in what Open returns.
func (a *Agreement) Announce() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for _, t := range a.open {
		a.announce(t)
	}
}

func (a *Agreement) announce(t *attendance) {
	a.others.Announce(t.types.signature.Number())
	a.others.Announce(t.types.otherSignature.Number())
}

// pass sends the keeper what all ranks here have called in a turn, and forgets it. REQUIRES: the lock.
func (a *Agreement) pass(of turn, t *attendance) {
	keeper, own := a.others.Keeper(of.context)
	if own {
		return
	}
	a.announce(t)
	a.others.Send(keeper, t.write(of))
	a.forget(of, t)
}

// Receive adds what ranks of another process have called in a turn.
func (a *Agreement) Receive(process int, called []byte) {
	var w writtenAttendance
	n, _ := binary.Decode(called, binary.LittleEndian, &w)
	lowest := w.Lowest.read(called[n:])
	other := w.Other.read(called[n+int(w.Lowest.Name):])
	a.mutex.Lock()
	defer a.mutex.Unlock()
	of := turn{w.Context, w.Nth}
	all := a.attendance(of)
	all.size = w.Size
	came := all.came + w.Came
	all.add(&lowest)
	if w.Differ {
		all.add(&other)
	}
	all.came = came
	a.addTypes(process, all, &w.Types)
	a.settle(of, all)
}

// addTypes adds the datatypes of another process's ranks.
func (a *Agreement) addTypes(process int, all *attendance, w *writtenTypes) {
	known := func(s int32) datatypes.Signature { return a.others.Signature(process, datatypes.Signature(s)) }
	if w.Typed {
		all.types.add(int(w.Rank), known(w.Signature), all.lowest.data.bytes)
	}
	if w.Differ {
		all.types.add(int(w.Other), known(w.OtherSignature), all.lowest.data.bytes)
	}
}
