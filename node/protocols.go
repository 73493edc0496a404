package node

import "math"

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
