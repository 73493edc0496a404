package mpi

import (
	"fabricast/collective/splits"
	"fabricast/node"
)

// groupSplits holds the splits in progress of one communicator, by sequence number.
type groupSplits = splits.Table[uint32, *group]

// splitTag is the tag of the messages of Split. It is far above the tags that collectives use.
const splitTag = maxTag

// Split makes new communicators: one for each color, with the ranks that passed that color, ordered
// by key and then by rank. It returns nil for the color Undefined. All ranks of the communicator
// must call it.
func (c *Comm) Split(color, key int) *Comm {
	if c.rank.cursor != nil {
		panic(errOutcome)
	}
	sequence := c.splits
	c.splits++
	if color < 0 && color != Undefined {
		c.failColor(color)
	}
	if c.rank.ops.World().MayPart() {
		return c.splitApart(int32(sequence), color, key)
	}
	found := func(members []int32) *group { return c.found(int32(sequence), members) }
	g, me := c.group.splits.Split((*private)(c), sequence, color, key, splitTag, found)
	if g == nil {
		return nil
	}
	return &Comm{rank: c.rank, group: g, me: me}
}

// Dup makes a communicator with the same ranks in the same order. All ranks must call it.
func (c *Comm) Dup() *Comm { return c.Split(0, c.Rank()) }

// found makes the group for one color of a split. number is the sequence number of the split;
// members lists the ranks of c in their new order.
func (c *Comm) found(number int32, members []int32) *group {
	ranks := c.worldRanks(members)
	return &group{
		ranks:   ranks,
		size:    len(ranks),
		context: c.rank.ops.World().NewContexts(c.splitOff(number, members), ranks),
		table:   c.group.table,
	}
}

// splitOff returns the description of a communicator that split number makes of some ranks of c.
func (c *Comm) splitOff(number int32, members []int32) node.Creation {
	return node.Creation{
		Kind: node.CreatedBySplit, Of: c.group.context, Number: number, First: members[0],
	}
}

func (c *Comm) worldRanks(members []int32) []int32 {
	ranks := make([]int32, len(members))
	for i, m := range members {
		ranks[i] = c.world(int(m))
	}
	return ranks
}

// splitApart implements Split where the ranks run in several processes.
func (c *Comm) splitApart(sequence int32, color, key int) *Comm {
	world := c.rank.ops.World()
	context, me := splits.Apart((*private)(c), color, key, splitTag, func(members []int32) int32 {
		return world.NewContexts(c.splitOff(sequence, members), c.worldRanks(members))
	})
	if context < 0 {
		return nil
	}
	ranks := world.RanksOf(context)
	g := &group{ranks: ranks, size: len(ranks), context: context, table: c.group.table}
	return &Comm{rank: c.rank, group: g, me: me}
}
