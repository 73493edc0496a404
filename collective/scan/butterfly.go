package scan

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
)

var _ = register(20, collective.Info{
	Name: collective.Butterfly, Summary: "ceil(log2 p) exchanges with rank XOR 2^k, where there is one",
}, scanButterfly)

// scanButterfly exchanges, in round k, the combination of an aligned group of 2^k ranks with rank
// XOR 2^k, if that rank exists (as MPICH does). It keeps the combination of the whole group
// separate from that of the group's ranks up to this one.
func scanButterfly(c collective.Comm, p *prefix, tag int) {
	n, me := c.Size(), c.Rank()
	group := steps.Scratch(p.all.Len(), p.all)
	again := steps.Scratch(p.all.Len(), p.all)
	steps.Move(c, group, p.all)
	for bit := 1; bit < n; bit <<= 1 {
		partner := me ^ bit
		if partner >= n {
			continue
		}
		c.Sendrecv(group, partner, tag, p.in, partner, tag)
		steps.Move(c, again, p.in)
		if partner < me {
			p.take(c)
		}
		steps.Combine(c, p.op, group, again, partner < me)
	}
}
