package gather

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var (
	_ = Algorithms.Register(20, collective.Info{
		Name: collective.Linear, Summary: "from every rank to the root, one after the other",
	}, Linear)
	_ = Algorithms.RegisterWith(30, collective.Info{
		Name: collective.LinearSync, Overlaps: true, Options: []collective.Option{steps.SegmentOption(1 << 10)},
		Summary: "the root asks one rank after the other, while the ends of blocks are under way",
	}, func(v collective.Values) Func { return LinearSync(v[0]) })
)

// Linear sends every block directly to the root, which receives them one after another in the order
// of ranks (the linear algorithm of Open MPI). There are p-1 messages in total.
func Linear(c collective.Comm, send, recv node.Buf, root int) {
	steps.CollectBlocks(c, send, recv, root, collective.TagGather)
}

// LinearSync returns Open MPI's synchronized linear gather. The root requests the block of one rank
// after another with an empty message. It goes on to the next rank when the first segment of the
// block has arrived, while the rest is still in transit. There are two messages for each rank
// except the root, or three if a block is longer than a segment. If segment is 0, the segment is
// the whole block, and the rest is an empty message.
func LinearSync(segment int) Func {
	return func(c collective.Comm, send, recv node.Buf, root int) {
		block := send.Len()
		first := min(block, segment)
		if segment == 0 {
			first = block
		}
		split := first < block || segment == 0
		if c.Rank() != root {
			c.Recv(node.Buf{}, root, collective.TagGather)
			c.Send(steps.Part(send, 0, first), root, collective.TagGather)
			if split {
				c.Send(steps.Part(send, first, block), root, collective.TagGather)
			}
			return
		}
		steps.Move(c, recv.Slice(root*block, block), send)
		rest := make([]node.Request, 0, c.Size()-1)
		for from := range c.Size() {
			if from == root {
				continue
			}
			into := recv.Slice(from*block, block)
			head := c.Irecv(steps.Part(into, 0, first), from, collective.TagGather)
			c.Send(node.Buf{}, from, collective.TagGather)
			if split {
				rest = append(rest, c.Irecv(steps.Part(into, first, block), from, collective.TagGather))
			}
			c.Wait(head)
		}
		c.WaitAll(rest)
	}
}
