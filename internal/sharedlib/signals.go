//go:build cgo && linux && (amd64 || arm64)

package sharedlib

import (
	"syscall"
	"unsafe"
)

// Actions holds the process's action for each signal, in the kernel's format. MPI libraries replace
// handlers that Go's runtime needs, such as that of SIGSEGV, and install others that would kill a
// Go process because they do not run on a separate stack (MPICH's for SIGUSR1).
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

// Restore restores all actions that have changed.
func (a *Actions) Restore() {
	for s := 1; s <= lastSignal; s++ {
		var now action
		if signalAction(s, nil, &now); now != a[s] {
			signalAction(s, &a[s], nil)
		}
	}
}

// signalAction sets the action of a signal, unless set is nil, and stores the previous one in
// before. It has no effect for SIGKILL and SIGSTOP.
func signalAction(signal int, set, before *action) {
	const setBytes = 8 // size of a signal set in bytes
	_, _, _ = syscall.RawSyscall6(
		syscall.SYS_RT_SIGACTION, uintptr(signal), uintptr(unsafe.Pointer(set)),
		uintptr(unsafe.Pointer(before)),
		setBytes, 0, 0,
	)
}
