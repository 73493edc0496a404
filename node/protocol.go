package node

import (
	"math"
	"strconv"
)

// Protocol is how a message travels.
type Protocol uint8

const (
	// ByExperiment is what the experiment says: eager up to a size, a rendezvous above it.
	ByExperiment Protocol = iota
	// Eager messages travel whether or not their receive is posted, and wait in memory.
	Eager
	// RendezvousWrite asks the receiver first, whose NIC answers when the message has met its receive;
	// then the sender's NIC sends the data.
	RendezvousWrite
	// RendezvousRead asks the receiver first, whose NIC then fetches the data.
	RendezvousRead
	// Synchronous is a rendezvous of any size, by the experiment's protocol or by RendezvousWrite: the send
	// is complete only when its receive has been posted (MPI_Ssend).
	Synchronous
)

// String is the protocol's name in Go.
func (p Protocol) String() string {
	names := [...]string{"ByExperiment", "Eager", "RendezvousWrite", "RendezvousRead", "Synchronous"}
	if int(p) >= len(names) {
		return strconv.Itoa(int(p))
	}
	return "node." + names[p]
}

// Copies tell whether an eager message goes through buffers of the library.
type Copies uint8

const (
	CopiesByExperiment Copies = iota
	ZeroCopy                  // straight from and to the program's buffers
	OneCopy                   // copied at each end
)

// protocols is what a world does with messages that have no options.
type protocols struct {
	eagerUpTo int64 // bytes
	large     uint8 // kind of larger ones: writeRequest or readRequest
}

func newProtocols(s *Spec) protocols {
	p := protocols{eagerUpTo: math.MaxInt64, large: writeRequest}
	switch s.Rendezvous {
	case RendezvousWrite:
		p.eagerUpTo = s.EagerUpTo
	case RendezvousRead:
		p.eagerUpTo, p.large = s.EagerUpTo, readRequest
	}
	return p
}

// EagerUpTo is the size in bytes of the largest messages that are sent whether or not their receive is posted, if no
// options say otherwise.
func (w *World) EagerUpTo() int64 { return w.protocols.eagerUpTo }

// kind is the kind of message that a send of so many bytes begins with.
func (p *protocols) kind(size int64) uint8 {
	if size > p.eagerUpTo {
		return p.large
	}
	return eager
}

// chosen is kind for a message with options.
func (p *protocols) chosen(size int64, o *Options, oneCopy bool) uint8 {
	kind := p.kind(size)
	switch o.Protocol {
	case Eager:
		kind = eager
	case RendezvousWrite:
		return writeRequest
	case RendezvousRead:
		return readRequest
	case Synchronous:
		return p.large
	}
	if kind == eager && (o.Copies == ZeroCopy && oneCopy || o.Copies == OneCopy && !oneCopy) {
		return eagerOtherwise
	}
	return kind
}

// answered tells whether options ask for a protocol in which NICs answer messages.
func (o *Options) answered() bool { return o.Protocol > Eager }
