package mpi

import (
	"fabricast/collective"
	"fabricast/node"
)

// The communicators of collectives spend the time that a rank needs to reduce or copy data, at the
// rates of the node model. In a program that is replayed (see Loop and Steps) this work takes no
// time.

var (
	_ collective.Worker = (*Comm)(nil)
	_ collective.Worker = (*private)(nil)
	_ collective.Worker = (*paced)(nil)
	_ collective.Worker = (*ByPut)(nil)
	_ collective.Worker = pacedPuts{}
)

// Combine spends the time that a rank needs to reduce two operands of the given size, if the node
// model has a rate for reductions.
func (c *Comm) Combine(bytes int) { c.rank.spend((*node.World).CombineTime, bytes) }

// Copy spends the time that a rank needs to copy the given number of bytes in a collective, if the
// node model has a rate for copies.
func (c *Comm) Copy(bytes int) { c.rank.spend((*node.World).PackTime, bytes) }

func (p *private) Combine(bytes int) { (*Comm)(p).Combine(bytes) }
func (p *private) Copy(bytes int)    { (*Comm)(p).Copy(bytes) }
func (p *paced) Combine(bytes int)   { (*Comm)(p).Combine(bytes) }
func (p *paced) Copy(bytes int)      { (*Comm)(p).Copy(bytes) }

// Combine is like Comm.Combine.
func (p *ByPut) Combine(bytes int) { (*Comm)(p).Combine(bytes) }

// Copy is like Comm.Copy.
func (p *ByPut) Copy(bytes int) { (*Comm)(p).Copy(bytes) }

// spend computes for as long as the node takes for work on so many bytes.
func (r *Rank) spend(time func(w *node.World, bytes int64) int64, bytes int) {
	if r.cursor != nil {
		return
	}
	if d := time(r.ops.World(), int64(bytes)); d > 0 {
		r.Compute(Duration(d))
	}
}
