package core

import (
	"sync/atomic"

	"fabricast/internal/snapshot"
)

// Counters holds a block's sums. Other goroutines read them for progress reports.
type Counters struct {
	Sums
	Progress atomic.Int64

	PublishedAt uint64 // visits, when the others were told last
	// packets, delivered and hops, as published some rounds ago
	PublishedPackets, PublishedDelivered, PublishedHops atomic.Uint64
}

// Sums are the counters that add up over blocks.
type Sums struct {
	Packets   uint64 // injected
	Delivered uint64 // packets in memory
	Hops      uint64 // router-to-router links taken
	Visits    uint64
	Bytes     uint64 // payload bytes in memory
	InjectSum int64  // sum of the injection times of all packets, modulo 2^64
	ArriveSum int64  // sum of the times at which they were in memory, modulo 2^64
}

// Moved returns the packets that a block has injected, passed on or delivered.
func (c *Counters) Moved() uint64 { return c.Packets + c.Hops + c.Delivered }

// state goes over a block's sums.
func (c *Counters) state(v *snapshot.Visitor) {
	snapshot.Value(v, &c.Sums)
	progress := c.Progress.Load()
	snapshot.Value(v, &progress)
	c.Progress.Store(progress)
}

// LinkCount is what a link has sent since the simulation began.
type LinkCount struct{ Flits, Packets uint64 }

func (c *LinkCount) Add(d LinkCount) {
	c.Flits += d.Flits
	c.Packets += d.Packets
}
