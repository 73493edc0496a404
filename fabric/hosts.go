package fabric

import "iter"

// Hosts yields the block's hosts, in ascending order.
func (b *Block) Hosts() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for r := b.first; r < b.first+b.count; r++ {
			lr := b.routers.at(r)
			if lr.nHosts == 0 {
				continue
			}
			first := int32(b.firstHost(lr))
			for h := range int32(lr.nHosts) {
				if !yield(first + h) {
					return
				}
			}
		}
	}
}

// HostRange yields the hosts from first to end-1.
func HostRange(first, end int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for h := first; h < end; h++ {
			if !yield(h) {
				return
			}
		}
	}
}
