package collective

import (
	"fmt"
	"math/bits"
	"testing"

	"fabricast/node"
)

// traffic is what all ranks together send.
type traffic struct{ messages, bytes int }

// formula gives the traffic of an algorithm on p ranks; b is the size of a
// block (or of the whole buffer, where there are no blocks) in bytes.
type formula func(p, b int) traffic

// bruckBlocks is how many blocks a rank sends in Bruck's all-to-all.
func bruckBlocks(p int) (n int) {
	for i := range p {
		n += bits.OnesCount(uint(i))
	}
	return n
}

// treeBlocks is how many blocks travel in a binomial gather or scatter: every
// place but the root's moves as many blocks as its subtree has places.
func treeBlocks(p int) (n int) {
	for rel := 1; rel < p; rel++ {
		n += min(rel&-rel, p-rel)
	}
	return n
}

func each(messages, bytes func(p int) int) formula {
	return func(p, b int) traffic { return traffic{p * messages(p), p * bytes(p) * b} }
}

func others(p int) int { return p - 1 }
func none(int) int     { return 0 }

var formulas = map[Kind]map[Algorithm]formula{
	KindAlltoall: {
		Ring:         each(others, others),
		Pairwise:     each(others, others),
		SimpleSpread: each(others, others),
		Bruck:        each(log2, bruckBlocks),
		Butterfly:    each(log2, func(p int) int { return p / 2 * log2(p) }),
	},
	KindBarrier: {
		Ring:          each(others, none),
		Dissemination: each(log2, none),
		RecursiveDoubling: func(p, _ int) traffic {
			f := newFold(p)
			return traffic{f.pow2*log2(f.pow2) + 2*f.extra, 0}
		},
	},
	KindBroadcast: {
		Binomial: func(p, b int) traffic { return traffic{p - 1, (p - 1) * b} },
		ScatterAllgather: func(p, b int) traffic {
			return traffic{(p - 1) + p*(p-1), treeBlocks(p)*b/p + (p-1)*b}
		},
	},
	KindAllreduce: {
		RecursiveDoubling: func(p, b int) traffic {
			f := newFold(p)
			n := f.pow2*log2(f.pow2) + 2*f.extra
			return traffic{n, n * b}
		},
		Ring: func(p, b int) traffic { return traffic{2 * p * (p - 1), 2 * (p - 1) * b} },
		Rabenseifner: func(p, b int) traffic {
			f := newFold(p)
			return traffic{2*f.pow2*log2(f.pow2) + 2*f.extra, 2*(f.pow2-1)*b + 2*f.extra*b}
		},
	},
	KindAllgather: {
		Ring:              each(others, others),
		Bruck:             each(log2, others),
		RecursiveDoubling: each(log2, others),
	},
	KindReduce: {
		Binomial: func(p, b int) traffic { return traffic{p - 1, (p - 1) * b} },
	},
	KindReduceScatter: {
		Pairwise: each(others, others),
		RecursiveHalving: func(p, b int) traffic {
			f := newFold(p)
			sent := 0 // the halves that all places give away
			for place := range f.pow2 {
				own := f.first(place+1) - f.first(place)
				sent += p - own
			}
			return traffic{f.pow2*log2(f.pow2) + 2*f.extra, sent*b + f.extra*(p+1)*b}
		},
	},
	KindGather: {
		Binomial: func(p, b int) traffic { return traffic{p - 1, treeBlocks(p) * b} },
	},
	KindScatter: {
		Binomial: func(p, b int) traffic { return traffic{p - 1, treeBlocks(p) * b} },
	},
}

func TestMessagesAndBytesFollowThePapers(t *testing.T) {
	all := append([]scene{{
		kind: KindBarrier, sendN: one, recvN: one,
		call: func(c Comm, a Algorithm, _, _ node.Buf, _ int, _ *Op) { Barrier(c, a) },
	}}, scenes...)
	for _, s := range all {
		for _, info := range Algorithms(s.kind) {
			t.Run(fmt.Sprintf("%s/%s", s.kind, info.Name), func(t *testing.T) { s.count(t, info) })
		}
	}
}

func (s scene) count(t *testing.T, info Info) {
	want := formulas[s.kind][info.Name]
	if want == nil {
		t.Fatal("no formula")
	}
	for _, p := range awkward {
		if Check(s.kind, info.Name, p) != nil {
			continue
		}
		b := 8 * p // divides into chunks for any algorithm
		m, err := run(p, 1, func(c Comm) {
			s.call(c, info.Name, node.Size(s.sendN(p, b)), node.Size(s.recvN(p, b)), p/2, &Op{Elem: 8})
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := (traffic{m.messages, m.bytes}); got != want(p, b) {
			t.Errorf("%d ranks, %d bytes: got %+v, want %+v", p, b, got, want(p, b))
		}
	}
}

func TestMarkedCountsNumbersWithABitSet(t *testing.T) {
	for p := range 200 {
		for bit := 1; bit < 256; bit <<= 1 {
			want := 0
			for i := range p {
				if i&bit != 0 {
					want++
				}
			}
			if got := marked(p, bit); got != want {
				t.Errorf("marked(%d, %d) = %d, want %d", p, bit, got, want)
			}
		}
	}
}

// A rank of a large Bruck all-to-all of sizes must not need memory or time that
// grows with the number of ranks.
func TestBruckOfSizesTakesNoMemory(t *testing.T) {
	c := &endless{size: 1 << 20}
	send := node.Size(c.size * 4)
	allocs := testing.AllocsPerRun(10, func() { AlltoallBruck(c, send, send) })
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
	if c.rounds != 11*20 {
		t.Errorf("%d rounds in 11 runs, want 20 each", c.rounds)
	}
}

// endless is a communicator whose messages go nowhere.
type endless struct {
	Comm
	size, rounds int
}

func (c *endless) Rank() int { return 1 }
func (c *endless) Size() int { return c.size }

func (c *endless) Round(k, _ int) int { return k }

func (c *endless) Sendrecv(send node.Buf, _, _ int, _ node.Buf, _, _ int) node.Status {
	c.rounds++
	return node.Status{Size: send.Len()}
}
