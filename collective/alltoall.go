package collective

import (
	"fmt"

	"fabricast/node"
)

// AlltoallFunc is an all-to-all algorithm: block d of send goes to rank d, and block s of recv
// comes from rank s. Both buffers hold one block for each rank.
type AlltoallFunc func(c Comm, send, recv node.Buf)

var alltoalls = family[AlltoallFunc]{kind: KindAlltoall}

// Alltoall sends a block from every rank to every rank.
func Alltoall(c Comm, send, recv node.Buf, a Algorithm) {
	if ranks := c.Size(); send.Len()%ranks != 0 {
		failBlocks(send.Len(), ranks)
	}
	checkLen(KindAlltoall, "receive", recv, send.Len())
	checkPair(KindAlltoall, send, recv)
	alltoalls.pick(a, c.Size())(alltoalls.start(c, a, 0, false), send, recv)
}

// failBlocks panics because the send buffer cannot be divided into equal blocks.
//
//go:noinline
func failBlocks(size, ranks int) {
	panic(fmt.Sprintf("%s: a send buffer of %d bytes is not %d equal blocks", KindAlltoall, size, ranks))
}

// ownBlock copies the block that a rank sends to itself, and returns the size of a block in bytes.
func ownBlock(c Comm, send, recv node.Buf) (block int) {
	block = send.Len() / c.Size()
	move(c, recv.Slice(c.Rank()*block, block), send.Slice(c.Rank()*block, block))
	return block
}
