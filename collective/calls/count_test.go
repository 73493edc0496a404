package calls_test

import (
	"fmt"
	"math/bits"
	"testing"

	"fabricast/collective"
	"fabricast/collective/allreduce"
	"fabricast/collective/barrier"
	"fabricast/collective/broadcast"
	"fabricast/collective/internal/partners"
	"fabricast/collective/internal/steps"
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

var formulas = map[collective.Kind]map[collective.Algorithm]formula{
	collective.KindAlltoall: {
		collective.Bine:         each(partners.Log2, func(p int) int { return p / 2 * partners.Log2(p) }),
		collective.Hierarchical: each(others, others),
		collective.Groups:       each(others, others),
		collective.Ring:         each(others, others),
		collective.Pairwise:     each(others, others),
		collective.SimpleSpread: each(others, others),
		collective.Linear:       each(others, others),
		collective.LinearSync:   each(others, others),
		collective.Scattered:    each(others, others),
		collective.Bruck:        each(partners.Log2, bruckBlocks),
		collective.Butterfly:    each(partners.Log2, func(p int) int { return p / 2 * partners.Log2(p) }),
	},
	collective.KindBarrier: {
		collective.Hierarchical:  each(partners.Log2, none),
		collective.Groups:        func(p, _ int) traffic { return traffic{2 * (p - 1), 0} },
		collective.Ring:          each(others, none),
		collective.Dissemination: each(partners.Log2, none),
		collective.Linear:        func(p, _ int) traffic { return traffic{2 * (p - 1), 0} },
		collective.Tree:          func(p, _ int) traffic { return traffic{2 * (p - 1), 0} },
		collective.DoubleRing: func(p, _ int) traffic {
			if p == 1 {
				return traffic{}
			}
			return traffic{2 * p, 0}
		},
		collective.RecursiveDoubling: func(p, _ int) traffic {
			f := partners.NewFold(p)
			return traffic{f.Pow2*partners.Log2(f.Pow2) + 2*f.Extra, 0}
		},
	},
	collective.KindBroadcast: {
		collective.Bine:         once,
		collective.Hierarchical: once,
		collective.Groups:       once,
		collective.MultiColor:   func(p, b int) traffic { return traffic{2 * (p - 1), (p - 1) * b} },
		collective.BineScatter: func(p, b int) traffic {
			return traffic{(p - 1) + p*partners.Log2(p), bineBlocks(p)*b/p + (p-1)*b}
		},
		collective.Binomial:         once,
		collective.BinomialDoubling: once,
		collective.Knomial:          once,
		collective.Binary:           once,
		collective.Chain:            once,
		collective.Pipeline:         once,
		collective.Linear:           once,
		// Half of the message is shorter than a piece.
		collective.SplitBinary: once,
		collective.ScatterDoubling: func(p, b int) traffic {
			return traffic{(p - 1) + p*partners.Log2(p), treeBlocks(p)*b/p + (p-1)*b}
		},
		collective.ScatterAllgather: func(p, b int) traffic {
			return traffic{(p - 1) + p*(p-1), treeBlocks(p)*b/p + (p-1)*b}
		},
	},
	collective.KindAllreduce: {
		collective.Swing: func(p, b int) traffic { return traffic{4 * p * partners.Log2(p), 2 * (p - 1) * b} },
		collective.SwingWhole: func(p, b int) traffic {
			f := partners.NewFold(p)
			n := f.Pow2 * partners.Log2(f.Pow2)
			return traffic{2*n + 2*f.Extra, (n + 2*f.Extra) * b}
		},
		collective.Bucket: func(p, b int) traffic { return traffic{4 * p * (p - 1), 2 * (p - 1) * b} },
		collective.Bine:   func(p, b int) traffic { return traffic{2 * p * partners.Log2(p), 2 * (p - 1) * b} },
		collective.BineWhole: func(p, b int) traffic {
			f := partners.NewFold(p)
			n := f.Pow2*partners.Log2(f.Pow2) + 2*f.Extra
			return traffic{n, n * b}
		},
		// Every rank is on a host of its own; the vectors are short.
		collective.Hierarchical: func(p, b int) traffic {
			f := partners.NewFold(p)
			n := f.Pow2*partners.Log2(f.Pow2) + 2*f.Extra
			return traffic{n, n * b}
		},
		// All ranks are in one group.
		collective.Groups: func(p, b int) traffic { return traffic{2 * p * (p - 1), 2 * (p - 1) * b} },
		collective.RecursiveDoubling: func(p, b int) traffic {
			f := partners.NewFold(p)
			n := f.Pow2*partners.Log2(f.Pow2) + 2*f.Extra
			return traffic{n, n * b}
		},
		collective.Ring: func(p, b int) traffic { return traffic{2 * p * (p - 1), 2 * (p - 1) * b} },
		collective.Rabenseifner: func(p, b int) traffic {
			f := partners.NewFold(p)
			return traffic{2*f.Pow2*partners.Log2(f.Pow2) + 2*f.Extra, 2*(f.Pow2-1)*b + 2*f.Extra*b}
		},
		collective.SegmentedRing:  func(p, b int) traffic { return traffic{2 * p * (p - 1), 2 * (p - 1) * b} },
		collective.Nonoverlapping: func(p, b int) traffic { return traffic{2 * (p - 1), 2 * (p - 1) * b} },
		collective.Linear:         func(p, b int) traffic { return traffic{2 * (p - 1), 2 * (p - 1) * b} },
	},
	collective.KindAllgather: {
		collective.Bucket:            each(func(p int) int { return 2 * (p - 1) }, others),
		collective.Swing:             each(func(p int) int { return 2 * partners.Log2(p) }, others),
		collective.Bine:              each(partners.Log2, others),
		collective.Hierarchical:      each(others, others),
		collective.Groups:            func(p, b int) traffic { return traffic{2 * p * (p - 1), (p - 1) * (p + 1) * b} },
		collective.Ring:              each(others, others),
		collective.Bruck:             each(partners.Log2, others),
		collective.RecursiveDoubling: each(partners.Log2, others),
		collective.NeighborExchange:  each(func(p int) int { return p / 2 }, others),
		collective.Linear: func(p, b int) traffic {
			return traffic{2 * (p - 1), (p-1)*b + (p-1)*p*b}
		},
	},
	collective.KindReduce: {
		collective.Bine:     once,
		collective.Binomial: once,
		collective.Knomial:  once,
		collective.Binary:   once,
		collective.Chain:    once,
		collective.Pipeline: once,
		collective.Linear:   once,
		// One message more from the last rank to the root, which is rank p/2.
		collective.InOrderBinary: func(p, b int) traffic {
			n := p - 1
			if p/2 != p-1 {
				n++
			}
			return traffic{n, n * b}
		},
		collective.Rabenseifner: func(p, b int) traffic {
			f := partners.NewFold(p)
			n := f.Extra // operands handed over, and the result to a root that has handed it over
			if f.Idle(p / 2) {
				n++
			}
			moved := collected(f, p/2, b)
			return traffic{f.Pow2*partners.Log2(f.Pow2) + f.Pow2 - 1 + n, (f.Pow2-1)*b + moved + n*b}
		},
	},
	collective.KindReduceScatter: {
		collective.Bucket:       each(func(p int) int { return 2 * (p - 1) }, others),
		collective.Swing:        each(func(p int) int { return 2 * partners.Log2(p) }, others),
		collective.Bine:         each(partners.Log2, others),
		collective.Hierarchical: each(others, others),
		collective.Groups:       func(p, b int) traffic { return traffic{2 * p * (p - 1), (p - 1) * (p + 1) * b} },
		collective.Ring:         each(others, others),
		collective.Nonoverlapping: func(p, b int) traffic {
			return traffic{2 * (p - 1), (p-1)*p*b + treeBlocks(p)*b}
		},
		collective.Pairwise: each(others, others),
		collective.RecursiveHalving: func(p, b int) traffic {
			f := partners.NewFold(p)
			sent := 0 // the halves that all places give away
			for place := range f.Pow2 {
				own := f.First(place+1) - f.First(place)
				sent += p - own
			}
			return traffic{f.Pow2*partners.Log2(f.Pow2) + 2*f.Extra, sent*b + f.Extra*(p+1)*b}
		},
	},
	collective.KindGather: {
		collective.Bine:       func(p, b int) traffic { return traffic{p - 1, bineBlocks(p) * b} },
		collective.Linear:     once,
		collective.LinearSync: func(p, b int) traffic { return traffic{2 * (p - 1), (p - 1) * b} },
		collective.Binomial:   func(p, b int) traffic { return traffic{p - 1, treeBlocks(p) * b} },
	},
	collective.KindScatter: {
		collective.Bine:     func(p, b int) traffic { return traffic{p - 1, bineBlocks(p) * b} },
		collective.Linear:   once,
		collective.Binomial: func(p, b int) traffic { return traffic{p - 1, treeBlocks(p) * b} },
	},
	collective.KindScan:   scanFormulas,
	collective.KindExscan: scanFormulas,
}

// NCCL's algorithms send short buffers by LL, with as many bytes of flags as of data. Every rank is on
// a node of its own.
func init() {
	ringAllreduce := func(p, b int) traffic { return traffic{2 * p * (p - 1), 2 * 2 * (p - 1) * b} }
	chain := func(p, b int) traffic { return traffic{p - 1, 2 * (p - 1) * b} }
	tree := func(p, b int) traffic { return traffic{2 * (p - 1), 2 * 2 * (p - 1) * b} }
	f := formulas[collective.KindAllreduce]
	f[collective.NCCLRing], f[collective.NCCLTree] = ringAllreduce, tree
	f[collective.NCCL] = func(p, b int) traffic { // the model of costs has a ring of two ranks below a tree
		if p == 2 {
			return ringAllreduce(p, b)
		}
		return tree(p, b)
	}
	for _, a := range []collective.Algorithm{
		collective.NCCLNVLS, collective.NCCLNVLSTree, collective.NCCLCollNetDirect, collective.NCCLCollNetChain,
	} {
		f[a] = f[collective.NCCL] // no switch has a tree
	}
	formulas[collective.KindBroadcast][collective.NCCLRing] = chain
	formulas[collective.KindReduce][collective.NCCLRing] = chain
	blocks := each(others, func(p int) int { return 2 * (p - 1) })
	pat := each(others, func(p int) int { return p - 1 }) // by Simple, without flags
	for _, kind := range []collective.Kind{collective.KindAllgather, collective.KindReduceScatter} {
		f := formulas[kind]
		f[collective.NCCLRing], f[collective.NCCLPAT] = blocks, pat
		f[collective.NCCL] = func(p, b int) traffic { // of nine steps those of PAT take 45 us, and 47 on a ring
			if p > 8 {
				return pat(p, b)
			}
			return blocks(p, b)
		}
		f[collective.NCCLNVLS] = f[collective.NCCL]
	}
	formulas[collective.KindAlltoall][collective.NCCLSends] = blocks
}

// bineBlocks is like treeBlocks for a Bine tree. For powers of two it is the same.
func bineBlocks(p int) (n int) {
	tree := partners.BineTreeOf(p)
	for place := 1; place < p; place++ {
		n += len(tree.Below(place))
	}
	if bits.OnesCount(uint(p)) == 1 && n != treeBlocks(p) {
		panic("a Bine tree of a power of two is no binomial tree")
	}
	return n
}

// once is the traffic of a tree: every rank but the root gets, or gives, the whole buffer.
func once(p, b int) traffic { return traffic{p - 1, (p - 1) * b} }

// collected is how many bytes the gather after a halving moves: a chunk travels once for each bit in
// which its place differs from that of the root, or of the rank that takes part for it.
func collected(f partners.Fold, root, b int) (n int) {
	if f.Idle(root) {
		root++
	}
	op := &collective.Op{Elem: 8}
	for place := range f.Pow2 {
		chunk := 0 // halving chooses the upper half where a bit is set, the lowest bit first
		for bit := 1; bit < f.Pow2; bit <<= 1 {
			chunk <<= 1
			if place&bit != 0 {
				chunk++
			}
		}
		size := steps.Chunks(op, node.Size(b), chunk, chunk+1, f.Pow2).Len()
		n += bits.OnesCount(uint(place^f.Place(root))) * size
	}
	return n
}

var scanFormulas = map[collective.Algorithm]formula{
	collective.Linear: once,
	collective.RecursiveDoubling: func(p, b int) traffic {
		n := 0
		for d := 1; d < p; d *= 2 {
			n += p - d
		}
		return traffic{n, n * b}
	},
	collective.Butterfly: func(p, b int) traffic {
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
		for _, info := range collective.OfRanks(s.kind) {
			if len(info.Options) == 0 || info.Options[0].Name != "segment" ||
				s.kind != collective.KindBroadcast && s.kind != collective.KindReduce || info.Name == collective.SplitBinary {
				continue
			}
			for _, p := range awkward {
				for _, segment := range []int{0, 1, 999, 1000, 64} {
					if s.kind == collective.KindReduce && segment%8 != 0 {
						continue
					}
					pieces := 1
					if segment > 0 {
						pieces = (block + segment - 1) / segment
					}
					want := formulas[s.kind][info.Name](p, block)
					want.messages *= pieces
					if info.Name == collective.InOrderBinary && p/2 != p-1 {
						want.messages -= pieces - 1 // the result is sent to the root as a whole
					}
					m, err := run(p, 1, func(c collective.Comm) {
						a := collective.Algorithm(fmt.Sprintf("%s/segment=%d", info.Name, segment))
						s.call(c, a, node.Size(block), node.Size(block), p/2, &collective.Op{Elem: 8})
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
		m, err := run(c.p, 1, func(comm collective.Comm) {
			buf := node.Size(c.bytes)
			a := collective.Algorithm(fmt.Sprintf("%s/segment=%d", collective.SegmentedRing, c.segment))
			allreduce.Run(comm, buf, buf, &collective.Op{Elem: 8}, a)
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
		m, err := run(p, 1, func(c collective.Comm) {
			broadcast.Run(c, node.Size(1000), p/3, collective.SplitBinary+"/segment=100")
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
		kind: collective.KindBarrier, sendN: one, recvN: one,
		call: func(c collective.Comm, a collective.Algorithm, _, _ node.Buf, _ int, _ *collective.Op) {
			barrier.Run(c, a)
		},
	}}, scenes...)
	for _, s := range all {
		for _, info := range collective.OfRanks(s.kind) {
			t.Run(fmt.Sprintf("%s/%s", s.kind, info.Name), func(t *testing.T) { s.count(t, info) })
		}
	}
}

func (s scene) count(t *testing.T, info collective.Info) {
	want := formulas[s.kind][info.Name]
	if want == nil {
		t.Fatal("no formula")
	}
	for _, p := range awkward {
		if collective.Check(s.kind, info.Name, p) != nil {
			continue
		}
		b := 8 * p // divides into chunks for any algorithm
		m, err := run(p, 1, func(c collective.Comm) {
			s.call(c, info.Name, node.Size(s.sendN(p, b)), node.Size(s.recvN(p, b)), p/2, &collective.Op{Elem: 8})
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := (traffic{m.messages, m.bytes}); got != want(p, b) {
			t.Errorf("%d ranks, %d bytes: got %+v, want %+v", p, b, got, want(p, b))
		}
	}
}
