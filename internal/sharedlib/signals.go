//go:build cgo && linux && (amd64 || arm64)

package sharedlib

import (
	"syscall"
	"unsafe"
)

// Actions holds what the process does on each signal, as the kernel keeps it. MPI libraries install
// handlers for signals of which Go's runtime needs its own, such as SIGSEGV, and others that would
// end a Go process because they do not run on a stack of their own (MPICH's for SIGUSR1).
type Actions [lastSignal + 1]action

// action is the kernel's struct sigaction: four words on the processors of this file.
type action [4]uint64

const lastSignal = 64

// KeepSignals returns the actions of all signals.
func KeepSignals() *Actions {
	kept := &Actions{}
	for s := 1; s <= lastSignal; s++ {
		signalAction(s, nil, &kept[s])
	}
	return kept
}

// Restore sets all actions that have changed to what they were.
func (a *Actions) Restore() {
	for s := 1; s <= lastSignal; s++ {
		var now action
		if signalAction(s, nil, &now); now != a[s] {
			signalAction(s, &a[s], nil)
		}
	}
}

// signalAction sets the action of a signal, unless it is nil, and returns the one before. It has no
// effect for SIGKILL and SIGSTOP.
func signalAction(signal int, set, before *action) {
	const setBytes = 8 // of a set of signals
	_, _, _ = syscall.RawSyscall6(
		syscall.SYS_RT_SIGACTION, uintptr(signal), uintptr(unsafe.Pointer(set)),
		uintptr(unsafe.Pointer(before)),
		setBytes, 0, 0,
	)
}
