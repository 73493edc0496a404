package core

import (
	"sync/atomic"

	"fabricast/fabric/model"

	"fabricast/internal/snapshot"
)

// Counters holds a block's statistics. Other goroutines read them for progress reports.
type Counters struct {
	Sums
	Progress atomic.Int64

	PublishedAt uint64 // value of Visits at the last publication
	// Packets, Delivered and Hops as of the last publication.
	PublishedPackets, PublishedDelivered, PublishedHops atomic.Uint64
}

// Sums are the counters that are summed over blocks.
type Sums struct {
	Packets   uint64 // injected packets
	Delivered uint64 // packets delivered to memory
	Hops      uint64 // router-to-router links taken
	Visits    uint64
	Bytes     uint64 // payload bytes delivered to memory
	InjectSum int64  // sum of the injection times of all packets, modulo 2^64
	ArriveSum int64  // sum of the times at which packets were in memory, modulo 2^64
	Streams   model.StreamCounts
	Retried   uint64 // times that a link has sent a packet again
	Rerouted  uint64 // injected packets whose tables lead them another way than Spec.Routing
	Marked    uint64 // times that Hooks.Start has changed the Meta of a packet
	Notified  uint64 // replies of hooks that NICs have sent as packets
	Lost      uint64 // packets that links have lost
	Repeated  uint64 // packets that NICs have sent again
	GivenUp   uint64 // lost packets that NICs do not send again
	Refused   int64  // time for which injectors have held back packets that have left since (ps)
}

// Moved returns the number of packets that a block has injected, forwarded or delivered.
func (c *Counters) Moved() uint64 { return c.Packets + c.Hops + c.Delivered }

// state visits a block's counters.
func (c *Counters) state(v *snapshot.Visitor) {
	snapshot.Value(v, &c.Sums)
	progress := c.Progress.Load()
	snapshot.Value(v, &progress)
	c.Progress.Store(progress)
}

// LinkCount holds the transmit counters of a link since the start of the simulation.
type LinkCount struct{ Flits, Packets uint64 }

func (c *LinkCount) Add(d LinkCount) {
	c.Flits += d.Flits
	c.Packets += d.Packets
}

// triangle returns 0 + 1 + ... + (n-1).
func triangle(n int64) int64 {
	if n%2 == 0 {
		return n / 2 * (n - 1)
	}
	return (n - 1) / 2 * n
}
