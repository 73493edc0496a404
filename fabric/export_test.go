package fabric

import (
	"fabricast/engine"
	"fabricast/fabric/model"
)

// NewGeneral is New on the general path, which need not be what the Spec asks for.
func NewGeneral(spec model.Spec, blocks int) (*Network, error) { return build(spec, blocks, true, nil) }

// Places returns how many places for packets the blocks have handed out so far.
func (n *Network) Places() (places uint32) {
	for _, b := range n.blocks {
		places += b.fast.VCs.Pool.Used - b.fast.VCs.Pool.Own.First
	}
	return places
}

// PrefetchAlways has blocks of any size prefetch.
func (n *Network) PrefetchAlways() {
	for _, b := range n.blocks {
		if b.fast != nil {
			b.fast.Loader.From = 0
		} else {
			b.general.Loader.From, b.general.Loader.Fewest = 0, 0
		}
	}
}

// NeverSweep keeps the rings of empty FIFOs where they are.
func (n *Network) NeverSweep() {
	for _, b := range n.blocks {
		b.fast.VCs.SweepEvery = 0
	}
}

// ShortStreams lets even a single packet form a stream.
func (n *Network) ShortStreams() {
	for _, b := range n.blocks {
		if b.fast != nil {
			b.fast.ShortStreams()
		}
	}
}

// Divides reports whether the latencies of messages are divided by cause.
func (n *Network) Divides() bool { return n.divisions != nil }

// General reports whether the network is on the general path.
func (n *Network) General() bool { return n.Blocks()[0].general != nil }

// EngineBlocks returns the network's blocks for engine.Run.
func (n *Network) EngineBlocks() (blocks []engine.Block) {
	for _, b := range n.Blocks() {
		blocks = append(blocks, b)
	}
	return blocks
}
