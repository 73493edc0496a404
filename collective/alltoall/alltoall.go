package alltoall

import (
	"fmt"

	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

// Func is an all-to-all algorithm: block d of send goes to rank d, and block s of recv comes from
// rank s. Both buffers have one block for each rank.
type Func func(c collective.Comm, send, recv node.Buf)

// Algorithms holds the all-to-all algorithms.
var Algorithms = collective.NewFamily[Func](collective.TagAlltoall, collective.KindAlltoall)

// Run sends one block from every rank to every rank, with algorithm a.
func Run(c collective.Comm, send, recv node.Buf, a collective.Algorithm) {
	if ranks := c.Size(); send.Len()%ranks != 0 {
		failBlocks(send.Len(), ranks)
	}
	steps.CheckLen(collective.KindAlltoall, "receive", recv, send.Len())
	steps.CheckPair(collective.KindAlltoall, send, recv)
	chosen := Algorithms.Choose(a, c.Size())
	chosen.Run(chosen.Start(c, collective.Start{Bytes: send.Len()}), send, recv)
}

// failBlocks panics because a send buffer cannot be divided into equal blocks.
//
//go:noinline
func failBlocks(size, ranks int) {
	panic(fmt.Sprintf("%s: a send buffer of %d bytes is not %d equal blocks", collective.KindAlltoall, size, ranks))
}

// ownBlock copies the block that a rank sends to itself, and returns the size of a block in bytes.
func ownBlock(c collective.Comm, send, recv node.Buf) (block int) {
	block = send.Len() / c.Size()
	steps.Move(c, recv.Slice(c.Rank()*block, block), send.Slice(c.Rank()*block, block))
	return block
}
