package node

import (
	"math"
	"strconv"

	"fabricast/internal/units"
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

// protocols holds the protocols of messages without options.
type protocols struct {
	eagerUpTo int64 // bytes
	toAll     int64 // bytes: the largest that is eager to every rank
	large     uint8 // kind of larger ones: writeRequest or readRequest
}

func newProtocols(s *Spec) protocols {
	p := protocols{eagerUpTo: math.MaxInt64, toAll: math.MaxInt64, large: writeRequest}
	if s.Processor != nil && s.Processor.Synchronous {
		up := int64(s.Processor.EagerUpTo)
		return protocols{eagerUpTo: up, toAll: up, large: synchronous}
	}
	switch s.Rendezvous {
	case RendezvousWrite:
		p.eagerUpTo = int64(s.EagerUpTo)
	case RendezvousRead:
		p.eagerUpTo, p.large = int64(s.EagerUpTo), readRequest
	}
	p.toAll = p.eagerUpTo
	if s.Peers > 0 {
		p.toAll = min(p.eagerUpTo, int64(s.EagerToOthers))
	}
	return p
}

// EagerUpTo returns the size of the largest messages that are eager, if their options do not say
// otherwise.
func (w *World) EagerUpTo() units.Bytes { return units.Bytes(w.protocols.eagerUpTo) }

// kind returns the kind of message with which a send of `size` bytes begins.
func (p *protocols) kind(size int64) uint8 {
	if size > p.eagerUpTo {
		return p.large
	}
	return eager
}

// chosen returns the kind of message with which a send with options begins.
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

// answered reports whether the options ask for a protocol in which NICs answer messages.
func (o *Options) answered() bool { return o.Protocol > Eager }
