package cmpi

import "fabricast/collective"

// Collectives spend the time of their work on data at the rates of the node. A collective that is
// replayed could not; where the node has rates, none is.

var _ collective.Worker = (*comm)(nil)

// Combine implements collective.Worker.
func (c *comm) Combine(bytes int) { c.work(c.ops.World().CombineTime(int64(bytes))) }

// Copy implements collective.Worker.
func (c *comm) Copy(bytes int) { c.work(c.ops.World().PackTime(int64(bytes))) }

// work computes for a time (ps).
func (c *comm) work(time int64) {
	if time > 0 {
		c.fit(1)
		c.ops.Compute(time)
	}
}
