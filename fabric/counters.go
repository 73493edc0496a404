package fabric

import (
	"fabricast/internal/snapshot"
	"sync/atomic"
)

// counters holds a block's sums. Other goroutines read them for progress reports.
type counters struct {
	sums
	progress atomic.Int64

	toldAt uint64 // visits, when the others were told last
	// packets, delivered and hops, as published some rounds ago
	packetsTold, deliveredTold, hopsTold atomic.Uint64
}

// sums are the counters that add up over blocks.
type sums struct {
	packets   uint64 // injected
	delivered uint64 // packets in memory
	hops      uint64 // router-to-router links taken
	visits    uint64
	bytes     uint64 // payload bytes in memory
	injectSum int64  // sum of the injection times of all packets, modulo 2^64
	arriveSum int64  // sum of the times at which they were in memory, modulo 2^64
}

// moved returns the packets that a block has injected, passed on or delivered.
func (c *counters) moved() uint64 { return c.packets + c.hops + c.delivered }

// state goes over a block's sums.
func (c *counters) state(v *snapshot.Visitor) {
	snapshot.Value(v, &c.sums)
	progress := c.progress.Load()
	snapshot.Value(v, &progress)
	c.progress.Store(progress)
}

// linkCount is what a link has sent since the simulation began.
type linkCount struct{ flits, packets uint64 }

func (c *linkCount) add(d linkCount) {
	c.flits += d.flits
	c.packets += d.packets
}
