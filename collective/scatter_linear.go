package collective

import "fabricast/node"

var _ = scatters.register(20, Info{
	Name: Linear, Summary: "from the root to every rank, one after the other",
}, ScatterLinear)

// ScatterLinear sends every block from the root, one after the other in the order of ranks (the
// linear algorithm of Open MPI). p-1 messages.
func ScatterLinear(c Comm, send, recv node.Buf, root int) {
	if c.Rank() != root {
		c.Recv(recv, root, tagScatter)
		return
	}
	block := recv.Len()
	for to := range c.Size() {
		if to == root {
			move(c, recv, send.Slice(to*block, block))
		} else {
			c.Send(send.Slice(to*block, block), to, tagScatter)
		}
	}
}
