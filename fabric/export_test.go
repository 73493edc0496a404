package fabric

// NewGeneral is New on the general path, which need not be what the Spec asks for.
func NewGeneral(spec Spec, blocks int) (*Network, error) { return build(spec, blocks, true, nil) }

// Places returns how many places for packets the blocks have handed out so far.
func (n *Network) Places() (places uint32) {
	for _, b := range n.blocks {
		places += b.fast.lanes.pool.used - b.fast.lanes.pool.own.first
	}
	return places
}

// PrefetchAlways has blocks of any size prefetch.
func (n *Network) PrefetchAlways() {
	for _, b := range n.blocks {
		if b.fast != nil {
			b.fast.loader.from = 0
		} else {
			b.general.loader.from, b.general.loader.fewest = 0, 0
		}
	}
}

// NeverSweep keeps the rings of empty FIFOs where they are.
func (n *Network) NeverSweep() {
	for _, b := range n.blocks {
		b.fast.lanes.sweepEvery = 0
	}
}
