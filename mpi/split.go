package mpi

import "fabricast/collective"

// splits are the communicators being made from one communicator, by how many were before.
type splits = collective.Splits[uint32, *group]

// splitTag marks the messages of Split among those of collectives, whose own tags are small.
const splitTag = maxTag

// Split makes new communicators: one for each color, of the ranks that gave it,
// ordered by key and then by rank. Ranks with color Undefined get nil. All ranks of the communicator must call it.
func (c *Comm) Split(color, key int) *Comm {
	if c.rank.cursor != nil {
		panic(errOutcome)
	}
	sequence := c.splits
	c.splits++
	if color < 0 && color != Undefined {
		c.failColor(color)
	}
	g, me := c.group.splits.Split((*private)(c), sequence, color, key, splitTag, c.found)
	if g == nil {
		return nil
	}
	return &Comm{rank: c.rank, group: g, me: me}
}

// Dup makes a communicator of the same ranks in the same order. All of them must call it.
func (c *Comm) Dup() *Comm { return c.Split(0, c.Rank()) }

// found makes the group of one color; members are ranks of c in their new order.
func (c *Comm) found(members []int32) *group {
	ranks := make([]int32, len(members))
	for i, m := range members {
		ranks[i] = c.world(int(m))
	}
	return &group{ranks: ranks, size: len(ranks), context: c.rank.ops.World().NewContexts(ranks), table: c.group.table}
}
