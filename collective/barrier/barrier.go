package barrier

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/node"
)

// Func is a barrier algorithm: no rank returns before all ranks have called it.
type Func func(c collective.Comm)

// Algorithms holds the algorithms of the barrier.
var Algorithms = collective.NewFamily[Func](collective.TagBarrier, collective.KindBarrier)

// Run returns when all ranks have called it. It uses algorithm a.
func Run(c collective.Comm, a collective.Algorithm) {
	chosen := Algorithms.Choose(a, c.Size())
	chosen.Run(chosen.Start(c, collective.Start{}))
}

var _ = Algorithms.Register(20, collective.Info{
	Name: collective.Ring, Stackless: true, Summary: "p-1 rounds: to the rank above, from the rank below",
}, Ring)

// Ring passes signals around the ring: in each round, every rank signals the rank above it and
// waits for the rank below it. Each rank sends p-1 empty messages.
func Ring(c collective.Comm) {
	p, rank := c.Size(), c.Rank()
	to, from := partners.Above(rank, p), partners.Below(rank, p)
	for k := c.Round(0, p-1); k < p-1; k = c.Round(k+1, p-1) {
		c.Sendrecv(node.Buf{}, to, collective.TagBarrier, node.Buf{}, from, collective.TagBarrier)
	}
}

var _ = Algorithms.Register(10, collective.Info{
	Name:      collective.Dissemination,
	Stackless: true,
	Summary:   "ceil(log2 p) rounds: to the rank 2^k above, from the rank 2^k below",
}, Dissemination)

// Dissemination is the barrier of Hensgen, Finkel and Manber (1988). In round k, every rank signals
// the rank 2^k above it and waits for the rank 2^k below it. Each rank sends ceil(log2 p) empty
// messages, for any number of ranks.
func Dissemination(c collective.Comm) {
	p, rank := c.Size(), c.Rank()
	n := partners.Log2(p)
	for k := c.Round(0, n); k < n; k = c.Round(k+1, n) {
		to, from := rank+1<<k, rank-1<<k
		if to >= p { // a division would take as long as most of the rest
			to -= p
		}
		if from < 0 {
			from += p
		}
		c.Sendrecv(node.Buf{}, to, collective.TagBarrier, node.Buf{}, from, collective.TagBarrier)
	}
}

var _ = Algorithms.Register(30, collective.Info{
	Name:      collective.RecursiveDoubling,
	Stackless: true,
	Summary:   "log2 p rounds with rank XOR 2^k; one before and one after if p is no power of two",
}, RecursiveDoubling)

// RecursiveDoubling exchanges signals with rank XOR 2^k in round k (the butterfly barrier of
// Brooks 1986). With p = 2^n + r ranks, r ranks signal a partner before the first round and are
// released by it after the last. All ranks together send p*log2 p empty messages for powers of two,
// and 2^n*n + 2r otherwise.
func RecursiveDoubling(c collective.Comm) {
	rank, f := c.Rank(), partners.NewFold(c.Size())
	if f.Idle(rank) {
		c.Sendrecv(node.Buf{}, rank+1, collective.TagBarrier, node.Buf{}, rank+1, collective.TagBarrier)
		return
	}
	if f.Paired(rank) {
		c.Recv(node.Buf{}, rank-1, collective.TagBarrier)
	}
	place, n := f.Place(rank), partners.Log2(f.Pow2)
	for k := c.Round(0, n); k < n; k = c.Round(k+1, n) {
		partner := f.Rank(place ^ 1<<k)
		c.Sendrecv(node.Buf{}, partner, collective.TagBarrier, node.Buf{}, partner, collective.TagBarrier)
	}
	if f.Paired(rank) {
		c.Send(node.Buf{}, rank-1, collective.TagBarrier)
	}
}

// Meet is a barrier with the default algorithm, as a part of another operation: a Starter is not
// informed of it.
func Meet(c collective.Comm) { Algorithms.Choose(collective.Default, c.Size()).Run(c) }
