package fabric

import "slices"

// Balancer keeps the work of a network's blocks equal while they run, by moving routers between
// them. It implements engine.Balancer. Between looks it costs nothing.
//
// Moving routers has a price, which is compared with the excess of blocks twice. When it is reached
// for the first time, the work of cells begins to be counted. When it is reached again meanwhile, the
// network is cut anew at equal work, unless that would have saved too little in the time that was
// counted. So less is paid for moves than was lost before for want of them, and what passes is not
// taken for what lasts.
type Balancer struct {
	cells    *Cells
	interval uint64   // router activations between two looks
	told     []uint64 // by block: its work before the last look
	counted  []uint64 // by cell: its work before the count; empty if none goes on
	excess   excess
	least    uint64 // price of a move, if all is well
	price    uint64
	moves    int
}

// A look follows another after so many activations of each router, and no fewer than leastLook in
// all.
const (
	looksEach = 4
	leastLook = 1 << 12
)

// A move's price is the work of so many packets for each router: measured are about 2 in which all
// workers wait, to which come cold caches.
const priceEach = 4

// NewBalancer returns a balancer that moves cells.
func NewBalancer(cells *Cells) *Balancer {
	n := cells.net
	routers := uint64(len(n.layout.routers))
	b := &Balancer{
		cells: cells, interval: max(leastLook, looksEach*routers), least: priceEach * routers,
		told: make([]uint64, len(n.blocks)), excess: make(excess, len(n.blocks)),
	}
	b.price = b.least
	for i, block := range n.blocks {
		b.told[i] = block.nics.counters.moved()
	}
	return b
}

// Moves returns how often routers have moved.
func (b *Balancer) Moves() int { return b.moves }

// Interval implements engine.Balancer.
func (b *Balancer) Interval() uint64 { return b.interval }

// Look implements engine.Balancer. After each count the price doubles. It halves again with each look
// at which no block has excess.
func (b *Balancer) Look() {
	switch most := b.excess.add(b.work()); {
	case most == 0:
		b.counted = b.counted[:0]
		b.price = max(b.least, b.price/2)
		return
	case most < b.price:
		return
	}
	clear(b.excess)
	before := b.counted
	b.counted = b.cells.work()
	if len(before) == 0 {
		return
	}
	for i := range before {
		before[i] = b.counted[i] - before[i]
	}
	b.counted = b.counted[:0]
	if cuts := b.cells.equally(before); saved(before, b.cells.Cuts(), cuts) >= b.price/2 {
		b.cells.Recut(cuts)
		b.moves++
	}
	b.price *= 2
}

// work returns the work of each block since the last look.
func (b *Balancer) work() []uint64 {
	work := make([]uint64, len(b.told))
	for i, total := range b.cells.packetsMoved() {
		work[i], b.told[i] = total-b.told[i], total
	}
	return work
}

// excess is by how much the work of each block has exceeded the mean and an allowance, look by look:
// what it had more in one is balanced by what it has less in the next, but it is never below 0. Work
// is counted in packets that are injected, passed on or delivered.
type excess []uint64

// allowance is the part of the mean by which the work of a block may exceed it.
const allowance = 20

// add adds the work of blocks since the last look, and returns the largest excess.
func (e excess) add(work []uint64) uint64 {
	var sum uint64
	for _, w := range work {
		sum += w
	}
	mean := sum / uint64(len(work))
	mean += mean / allowance
	for i, w := range work {
		e[i] += w
		e[i] -= min(e[i], mean)
	}
	return slices.Max(e)
}

// saved returns by how much the most that a block has to do becomes less if cells of this work are cut
// otherwise.
func saved(work []uint64, old, cuts []int) uint64 {
	before, after := largest(work, old), largest(work, cuts)
	return before - min(before, after)
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
	for _, b := range c.net.Blocks() {
		for i := b.nics.first; i < b.nics.first+b.nics.count; i++ {
			r := b.nics.routers.at(i)
			at := &work[i>>c.shift]
			for port := r.ports; port < r.ports+uint32(r.slots)/b.nics.vcs; port++ {
				*at += b.model.sentBy(port).packets
			}
			for nic := r.nics; nic < r.nics+uint32(r.nNICs); nic++ {
				*at += b.nics.send.nics.at(nic).packets
			}
		}
	}
	c.addUp(work)
	return work
}
