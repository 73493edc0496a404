package graphs

import (
	"container/heap"
	"slices"
)

// divide finds two halves of the hosts with little bandwidth between them. It tries several initial
// divisions, improves each by moving routers across (Fiduccia and Mattheyses, DAC 1982), and
// returns the bandwidth of the best in one direction (bytes/s), and the hosts in its smaller half.
func (n *Net) divide() (rate int64, smaller int) {
	best := int64(-1)
	for _, order := range n.orders() {
		d := n.newDivision(order)
		for range maxPasses {
			if !d.improve() {
				break
			}
		}
		if best < 0 || d.cut < best {
			best, smaller = d.cut, (n.total-max(d.excess, -d.excess))/2
		}
	}
	return best, smaller
}

// maxPasses limits the passes over all routers for one division.
const maxPasses = 12

// manyLinks is the number of links above which only the most promising initial division is tried.
const manyLinks = 1_000_000

// orders returns orders of the routers; the first half of each is one side of an initial division.
func (n *Net) orders() [][]int32 {
	byNumber := make([]int32, n.Routers())
	for i := range byNumber {
		byNumber[i] = int32(i)
	}
	orders := [][]int32{byNumber}
	if len(n.peers) > manyLinks {
		return orders
	}
	s := n.searcher()
	src := 0
	for range 3 { // each order starts at the router farthest from the previous start
		orders = append(orders, slices.Clone(s.from(src)))
		src = int(s.queue[len(s.queue)-1])
	}
	for _, v := range n.Embed(2) {
		order := slices.Clone(byNumber)
		slices.SortStableFunc(order, func(a, b int32) int {
			switch {
			case v[a] < v[b]:
				return -1
			case v[a] > v[b]:
				return 1
			}
			return 0
		})
		orders = append(orders, order)
	}
	return orders
}

// division is a division of the routers into two sides.
type division struct {
	n      *Net
	side   []bool
	gain   []int64 // reduction of the cut if a router moves
	moved  []bool
	heaps  [2]moves // candidates by side
	excess int      // hosts on the first side minus those on the second
	cut    int64
	allow  int // largest absolute excess of a valid division
	slack  int // the same for intermediate divisions
}

// newDivision puts routers on the first side in the given order until it has half of the hosts.
func (n *Net) newDivision(order []int32) *division {
	d := &division{
		n:      n,
		side:   make([]bool, n.Routers()),
		gain:   make([]int64, n.Routers()),
		moved:  make([]bool, n.Routers()),
		excess: -n.total,
	}
	for i := range d.side {
		d.side[i] = true
	}
	for _, r := range order {
		if d.excess >= 0 || d.excess+n.Hosts[r] > 0 { // closer to half of the hosts without it
			break
		}
		d.excess += 2 * n.Hosts[r]
		d.side[r] = false
	}
	most := slices.Max(n.Hosts)
	d.allow = max(d.excess, -d.excess)
	d.slack = d.allow + 2*most
	for r := range d.side {
		for i, p := range n.Peers(r) {
			if d.side[r] != d.side[p] && int(p) > r {
				d.cut += n.Rate(r, i)
			}
		}
	}
	return d
}

// improve moves every router once, the most useful first, and keeps the best division on the way.
// It reports whether that is better than before.
func (d *division) improve() bool {
	before := d.cut
	d.begin()
	var trail []int32
	best, kept := d.cut, 0
	for {
		r := d.next()
		if r < 0 {
			break
		}
		d.move(int(r))
		trail = append(trail, r)
		if d.cut < best && max(d.excess, -d.excess) <= d.allow {
			best, kept = d.cut, len(trail)
		}
	}
	for _, r := range slices.Backward(trail[kept:]) {
		d.flip(int(r))
	}
	d.cut = best
	return best < before
}

// begin computes all gains.
func (d *division) begin() {
	d.heaps = [2]moves{}
	for r := range d.side {
		d.moved[r] = false
		d.gain[r] = 0
		for i, p := range d.n.Peers(r) {
			if d.side[r] == d.side[p] {
				d.gain[r] -= d.n.Rate(r, i)
			} else {
				d.gain[r] += d.n.Rate(r, i)
			}
		}
		d.heaps[half(d.side[r])] = append(d.heaps[half(d.side[r])], candidate{int32(r), d.gain[r]})
	}
	heap.Init(&d.heaps[0])
	heap.Init(&d.heaps[1])
}

func half(second bool) int {
	if second {
		return 1
	}
	return 0
}

// next returns the router to move next: the better one of both sides' best candidates whose move
// keeps the halves about equal; -1 if there is none.
func (d *division) next() int32 {
	best := int32(-1)
	for s := range d.heaps {
		d.clean(s)
		if len(d.heaps[s]) == 0 {
			continue
		}
		top := d.heaps[s][0]
		excess := d.excess + 2*d.n.Hosts[top.router]*(2*s-1)
		if max(excess, -excess) > max(d.slack, max(d.excess, -d.excess)-1) {
			continue
		}
		if best < 0 || top.gain > d.gain[best] {
			best = top.router
		}
	}
	return best
}

// clean removes outdated candidates from the top of a heap.
func (d *division) clean(s int) {
	h := &d.heaps[s]
	for len(*h) > 0 && (d.moved[(*h)[0].router] || d.gain[(*h)[0].router] != (*h)[0].gain) {
		heap.Pop(h)
	}
}

func (d *division) move(r int) {
	d.cut -= d.gain[r]
	d.moved[r] = true
	for i, p := range d.n.Peers(r) {
		if d.moved[p] {
			continue
		}
		change := 2 * d.n.Rate(r, i)
		if d.side[p] != d.side[r] {
			change = -change
		}
		d.gain[p] += change
		heap.Push(&d.heaps[half(d.side[p])], candidate{p, d.gain[p]})
	}
	d.flip(r)
}

func (d *division) flip(r int) {
	d.excess += 2 * d.n.Hosts[r] * (2*half(d.side[r]) - 1)
	d.side[r] = !d.side[r]
}

// candidate is a router that could move.
type candidate struct {
	router int32
	gain   int64
}

// moves is a heap of candidates with the greatest gain on top; of equal ones the lowest router.
type moves []candidate

func (m moves) Len() int { return len(m) }
func (m moves) Less(i, j int) bool {
	return m[i].gain > m[j].gain || m[i].gain == m[j].gain && m[i].router < m[j].router
}
func (m moves) Swap(i, j int) { m[i], m[j] = m[j], m[i] }
func (m *moves) Push(c any)   { *m = append(*m, c.(candidate)) }
func (m *moves) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}
