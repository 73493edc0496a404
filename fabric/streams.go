package fabric

// SetStreams lets long messages form streams in the network, or not: then every packet is simulated
// by itself. The result is the same. It must be called before the first window.
func (n *Network) SetStreams(on bool) {
	for _, b := range n.Blocks() {
		if b.fast != nil {
			b.fast.SetStreams(on)
		}
	}
}

// endStreams ends the streams of all blocks of this process, between two windows.
func endStreams(n *Network) {
	for _, b := range n.Blocks() {
		b.endStreams()
	}
}

// endStreams ends the block's streams, between two windows.
func (b *Block) endStreams() {
	if b.fast != nil {
		b.fast.EndStreams()
	}
}

// settleStreams counts the packets of streams that have been sent so far, between two windows.
func settleStreams(n *Network) {
	for _, b := range n.Blocks() {
		if b.fast != nil {
			b.fast.SettleNow()
		}
	}
}
