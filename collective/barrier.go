package collective

import "fabricast/node"

// BarrierFunc is a barrier algorithm: no rank returns before all have called.
type BarrierFunc func(c Comm)

var barriers = family[BarrierFunc]{kind: KindBarrier}

// Barrier returns when all ranks have called it.
func Barrier(c Comm, a Algorithm) { barriers.pick(a, c.Size())(barriers.start(c, a, 0, false)) }

var _ = barriers.register(20, Info{
	Name: Ring, Stackless: true, Summary: "p-1 rounds: to the rank above, from the rank below",
}, BarrierRing)

// BarrierRing passes signals around the ring: in each round every rank signals the rank above and
// waits for the rank below. Each rank sends p-1 empty messages.
func BarrierRing(c Comm) {
	p, rank := c.Size(), c.Rank()
	to, from := above(rank, p), below(rank, p)
	for k := c.Round(0, p-1); k < p-1; k = c.Round(k+1, p-1) {
		c.Sendrecv(node.Buf{}, to, tagBarrier, node.Buf{}, from, tagBarrier)
	}
}

var _ = barriers.register(10, Info{
	Name:      Dissemination,
	Stackless: true,
	Summary:   "ceil(log2 p) rounds: to the rank 2^k above, from the rank 2^k below",
}, BarrierDissemination)

// BarrierDissemination is the barrier of Hensgen, Finkel and Manber (1988). In round k every rank
// signals the rank 2^k above and waits for the rank 2^k below. Each rank sends ceil(log2 p) empty
// messages, for any number of ranks.
func BarrierDissemination(c Comm) {
	p, rank := c.Size(), c.Rank()
	n := log2(p)
	for k := c.Round(0, n); k < n; k = c.Round(k+1, n) {
		to, from := rank+1<<k, rank-1<<k
		if to >= p { // a division would take as long as much of the rest
			to -= p
		}
		if from < 0 {
			from += p
		}
		c.Sendrecv(node.Buf{}, to, tagBarrier, node.Buf{}, from, tagBarrier)
	}
}

var _ = barriers.register(30, Info{
	Name:      RecursiveDoubling,
	Stackless: true,
	Summary:   "log2 p rounds with rank XOR 2^k; one before and one after if p is no power of two",
}, BarrierRecursiveDoubling)

// BarrierRecursiveDoubling exchanges signals with rank XOR 2^k in round k (the butterfly barrier of
// Brooks 1986). With p = 2^n + r ranks, r ranks signal a partner before the first round and are
// released by it after the last. All ranks together send p*log2 p empty messages for powers of two,
// and 2^n*n + 2r otherwise.
func BarrierRecursiveDoubling(c Comm) {
	rank, f := c.Rank(), newFold(c.Size())
	if f.idle(rank) {
		c.Sendrecv(node.Buf{}, rank+1, tagBarrier, node.Buf{}, rank+1, tagBarrier)
		return
	}
	if f.paired(rank) {
		c.Recv(node.Buf{}, rank-1, tagBarrier)
	}
	place, n := f.place(rank), log2(f.pow2)
	for k := c.Round(0, n); k < n; k = c.Round(k+1, n) {
		partner := f.rank(place ^ 1<<k)
		c.Sendrecv(node.Buf{}, partner, tagBarrier, node.Buf{}, partner, tagBarrier)
	}
	if f.paired(rank) {
		c.Send(node.Buf{}, rank-1, tagBarrier)
	}
}
