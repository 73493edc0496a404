package core

import (
	"fmt"
)

// MemoryError is an access to a buffer of a rank's program that is not mapped, or must not be
// written to. Only programs whose memory Go does not manage can cause it.
type MemoryError struct {
	Rank int    // whose memory it is
	Call string // that its program was in; empty if it cannot tell
	// the purpose of the buffer, such as "receive 8 bytes into, from"; empty if it is not known
	Use     string
	Begin   uintptr // of the memory that was given; 0 if it is not known
	Address uintptr // at which there was none
}

func (e *MemoryError) Error() string {
	text := fmt.Sprintf("found no usable memory at address %#x, expected memory of the program", e.Address)
	if e.Use != "" {
		text += fmt.Sprintf(" to %s %#x on", e.Use, e.Begin)
	}
	if e.Call != "" {
		text = e.Call + ": " + text
	}
	return text
}

// faultAddress returns the address that was missing, if a panic names one. Address errors of the
// runtime are panics, with their address, on goroutines of engine.Run (debug.SetPanicOnFault).
func faultAddress(panicked any) (address uintptr, ok bool) {
	fault, ok := panicked.(interface{ Addr() uintptr })
	if ok {
		address = fault.Addr()
	}
	return address, ok
}

// Purposes of a program's memory. The number of bytes follows.
const (
	ToReceive = "receive %d bytes into, from"
	ToPut     = "put %d bytes into, from"
	ToFetch   = "fetch %d bytes from, from"
	ToChange  = "change %d bytes of, from"
)
