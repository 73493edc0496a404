package mpi

import "fabricast/collective"

var (
	_ collective.Placed = (*Comm)(nil)
	_ collective.Placed = (*private)(nil)
	_ collective.Placed = (*paced)(nil)
	_ collective.Placed = (*ByPut)(nil)
	_ collective.Placed = pacedPuts{}
)

// Layout returns where the communicator's ranks are in the machine, for algorithms of collectives;
// nil before the simulation.
func (c *Comm) Layout() *collective.Layout {
	if c.rank.ops == nil {
		return nil
	}
	machine, _ := c.rank.ops.World().Machine().(*collective.Machine)
	return machine.Layout(c.group.ranks, c.group.size)
}

func (p *private) Layout() *collective.Layout { return (*Comm)(p).Layout() }
func (p *paced) Layout() *collective.Layout   { return (*Comm)(p).Layout() }

// Layout is like Comm.Layout.
func (p *ByPut) Layout() *collective.Layout { return (*Comm)(p).Layout() }
