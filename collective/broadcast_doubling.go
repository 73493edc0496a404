package collective

import "fabricast/node"

var _ = broadcasts.register(30, Info{
	Name: ScatterDoubling, PowerOfTwo: true,
	Summary: "scatter down a binomial tree, then allgather by recursive doubling",
}, BroadcastScatterDoubling)

// BroadcastScatterDoubling is the broadcast for messages of medium length of Thakur, Rabenseifner
// and Gropp (2005): the message is cut into p chunks, which are scattered down a binomial tree and
// gathered by all with recursive doubling. p-1 messages for the scatter and p log2 p for the
// allgather; p must be a power of two.
func BroadcastScatterDoubling(c Comm, buf node.Buf, root int) {
	t := newTree(c, root)
	scatterChunks(c, t, buf)
	for bit := 1; bit < t.p; bit <<= 1 {
		partner := t.rel ^ bit
		mine, theirs := t.rel&^(bit-1), partner&^(bit-1)
		c.Sendrecv(chunks(buf, t.p, mine, mine+bit), t.rank(partner), tagBroadcast,
			chunks(buf, t.p, theirs, theirs+bit), t.rank(partner), tagBroadcast)
	}
}
