package fabric

import "iter"

// Hosts yields the block's hosts, in ascending order.
func (b *Block) Hosts() iter.Seq[int32] {
	return b.nics.HostsOf(b.nics.First, b.nics.First+b.nics.Count)
}

// HostRange yields the hosts first to end-1.
func HostRange(first, end int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for h := first; h < end; h++ {
			if !yield(h) {
				return
			}
		}
	}
}
