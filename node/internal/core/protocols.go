package core

import (
	"math"

	"fabricast/node/internal/model"
)

// protocols holds the protocols of messages that have no options.
type protocols struct {
	EagerUpTo int64 // bytes
	ToAll     int64 // bytes: maximum size of messages that are eager to every rank
	Large     uint8 // kind of larger messages: WriteRequest or ReadRequest
}

func newProtocols(s *model.Spec) protocols {
	p := protocols{EagerUpTo: math.MaxInt64, ToAll: math.MaxInt64, Large: WriteRequest}
	if s.Processor != nil && s.Processor.Synchronous {
		up := int64(s.Processor.EagerUpTo)
		return protocols{EagerUpTo: up, ToAll: up, Large: SynchronousMessage}
	}
	switch s.Rendezvous {
	case model.RendezvousWrite:
		p.EagerUpTo = int64(s.EagerUpTo)
	case model.RendezvousRead:
		p.EagerUpTo, p.Large = int64(s.EagerUpTo), ReadRequest
	}
	p.ToAll = p.EagerUpTo
	if s.Peers > 0 {
		p.ToAll = min(p.EagerUpTo, int64(s.EagerToOthers))
	}
	return p
}

// Kind returns the kind of the first message of a send of `size` bytes.
func (p *protocols) Kind(size int64) uint8 {
	if size > p.EagerUpTo {
		return p.Large
	}
	return EagerMessage
}

// Chosen returns the kind of the first message of a send with options.
func (p *protocols) Chosen(size int64, o *model.Options, oneCopy bool) uint8 {
	kind := p.Kind(size)
	switch o.Protocol {
	case model.Eager:
		kind = EagerMessage
	case model.RendezvousWrite:
		return WriteRequest
	case model.RendezvousRead:
		return ReadRequest
	case model.Synchronous:
		return p.Large
	}
	if kind == EagerMessage && (o.Copies == model.ZeroCopy && oneCopy || o.Copies == model.OneCopy && !oneCopy) {
		return EagerOtherCopy
	}
	return kind
}
