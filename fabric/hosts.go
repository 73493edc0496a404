package fabric

import "iter"

// Hosts yields the block's hosts, in ascending order.
func (b *Block) Hosts() iter.Seq[int32] { return hostsOf(b.layout, b.first, b.first+b.count) }

// hostsOf yields the hosts of the routers from first to end-1, in ascending order.
func hostsOf(l *layout, first, end uint32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for r := first; r < end; r++ {
			lr := &l.routers[r]
			if lr.nHosts == 0 {
				continue
			}
			first := int32(l.firstHost(lr))
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
