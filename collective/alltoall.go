package collective

import (
	"fmt"

	"fabricast/node"
)

// AlltoallFunc is an all-to-all algorithm: block d of send goes to rank d, and
// block s of recv comes from rank s. Both buffers hold Size blocks.
type AlltoallFunc func(c Comm, send, recv node.Buf)

var alltoalls = family[AlltoallFunc]{KindAlltoall, []entry[AlltoallFunc]{
	{Info{Name: Bruck, Summary: "ceil(log2 p) rounds of about p/2 blocks each, forwarded by way of others"}, AlltoallBruck},
	{Info{Name: Ring, Stackless: true, Summary: "p-1 rounds: to the rank i above, from the rank i below"}, AlltoallRing},
	{Info{Name: Pairwise, Stackless: true, Summary: "p-1 rounds: exchange with rank XOR i", PowerOfTwo: true}, AlltoallPairwise},
	{Info{Name: SimpleSpread, Summary: "all p-1 sends and receives at once"}, AlltoallSimpleSpread},
	{Info{Name: Butterfly, Summary: "log2 p rounds of p/2 blocks each with rank XOR 2^k", PowerOfTwo: true}, AlltoallButterfly},
}}

// Alltoall sends a block from every rank to every rank.
func Alltoall(c Comm, send, recv node.Buf, a Algorithm) {
	if ranks := c.Size(); send.Len()%ranks != 0 {
		failBlocks(send.Len(), ranks)
	}
	checkLen(KindAlltoall, "receive", recv, send.Len())
	checkPair(KindAlltoall, send, recv)
	alltoalls.pick(a, c.Size())(alltoalls.start(c, a, 0, false), send, recv)
}

//go:noinline
func failBlocks(size, ranks int) {
	panic(fmt.Sprintf("%s: a send buffer of %d bytes is not %d equal blocks", KindAlltoall, size, ranks))
}

// ownBlock copies the block that a rank sends to itself, and returns the size
// of a block in bytes.
func ownBlock(c Comm, send, recv node.Buf) (block int) {
	block = send.Len() / c.Size()
	move(recv.Slice(c.Rank()*block, block), send.Slice(c.Rank()*block, block))
	return block
}
