package steps

import (
	"fabricast/collective"
	"fabricast/node"
)

// FanOut sends a buffer from the root to every other rank.
func FanOut(c collective.Comm, buf node.Buf, root, tag int) {
	if c.Rank() != root {
		c.Recv(buf, root, tag)
		return
	}
	requests := make([]node.Request, 0, c.Size()-1)
	for to := range c.Size() {
		if to != root {
			requests = append(requests, c.Isend(buf, to, tag))
		}
	}
	c.WaitAll(requests)
}

// FanIn receives the operands of all other ranks and combines them with `own` in acc, starting with
// the last rank. own and acc may be the same buffer.
func FanIn(c collective.Comm, own, acc node.Buf, op *collective.Op, tag int) {
	last := c.Size() - 1
	mine := own
	if own.HasData() && own.Len() > 0 && acc.Len() > 0 && &own.Bytes()[0] == &acc.Bytes()[0] {
		mine = Scratch(own.Len(), own)
		Move(c, mine, own)
	}
	in := Scratch(acc.Len(), acc)
	for from := last; from >= 0; from-- {
		next := in
		if from == last {
			next = acc
		}
		if from == c.Rank() {
			Move(c, next, mine)
		} else {
			c.Recv(next, from, tag)
		}
		if from != last {
			Combine(c, op, acc, in, true)
		}
	}
}

// CollectBlocks gathers the blocks of all ranks at the root, one after another.
func CollectBlocks(c collective.Comm, send, recv node.Buf, root, tag int) {
	if c.Rank() != root {
		c.Send(send, root, tag)
		return
	}
	block := send.Len()
	for from := range c.Size() {
		if from == root {
			Move(c, recv.Slice(from*block, block), send)
		} else {
			c.Recv(recv.Slice(from*block, block), from, tag)
		}
	}
}
