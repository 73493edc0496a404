package cmpi

import (
	"unsafe"

	"fabricast/cmpi/internal/host"
	"fabricast/collective"
)

var _ collective.Placed = (*comm)(nil)

// Layout implements collective.Placed.
func (c *comm) Layout() *collective.Layout {
	machine, _ := c.ops.World().Machine().(*collective.Machine)
	return machine.Layout(c.ranks, c.Size())
}

// layout returns where the ranks of a call's communicator are.
func (p *program) layout(c *host.Call) *collective.Layout {
	machine, _ := p.ops.World().Machine().(*collective.Machine)
	var ranks []int32
	if c.Ranks != nil {
		ranks = unsafe.Slice(c.Ranks, c.Size)
	}
	return machine.Layout(ranks, int(c.Size))
}
