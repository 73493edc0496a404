package core

import (
	"fmt"
	"unsafe"
)

// MemoryError is an access to a buffer of a rank's program that is not mapped or not writable. Only
// programs whose memory is not managed by Go can cause it.
type MemoryError struct {
	Rank int    // rank that owns the memory
	Call string // function that its program was executing; empty if not known
	// Use is the purpose of the buffer, such as "receive 8 bytes into, from"; empty if not known
	Use     string
	Begin   uintptr // address of the buffer; 0 if not known
	Address uintptr // faulting address
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

// memoryError describes an access to part of memory that is not mapped. use is one of the purposes below.
func memoryError(use string, memory []byte, address uintptr) *MemoryError {
	return &MemoryError{
		Use: fmt.Sprintf(use, len(memory)), Begin: uintptr(unsafe.Pointer(unsafe.SliceData(memory))), Address: address,
	}
}

// contains reports whether an address lies in memory.
func contains(memory []byte, address uintptr) bool {
	begin := uintptr(unsafe.Pointer(unsafe.SliceData(memory)))
	return address >= begin && address-begin < uintptr(len(memory))
}

// faultAddress returns the faulting address if the panic contains one. On goroutines of engine.Run,
// address errors of the runtime are panics that contain their address (debug.SetPanicOnFault).
func faultAddress(panicked any) (address uintptr, ok bool) {
	fault, ok := panicked.(interface{ Addr() uintptr })
	if ok {
		address = fault.Addr()
	}
	return address, ok
}

// Purposes of a program's memory. In messages the number of bytes follows.
const (
	ToReceive = "receive %d bytes into, from"
	ToSend    = "send %d bytes, until the send is complete, from"
	ToPut     = "put %d bytes into, from"
	ToFetch   = "fetch %d bytes from, from"
	ToChange  = "change %d bytes of, from"
)
