package fabric

import (
	"slices"

	"fabricast/internal/cluster"
)

// packetsMoved returns the number of packets that each block of any process has injected, forwarded
// or delivered.
func (c *Cells) packetsMoved() []uint64 {
	n := c.net
	work := make([]uint64, len(n.blocks))
	first, _ := n.Numbers()
	for i, b := range n.Blocks() {
		work[first+i] = b.nics.Counters.Moved()
	}
	c.addUp(work)
	return work
}

// addUp replaces each number by its sum over all processes.
func (c *Cells) addUp(numbers []uint64) {
	n := c.net
	if n.across == nil {
		return
	}
	own := slices.Clone(cluster.Bytes(numbers))
	for p, data := range cluster.Gather(n.across.group, own) {
		if p != n.across.group.Rank() {
			r := reader{data}
			for i := range numbers {
				numbers[i] += one[uint64](&r)
			}
		}
	}
}

// equally divides the cells among the blocks, into runs of about equal work. Cells that must stay
// in their process do so.
func (c *Cells) equally(work []uint64) []int {
	cuts := cutEqually(work, len(c.net.blocks))
	if c.net.across == nil {
		return cuts
	}
	borders := c.bordersFor(cuts)
	for p, border := range borders[:len(borders)-1] {
		first, end := c.net.across.blocksOf(p)
		for i, cell := range cutEqually(work[border:borders[p+1]], end-first) {
			cuts[first+i] = border + cell
		}
	}
	return cuts
}

// bordersFor returns the first cell of each process, followed by the number of cells. The borders
// are as close to cuts as they can be without moving cells that must stay in their process. If
// there are no such borders, it returns the current ones.
func (c *Cells) bordersFor(cuts []int) []int {
	a, now, stays := c.net.across, c.Cuts(), c.stays()
	was, borders := []int{0}, []int{0}
	fits := true
	for p := 1; p <= a.group.Size(); p++ {
		before, _ := a.blocksOf(p - 1)
		first, _ := a.blocksOf(p)
		border := clampBorder(stays, now[first], cuts[first])
		fits = fits && border-borders[p-1] >= first-before
		was, borders = append(was, now[first]), append(borders, border)
	}
	if !fits {
		return was
	}
	return borders
}

// clampBorder returns the border between two processes that is closest to `wanted` while all cells
// that must stay remain on their side of the current border `now`.
func clampBorder(stays []uint64, now, wanted int) int {
	for ; wanted < now && slices.Contains(stays[wanted:now], 1); wanted++ {
	}
	for ; wanted > now && slices.Contains(stays[now:wanted], 1); wanted-- {
	}
	return wanted
}

// stays returns 1 for each cell that must stay in its process, and 0 for the others.
func (c *Cells) stays() []uint64 {
	list := make([]uint64, len(c.endpoints))
	for i, e := range c.endpoints {
		if r, ok := e.(Resident); ok && r.Stays() {
			list[i] = 1
		}
	}
	c.addUp(list)
	return list
}
