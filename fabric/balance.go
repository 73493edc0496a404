package fabric

import "slices"

// Balancer equalizes the work of a network's blocks during a run, by moving routers between them.
// It implements engine.Balancer. Between its periodic checks (calls of Look) it costs nothing.
//
// Moving routers has a price, which is compared twice with the accumulated excess work of blocks.
// When the excess reaches the price for the first time, the Balancer starts to count the work of
// each cell. When it reaches the price again during this count, the network is partitioned anew
// into blocks of equal work, unless that would have saved too little in the counted period. The
// total price of moves is thus less than the time lost to imbalance before, and a temporary
// imbalance is not mistaken for a lasting one.
type Balancer struct {
	cells    *Cells
	interval uint64   // number of router activations between two checks
	told     []uint64 // by block: its total work at the last check
	counted  []uint64 // by cell: its work before the count; empty if no count is in progress
	excess   excess
	least    uint64 // price of a move as long as the balance is good
	price    uint64
	moves    int
}

// The interval between two checks is looksEach activations per router, but at least leastLook
// activations in all.
const (
	looksEach = 4
	leastLook = 1 << 12
)

// priceEach is the price of a move per router, in packets of work. Measurements show about 2
// packets during which all workers wait, plus the cost of cold caches.
const priceEach = 4

// NewBalancer returns a balancer that moves the given cells.
func NewBalancer(cells *Cells) *Balancer {
	n := cells.net
	routers := uint64(len(n.layout.Routers))
	b := &Balancer{
		cells: cells, interval: max(leastLook, looksEach*routers), least: priceEach * routers,
		told: make([]uint64, len(n.blocks)), excess: make(excess, len(n.blocks)),
	}
	b.price = b.least
	for i, block := range n.blocks {
		b.told[i] = block.nics.Counters.Moved()
	}
	return b
}

// Moves returns the number of times that routers have been moved.
func (b *Balancer) Moves() int { return b.moves }

// Interval implements engine.Balancer.
func (b *Balancer) Interval() uint64 { return b.interval }

// Look implements engine.Balancer. The price doubles after each count, and halves at each check at
// which no block has excess work.
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

// work returns the work of each block since the last check.
func (b *Balancer) work() []uint64 {
	work := make([]uint64, len(b.told))
	for i, total := range b.cells.packetsMoved() {
		work[i], b.told[i] = total-b.told[i], total
	}
	return work
}

// excess accumulates, check by check, how much the work of each block has exceeded the mean plus an
// allowance. Excess in one interval is offset by a shortfall in the next, but the value is never
// negative. Work is the number of packets injected, forwarded or delivered.
type excess []uint64

// allowance divides the mean work to give the tolerated excess of a block.
const allowance = 20

// add adds the work of blocks since the last check, and returns the largest excess.
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

// saved returns the reduction of the largest work of any block if cells with the given work were
// divided by cuts instead of old.
func saved(work []uint64, old, cuts []int) uint64 {
	before, after := largest(work, old), largest(work, cuts)
	return before - min(before, after)
}

// largest returns the largest work of any block, given the work of each cell.
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

// cutEqually divides cells with the given work into runs of about equal work, of at least one cell
// each.
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
			// stop at the border closer to the target share
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

// work returns the work of each cell since the start: the packets that its routers have forwarded
// or delivered and its NICs have injected.
func (c *Cells) work() []uint64 {
	work := make([]uint64, len(c.endpoints))
	for _, b := range c.net.Blocks() {
		for i := b.nics.First; i < b.nics.First+b.nics.Count; i++ {
			r := b.nics.Routers.At(i)
			at := &work[i>>c.shift]
			for port := r.FirstPort; port < r.FirstPort+uint32(r.NumVCs)/b.nics.NumVCs; port++ {
				*at += b.model.SentBy(port).Packets
			}
			for nic := r.FirstNIC; nic < r.FirstNIC+uint32(r.NumNICs); nic++ {
				*at += b.nics.Send.NICs.At(nic).Packets
			}
		}
	}
	c.addUp(work)
	return work
}
