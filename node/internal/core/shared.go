package core

import (
	"sync/atomic"

	"fabricast/node/internal/model"

	"fabricast/fabric"
)

// Shared holds the state shared by all blocks of a world: the specification, the layout of ranks,
// and registries and stores with locks of their own.
type Shared struct {
	Spec model.Spec
	layout
	Protocols     protocols
	Payloads      payloads
	Communicators communicators
	Combinations  combinations
	Failure       failure
	Cancelled     atomic.Bool // ranks stop at their next operation
}

// Init sets the specification, which must be valid.
func (w *Shared) Init(spec model.Spec) (err error) {
	if spec.Intra.Bandwidth == 0 {
		spec.Intra.Bandwidth = spec.Memory
	}
	if spec.Processor != nil { // sends occupy the processor, and need no notice of completion
		spec.UntilFetched, spec.Notice = false, 0
	}
	w.Spec, w.Protocols = spec, newProtocols(&spec)
	w.Communicators.Ranks = make([][]int32, 1)
	w.layout, err = newLayout(spec.HostOf, spec.Hosts)
	return err
}

// SourceOf returns the world rank that sent a message.
func (w *Shared) SourceOf(m *fabric.Message) int32 {
	if w.Several {
		return w.Communicators.WorldRank(m.Context, m.SrcRank)
	}
	host := m.Src
	// a branch is cheaper than the division
	if nics := int32(w.Spec.NICsPerHost); nics > 1 {
		host /= nics
	}
	if w.straight {
		return host
	}
	return w.RankAt[host]
}

// Copies reports whether messages of a kind are copied at both ends although other messages are
// not.
func (w *Shared) Copies(kind uint8) bool {
	return kind == EagerOtherCopy && !w.Spec.OneCopy || kind == SwitchedMessage && w.Spec.OneCopy
}

// CopyTime returns the time (ps) that the memory takes to copy n bytes.
func (w *Shared) CopyTime(n int64) int64 { return model.TransferTime(n, int64(w.Spec.Memory)) }
