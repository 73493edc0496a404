package model

import (
	"strconv"
)

// Protocol is the protocol by which a message is sent.
type Protocol uint8

const (
	// ByExperiment selects the experiment's setting: eager up to a size, and a rendezvous above it.
	ByExperiment Protocol = iota
	// Eager: the message is sent whether or not its receive has been posted, and waits in the
	// receiver's memory.
	Eager
	// RendezvousWrite: the sender first sends a request. When the request has matched a receive,
	// the receiver's NIC replies, and the sender's NIC sends the data.
	RendezvousWrite
	// RendezvousRead: the sender first sends a request. When it has matched a receive, the
	// receiver's NIC reads the data.
	RendezvousRead
	// Synchronous is a rendezvous for any size, with the experiment's protocol or RendezvousWrite.
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

// Copies selects whether an eager message is copied through buffers of the library.
type Copies uint8

const (
	CopiesByExperiment Copies = iota
	ZeroCopy                  // directly from and to the program's buffers
	OneCopy                   // copied at each end
)
