package traffic

import "fabricast/internal/invariants"

// bin holds counts of a short interval of simulated time. All counts are integers, so that the sum
// over partition blocks is exact in any order.
type bin struct {
	// Counts by time of generation.
	generated int64 // number of messages generated
	arrived   int64 // number of these messages that have been delivered
	latency   int64 // sum of the latencies of these delivered messages (ps)

	// Counts by time of delivery.
	bytes     int64 // bytes delivered, including headers
	delivered int64
	hash      [2]uint64 // hash of the delivered messages
}

// bins holds consecutive bins from time 0, each 2^shift ps long.
type bins struct {
	shift uint
	list  []bin
}

// at returns the bin that contains the given time (ps).
func (b *bins) at(time int64) *bin {
	if invariants.Enabled && time < 0 {
		panic("traffic: a time before 0")
	}
	i := int(time >> b.shift)
	for i >= len(b.list) {
		b.list = append(b.list, bin{})
	}
	return &b.list[i]
}

// add adds the counts of o to b.
func (b *bin) add(o *bin) {
	b.generated += o.generated
	b.arrived += o.arrived
	b.latency += o.latency
	b.bytes += o.bytes
	b.delivered += o.delivered
	b.hash[0] += o.hash[0]
	b.hash[1] += o.hash[1]
}

// hashOf returns a 128-bit hash of a delivered message: its NICs, size, generation time and
// delivery time. The sum of the hashes of all messages does not depend on their order.
func hashOf(src, dst int32, size, sent, at int64) (uint64, uint64) {
	a, b := uint64(0x243f6a8885a308d3), uint64(0x13198a2e03707344)
	ends := uint64(uint32(src))<<32 | uint64(uint32(dst))
	for _, w := range [...]uint64{ends, uint64(size), uint64(sent), uint64(at)} {
		a, b = mix(a^w)+golden, mix(b+w)
	}
	return a, b
}
