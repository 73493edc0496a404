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
		Linear:       each(others, others),
		LinearSync:   each(others, others),
		Scattered:    each(others, others),
		Bruck:        each(log2, bruckBlocks),
		Butterfly:    each(log2, func(p int) int { return p / 2 * log2(p) }),
	},
	KindBarrier: {
		Ring:          each(others, none),
		Dissemination: each(log2, none),
		Linear:        func(p, _ int) traffic { return traffic{2 * (p - 1), 0} },
		Tree:          func(p, _ int) traffic { return traffic{2 * (p - 1), 0} },
		DoubleRing: func(p, _ int) traffic {
			if p == 1 {
				return traffic{}
			}
			return traffic{2 * p, 0}
		},
		RecursiveDoubling: func(p, _ int) traffic {
			f := newFold(p)
			return traffic{f.pow2*log2(f.pow2) + 2*f.extra, 0}
		},
	},
	KindBroadcast: {
		Binomial:         once,
		BinomialDoubling: once,
		Knomial:          once,
		Binary:           once,
		Chain:            once,
		Pipeline:         once,
		Linear:           once,
		// Half of the message is shorter than a piece.
		SplitBinary: once,
		ScatterDoubling: func(p, b int) traffic {
			return traffic{(p - 1) + p*log2(p), treeBlocks(p)*b/p + (p-1)*b}
		},
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
		SegmentedRing:  func(p, b int) traffic { return traffic{2 * p * (p - 1), 2 * (p - 1) * b} },
		Nonoverlapping: func(p, b int) traffic { return traffic{2 * (p - 1), 2 * (p - 1) * b} },
		Linear:         func(p, b int) traffic { return traffic{2 * (p - 1), 2 * (p - 1) * b} },
	},
	KindAllgather: {
		Ring:              each(others, others),
		Bruck:             each(log2, others),
		RecursiveDoubling: each(log2, others),
		NeighborExchange:  each(func(p int) int { return p / 2 }, others),
		Linear: func(p, b int) traffic {
			return traffic{2 * (p - 1), (p-1)*b + (p-1)*p*b}
		},
	},
	KindReduce: {
		Binomial: once,
		Knomial:  once,
		Binary:   once,
		Chain:    once,
		Pipeline: once,
		Linear:   once,
		// One message more from the last rank to the root, which is rank p/2.
		InOrderBinary: func(p, b int) traffic {
			n := p - 1
			if p/2 != p-1 {
				n++
			}
			return traffic{n, n * b}
		},
		Rabenseifner: func(p, b int) traffic {
			f := newFold(p)
			n := f.extra // operands handed over, and the result to a root that has handed it over
			if f.idle(p / 2) {
				n++
			}
			moved := collected(f, p/2, b)
			return traffic{f.pow2*log2(f.pow2) + f.pow2 - 1 + n, (f.pow2-1)*b + moved + n*b}
		},
	},
	KindReduceScatter: {
		Ring: each(others, others),
		Nonoverlapping: func(p, b int) traffic {
			return traffic{2 * (p - 1), (p-1)*p*b + treeBlocks(p)*b}
		},
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
		Linear:     once,
		LinearSync: func(p, b int) traffic { return traffic{2 * (p - 1), (p - 1) * b} },
		Binomial:   func(p, b int) traffic { return traffic{p - 1, treeBlocks(p) * b} },
	},
	KindScatter: {
		Linear:   once,
		Binomial: func(p, b int) traffic { return traffic{p - 1, treeBlocks(p) * b} },
	},
	KindScan:   scanFormulas,
	KindExscan: scanFormulas,
}

// once is the traffic of a tree: every rank but the root gets, or gives, the whole buffer.
func once(p, b int) traffic { return traffic{p - 1, (p - 1) * b} }

// collected is how many bytes the gather after a halving moves: a chunk travels once for each bit in
// which its place differs from that of the root, or of the rank that takes part for it.
func collected(f fold, root, b int) (n int) {
	if f.idle(root) {
		root++
	}
	op := &Op{Elem: 8}
	for place := range f.pow2 {
		chunk := 0 // halving chooses the upper half where a bit is set, the lowest bit first
		for bit := 1; bit < f.pow2; bit <<= 1 {
			chunk <<= 1
			if place&bit != 0 {
				chunk++
			}
		}
		size := op.chunks(node.Size(b), chunk, chunk+1, f.pow2).Len()
		n += bits.OnesCount(uint(place^f.place(root))) * size
	}
	return n
}

var scanFormulas = map[Algorithm]formula{
	Linear: once,
	RecursiveDoubling: func(p, b int) traffic {
		n := 0
		for d := 1; d < p; d *= 2 {
			n += p - d
		}
		return traffic{n, n * b}
	},
	Butterfly: func(p, b int) traffic {
		n := 0
		for rank := range p {
			for bit := 1; bit < p; bit *= 2 {
				if rank^bit < p {
					n++
				}
			}
		}
		return traffic{n, n * b}
	},
}

// Pieces of a message travel one by one, and are as long together as the message.
func TestSegmentsCutMessages(t *testing.T) {
	const block = 1000
	for _, s := range scenes {
		for _, info := range Algorithms(s.kind) {
			if len(info.Options) == 0 || info.Options[0].Name != "segment" ||
				s.kind != KindBroadcast && s.kind != KindReduce || info.Name == SplitBinary {
				continue
			}
			for _, p := range awkward {
				for _, segment := range []int{0, 1, 999, 1000, 64} {
					if s.kind == KindReduce && segment%8 != 0 {
						continue
					}
					pieces := 1
					if segment > 0 {
						pieces = (block + segment - 1) / segment
					}
					want := formulas[s.kind][info.Name](p, block)
					want.messages *= pieces
					if info.Name == InOrderBinary && p/2 != p-1 {
						want.messages -= pieces - 1 // the result is sent to the root as a whole
					}
					m, err := run(p, 1, func(c Comm) {
						a := Algorithm(fmt.Sprintf("%s/segment=%d", info.Name, segment))
						s.call(c, a, node.Size(block), node.Size(block), p/2, &Op{Elem: 8})
					})
					if err != nil {
						t.Fatal(err)
					}
					if got := (traffic{m.messages, m.bytes}); got != want {
						t.Errorf("%s %s, %d ranks, segments of %d: got %+v, want %+v",
							s.kind, info.Name, p, segment, got, want)
					}
				}
			}
		}
	}
}

// A segmented ring reduces a chunk in as few pieces as are no larger than a segment.
func TestSegmentedRingCutsChunks(t *testing.T) {
	for _, c := range []struct{ p, bytes, segment, pieces int }{
		{4, 4096, 1024, 1},
		{4, 4096, 512, 2},
		{4, 4104, 1024, 2},
		{4, 4096, 1000, 2},
		{3, 24, 8, 1},
		{5, 0, 8, 1},
		{4, 4096, 0, 1},
		{4, 8192, 1 << 20, 1},
	} {
		m, err := run(c.p, 1, func(comm Comm) {
			buf := node.Size(c.bytes)
			a := Algorithm(fmt.Sprintf("%s/segment=%d", SegmentedRing, c.segment))
			Allreduce(comm, buf, buf, &Op{Elem: 8}, a)
		})
		if err != nil {
			t.Fatal(err)
		}
		if want := c.p * (c.p - 1) * (c.pieces + 1); m.messages != want {
			t.Errorf("%+v: %d messages, want %d", c, m.messages, want)
		}
	}
}

// Every rank but the root receives a split-binary broadcast once, in two halves.
func TestSplitBinarySendsEachHalfOnce(t *testing.T) {
	for p := 2; p < 40; p++ {
		m, err := run(p, 1, func(c Comm) {
			Broadcast(c, node.Size(1000), p/3, SplitBinary+"/segment=100")
		})
		if err != nil {
			t.Fatal(err)
		}
		if want := (traffic{6 * (p - 1), 1000 * (p - 1)}); m.messages != want.messages || m.bytes != want.bytes {
			t.Errorf("%d ranks: %d messages of %d bytes, want %+v", p, m.messages, m.bytes, want)
		}
	}
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
