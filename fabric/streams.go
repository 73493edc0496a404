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

// receiveAll makes the blocks of all processes process what others have sent in their last round. Streams that
// cross borders can only be ended after that.
func receiveAll(n *Network) {
	a := n.across
	switch {
	case n.ahead:
		return
	case a == nil:
		collect(n.blocks)
		return
	}
	round, begins := a.begin()
	if !begins {
		return
	}
	a.fill(nil, true)
	a.spread(a.group.Exchange(a.out), round, 0)
	collect(n.Blocks())
	a.emptyFilled(round)
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
