package fabric

import "slices"

// Balancer keeps the work of a network's blocks equal while they run, by moving routers between
// them. It implements engine.Balancer. Between looks it costs nothing.
type Balancer struct {
	cells    *Cells
	least    uint64 // router activations between two looks, if all is well
	interval uint64
	told     []uint64 // by block: its work before the last look
	counted  []uint64 // by cell: its work before the last look; empty if it was not counted
	moves    int
}

// A look follows another after so many activations of each router, and no fewer than leastLook in
// all.
const (
	looksEach = 4
	leastLook = 1 << 12
)

// NewBalancer returns a balancer that moves cells.
func NewBalancer(cells *Cells) *Balancer {
	n := cells.net
	b := &Balancer{
		cells: cells, least: max(leastLook, looksEach*uint64(len(n.layout.routers))),
		told: make([]uint64, len(n.blocks)),
	}
	b.interval = b.least
	for i, block := range n.blocks {
		b.told[i] = block.counters.moved()
	}
	return b
}

// Moves returns how often routers have moved.
func (b *Balancer) Moves() int { return b.moves }

// Interval implements engine.Balancer.
func (b *Balancer) Interval() uint64 { return b.interval }

// Look implements engine.Balancer. Where the work since the last look was uneven, the next look
// counts the work of each cell, and if it still is uneven then, the blocks are cut anew at equal work.
// After each such attempt the next look comes twice as late, and earlier again when all is well.
func (b *Balancer) Look() {
	work := make([]uint64, len(b.told))
	for i, block := range b.cells.net.blocks {
		total := block.counters.moved()
		work[i], b.told[i] = total-b.told[i], total
	}
	if !uneven(work) {
		b.counted = b.counted[:0]
		b.interval = max(b.least, b.interval/2)
		return
	}
	before := b.counted
	b.counted = b.cells.work()
	if len(before) == 0 {
		return
	}
	for i := range before {
		before[i] = b.counted[i] - before[i]
	}
	b.counted = b.counted[:0]
	b.interval *= 2
	if cuts := cutEqually(before, len(work)); pays(before, b.cells.Cuts(), cuts) {
		b.cells.Recut(cuts)
		b.moves++
	}
}

// uneven reports whether the work of blocks differs by more than a tenth of its mean.
func uneven(work []uint64) bool {
	var sum uint64
	for _, w := range work {
		sum += w
	}
	return 10*uint64(len(work))*(slices.Max(work)-slices.Min(work)) > sum
}

// pays reports whether the most that a block has to do becomes less by a thirty-second if cells of
// this work are cut otherwise.
func pays(work []uint64, old, cuts []int) bool {
	before, after := largest(work, old), largest(work, cuts)
	return before-min(before, after) > before/32
}

// largest returns the most work of a block, by the work of cells.
func largest(work []uint64, cuts []int) (most uint64) {
	for i := range len(cuts) - 1 {
		var sum uint64
		for _, w := range work[cuts[i]:cuts[i+1]] {
			sum += w
		}
		most = max(most, sum)
	}
	return most
}

// cutEqually cuts cells of this work into runs of about equal work, at least one cell each.
func cutEqually(work []uint64, runs int) []int {
	cuts := make([]int, runs+1)
	var total, sum uint64
	for _, w := range work {
		total += w
	}
	cell := 0
	for i := 1; i < runs; i++ {
		last := len(work) - (runs - i)
		for share := total / uint64(runs) * uint64(i); cell < last; cell++ {
			// the border that is nearer to the share
			if cell > cuts[i-1] && sum+work[cell]/2 >= share {
				break
			}
			sum += work[cell]
		}
		cuts[i] = cell
	}
	cuts[runs] = len(work)
	return cuts
}

// work returns the work of each cell since the beginning: the packets that its routers have passed on
// or delivered, and its NICs injected.
func (c *Cells) work() []uint64 {
	work := make([]uint64, len(c.endpoints))
	b := c.net.blocks[0]
	for i := range c.net.layout.routers {
		r := &c.net.layout.routers[i]
		at := &work[i>>c.shift]
		for port := r.ports; port < r.ports+uint32(r.slots)/b.vcs; port++ {
			*at += portCount(b.general, &b.ports, port).packets
		}
		for nic := r.nics; nic < r.nics+uint32(r.nNICs); nic++ {
			*at += b.send.nics.at(nic).packets
		}
	}
	return work
}

// moved returns the packets that a block has injected, passed on or delivered.
func (c *counters) moved() uint64 { return c.packets + c.hops + c.delivered }
