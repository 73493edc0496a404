package model

import (
	"strconv"
)

// Protocol is the protocol by which a message is sent.
type Protocol uint8

const (
	// ByExperiment: the experiment's setting, eager up to a size and a rendezvous above it.
	ByExperiment Protocol = iota
	// Eager: the message is sent whether or not its receive is posted, and waits in memory.
	Eager
	// RendezvousWrite: the sender sends a request first. The receiver's NIC answers when the
	// request has met its receive; then the sender's NIC sends the data.
	RendezvousWrite
	// RendezvousRead: the sender sends a request first. The receiver's NIC then reads the data.
	RendezvousRead
	// Synchronous: a rendezvous for any size, by the experiment's protocol or by RendezvousWrite.
	// The send is complete only when its receive has been posted (MPI_Ssend).
	Synchronous
)

// String returns the name of the protocol's constant.
func (p Protocol) String() string {
	names := [...]string{"ByExperiment", "Eager", "RendezvousWrite", "RendezvousRead", "Synchronous"}
	if int(p) >= len(names) {
		return strconv.Itoa(int(p))
	}
	return "node." + names[p]
}

// Copies says whether an eager message is copied through buffers of the library.
type Copies uint8

const (
	CopiesByExperiment Copies = iota
	ZeroCopy                  // straight from and to the program's buffers
	OneCopy                   // copied at each end
)
