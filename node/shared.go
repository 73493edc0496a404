package node

import (
	"sync/atomic"

	"fabricast/fabric"
)

// shared is what all blocks of a world share: the specification, where ranks are, and registries
// and stores with locks of their own.
type shared struct {
	spec Spec
	layout
	protocols     protocols
	payloads      payloads
	communicators communicators
	combinations  combinations
	failure       failure
	cancelled     atomic.Bool // ranks stop at their next operation
}

// init makes a specification that is right the one of the world.
func (w *shared) init(spec Spec) (err error) {
	if spec.Intra.Bandwidth == 0 {
		spec.Intra.Bandwidth = spec.Memory
	}
	if spec.Processor != nil { // sends cost the processor, and take no notice of NICs
		spec.UntilFetched, spec.Notice = false, 0
	}
	w.spec, w.protocols = spec, newProtocols(&spec)
	w.communicators.ranks = make([][]int32, 1)
	w.layout, err = newLayout(spec.HostOf, spec.Hosts)
	return err
}

// sourceOf returns the world rank that sent a message.
func (w *shared) sourceOf(m *fabric.Message) int32 {
	if w.several {
		return w.communicators.worldRank(m.Context, m.SrcRank)
	}
	host := m.Src
	// a branch is cheaper than the division
	if nics := int32(w.spec.NICsPerHost); nics > 1 {
		host /= nics
	}
	if w.straight {
		return host
	}
	return w.rankAt[host]
}

// copies reports whether a kind of message that differs from the others' copying is copied at both
// ends.
func (w *shared) copies(kind uint8) bool { return kind == eagerOtherwise && !w.spec.OneCopy }

// copyTime returns how long the memory takes for a copy of n bytes (ps).
func (w *shared) copyTime(n int64) int64 { return transferTime(n, int64(w.spec.Memory)) }
