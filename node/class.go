package node

import "fabricast/fabric"

// SizeClass is the class of messages up to a size, for switches that arbitrate by
// priority: the greater, the more urgent.
type SizeClass struct {
	To    int64 // bytes
	Class uint8
}

// classOf is the class of a message: that of the first size that it does not exceed, else 0.
func classOf(classes []SizeClass, size int64) uint8 {
	for _, c := range classes {
		if size <= c.To {
			return c.Class
		}
	}
	return 0
}

// dispatch hands a message to the network. What it carries now tells its class, so that requests of a
// rendezvous and other small messages of protocols are classed for themselves.
func (b *Block) dispatch(id fabric.MsgID) {
	if classes := b.world.spec.Classes; classes != nil {
		m := b.transport.Message(id)
		m.Class = classOf(classes, m.Size)
	}
	b.transport.Post(id)
}
