package collective

var _ = registerScan(20, Info{
	Name: Butterfly, Summary: "ceil(log2 p) exchanges with rank XOR 2^k, where there is one",
}, scanButterfly)

// scanButterfly exchanges in round k the combination of an aligned group of 2^k ranks with rank XOR
// 2^k, if there is one (as MPICH does). The group's combination and that of the ranks up to this
// one are kept apart.
func scanButterfly(c Comm, p *prefix, tag int) {
	n, me := c.Size(), c.Rank()
	group := scratch(p.all.Len(), p.all)
	again := scratch(p.all.Len(), p.all)
	move(c, group, p.all)
	for bit := 1; bit < n; bit <<= 1 {
		partner := me ^ bit
		if partner >= n {
			continue
		}
		c.Sendrecv(group, partner, tag, p.in, partner, tag)
		move(c, again, p.in)
		if partner < me {
			p.take(c)
		}
		p.op.combine(c, group, again, partner < me)
	}
}
