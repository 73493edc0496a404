package collective

import "fabricast/node"

var (
	_ = gathers.register(20, Info{
		Name: Linear, Summary: "from every rank to the root, one after the other",
	}, GatherLinear)
	_ = gathers.registerWith(30, Info{
		Name: LinearSync, Overlaps: true, Options: []Option{segmentOption(1 << 10)},
		Summary: "the root asks one rank after the other, while the ends of blocks are under way",
	}, func(v values) GatherFunc { return GatherLinearSync(v[0]) })
)

// GatherLinear sends every block directly to the root, which receives one after the other in the
// order of ranks (the linear algorithm of Open MPI). There are p-1 messages in total.
func GatherLinear(c Comm, send, recv node.Buf, root int) {
	collectBlocks(c, send, recv, root, tagGather)
}

// collectBlocks gathers the blocks of all ranks at the root, one after the other.
func collectBlocks(c Comm, send, recv node.Buf, root, tag int) {
	if c.Rank() != root {
		c.Send(send, root, tag)
		return
	}
	block := send.Len()
	for from := range c.Size() {
		if from == root {
			move(c, recv.Slice(from*block, block), send)
		} else {
			c.Recv(recv.Slice(from*block, block), from, tag)
		}
	}
}

// GatherLinearSync returns Open MPI's synchronized linear gather. The root requests the block of
// one rank after the other by an empty message. It goes on to the next rank when the block's first
// segment has arrived, while the rest is in progress. There are two messages for each rank but the
// root, or three if a block is longer than a segment. A segment of 0 holds the whole block, and the
// rest is an empty message.
func GatherLinearSync(segment int) GatherFunc {
	return func(c Comm, send, recv node.Buf, root int) {
		block := send.Len()
		first := min(block, segment)
		if segment == 0 {
			first = block
		}
		split := first < block || segment == 0
		if c.Rank() != root {
			c.Recv(node.Buf{}, root, tagGather)
			c.Send(part(send, 0, first), root, tagGather)
			if split {
				c.Send(part(send, first, block), root, tagGather)
			}
			return
		}
		move(c, recv.Slice(root*block, block), send)
		rest := make([]node.Request, 0, c.Size()-1)
		for from := range c.Size() {
			if from == root {
				continue
			}
			into := recv.Slice(from*block, block)
			head := c.Irecv(part(into, 0, first), from, tagGather)
			c.Send(node.Buf{}, from, tagGather)
			if split {
				rest = append(rest, c.Irecv(part(into, first, block), from, tagGather))
			}
			c.Wait(head)
		}
		c.WaitAll(rest)
	}
}
