package traffic

import "fabricast/internal/invariants"

// bin counts what happens in a short interval of simulated time. It holds integer sums only, so
// that the bins of several blocks add up exactly.
type bin struct {
	// Counted by the time of generation: messages.
	generated int64 // messages
	arrived   int64 // those of them that have been delivered
	latency   int64 // ps, sum over these

	// Counted by the time of delivery: bytes on the wire.
	bytes     int64 // on the wire
	delivered int64
	hash      [2]uint64 // over the messages
}

// bins holds consecutive bins from time 0 on, each of 2^shift ps.
type bins struct {
	shift uint
	list  []bin
}

// at returns the bin that contains a time (ps).
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

// add adds the counts of another bin.
func (b *bin) add(o *bin) {
	b.generated += o.generated
	b.arrived += o.arrived
	b.latency += o.latency
	b.bytes += o.bytes
	b.delivered += o.delivered
	b.hash[0] += o.hash[0]
	b.hash[1] += o.hash[1]
}

// hashOf hashes a message's NICs, size, generation and delivery time to 128 bits. The sum of hashes
// over all messages does not depend on their order.
func hashOf(src, dst int32, size, sent, at int64) (uint64, uint64) {
	a, b := uint64(0x243f6a8885a308d3), uint64(0x13198a2e03707344)
	ends := uint64(uint32(src))<<32 | uint64(uint32(dst))
	for _, w := range [...]uint64{ends, uint64(size), uint64(sent), uint64(at)} {
		a, b = mix(a^w)+golden, mix(b+w)
	}
	return a, b
}
