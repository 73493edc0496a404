package calls_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"fabricast/collective"
	"fabricast/collective/allgather"
	"fabricast/collective/allreduce"
	"fabricast/collective/alltoall"
	"fabricast/collective/barrier"
	"fabricast/collective/broadcast"
	"fabricast/collective/gather"
	"fabricast/collective/internal/steps"
	"fabricast/collective/reduce"
	"fabricast/collective/reducescatter"
	"fabricast/collective/scan"
	"fabricast/collective/scatter"
	"fabricast/node"
)

// awkward are the numbers of ranks on which every algorithm is tried.
var awkward = []int{1, 2, 3, 4, 5, 12, 64, 100}

// sizes are block sizes in bytes, elements of 8 bytes for reductions.
var sizes = []int{0, 8, 24}

// affine composes maps x -> a*x+b over 32-bit numbers: associative, not
// commutative, so it notices operands out of order. in is applied first.
var affine = &collective.Op{Name: "affine", Elem: 8, Combine: func(inout, in []byte) {
	le := binary.LittleEndian
	for i := 0; i+8 <= len(inout); i += 8 {
		a1, b1 := le.Uint32(in[i:]), le.Uint32(in[i+4:])
		a2, b2 := le.Uint32(inout[i:]), le.Uint32(inout[i+4:])
		le.PutUint32(inout[i:], a2*a1)
		le.PutUint32(inout[i+4:], a2*b1+b2)
	}
}}

// content is n bytes that depend on a rank and a purpose.
func content(rank, purpose, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte((rank+1)*131 + purpose*29 + i*7 + i*i)
	}
	return b
}

// inputs are the send buffers of all ranks.
func inputs(p, n int) [][]byte {
	in := make([][]byte, p)
	for r := range in {
		in[r] = content(r, n, n)
	}
	return in
}

// reduced is the combination of all operands in the order of ranks.
func reduced(in [][]byte, op *collective.Op) []byte {
	acc := slices.Clone(in[0])
	for _, next := range in[1:] {
		right := slices.Clone(next)
		op.Combine(right, slices.Clone(acc))
		acc = right
	}
	return acc
}

// call runs one collective on one rank. All buffers are as long as want.
type call func(c collective.Comm, a collective.Algorithm, send, recv node.Buf, root int, op *collective.Op)

// scene is a collective with what each rank should have at the end.
type scene struct {
	kind   collective.Kind
	sendN  func(p, block int) int // bytes of a rank's send buffer
	recvN  func(p, block int) int
	rooted bool // only the root receives
	reduce bool
	call   call
	want   func(in [][]byte, rank, block, root int, op *collective.Op) []byte // nil: the rank gets nothing
}

func one(_, block int) int { return block }
func all(p, block int) int { return p * block }

// column is block number of every rank's input, one after the other.
func column(in [][]byte, number, block int) (out []byte) {
	for _, b := range in {
		out = append(out, b[number*block:(number+1)*block]...)
	}
	return out
}

var scenes = []scene{
	{
		kind: collective.KindAlltoall, sendN: all, recvN: all,
		call: func(c collective.Comm, a collective.Algorithm, send, recv node.Buf, _ int, _ *collective.Op) {
			alltoall.Run(c, send, recv, a)
		},
		want: func(in [][]byte, rank, block, _ int, _ *collective.Op) []byte { return column(in, rank, block) },
	},
	{
		kind: collective.KindBroadcast, sendN: one, recvN: one,
		call: func(c collective.Comm, a collective.Algorithm, send, recv node.Buf, root int, _ *collective.Op) {
			if c.Rank() == root {
				steps.Move(c, recv, send)
			}
			broadcast.Run(c, recv, root, a)
		},
		want: func(in [][]byte, _, _, root int, _ *collective.Op) []byte { return in[root] },
	},
	{
		kind: collective.KindAllreduce, sendN: one, recvN: one, reduce: true,
		call: func(c collective.Comm, a collective.Algorithm, send, recv node.Buf, _ int, op *collective.Op) {
			allreduce.Run(c, send, recv, op, a)
		},
		want: func(in [][]byte, _, _, _ int, op *collective.Op) []byte { return reduced(in, op) },
	},
	{
		kind: collective.KindAllgather, sendN: one, recvN: all,
		call: func(c collective.Comm, a collective.Algorithm, send, recv node.Buf, _ int, _ *collective.Op) {
			allgather.Run(c, send, recv, a)
		},
		want: func(in [][]byte, _, block, _ int, _ *collective.Op) []byte { return column(in, 0, block) },
	},
	{
		kind: collective.KindReduce, sendN: one, recvN: one, rooted: true, reduce: true,
		call: func(c collective.Comm, a collective.Algorithm, send, recv node.Buf, root int, op *collective.Op) {
			reduce.Run(c, send, recv, op, root, a)
		},
		want: func(in [][]byte, _, _, _ int, op *collective.Op) []byte { return reduced(in, op) },
	},
	{
		kind: collective.KindReduceScatter, sendN: all, recvN: one, reduce: true,
		call: func(c collective.Comm, a collective.Algorithm, send, recv node.Buf, _ int, op *collective.Op) {
			reducescatter.Run(c, send, recv, op, a)
		},
		want: func(in [][]byte, rank, block, _ int, op *collective.Op) []byte {
			return reduced(in, op)[rank*block : (rank+1)*block]
		},
	},
	{
		kind: collective.KindGather, sendN: one, recvN: all, rooted: true,
		call: func(c collective.Comm, a collective.Algorithm, send, recv node.Buf, root int, _ *collective.Op) {
			gather.Run(c, send, recv, root, a)
		},
		want: func(in [][]byte, _, block, _ int, _ *collective.Op) []byte { return column(in, 0, block) },
	},
	{
		kind: collective.KindScatter, sendN: all, recvN: one,
		call: func(c collective.Comm, a collective.Algorithm, send, recv node.Buf, root int, _ *collective.Op) {
			scatter.Run(c, send, recv, root, a)
		},
		want: func(in [][]byte, rank, block, root int, _ *collective.Op) []byte {
			return in[root][rank*block : (rank+1)*block]
		},
	},
	{
		kind: collective.KindScan, sendN: one, recvN: one, reduce: true,
		call: func(c collective.Comm, a collective.Algorithm, send, recv node.Buf, _ int, op *collective.Op) {
			scan.Run(c, send, recv, op, a)
		},
		want: func(in [][]byte, rank, _, _ int, op *collective.Op) []byte { return reduced(in[:rank+1], op) },
	},
	{
		kind: collective.KindExscan, sendN: one, recvN: one, reduce: true,
		call: func(c collective.Comm, a collective.Algorithm, send, recv node.Buf, _ int, op *collective.Op) {
			scan.RunExclusive(c, send, recv, op, a)
		},
		want: func(in [][]byte, rank, _, _ int, op *collective.Op) []byte {
			if rank == 0 {
				return nil
			}
			return reduced(in[:rank], op)
		},
	},
}

// check runs a scene with contents, and again with sizes only, and compares.
func (s scene) check(a collective.Algorithm, p, block, root int, op *collective.Op, seed uint64) error {
	return s.checkOn(nil, a, p, block, root, op, seed)
}

// checkOn is like check on a machine.
func (s scene) checkOn(
	l *collective.Layout, a collective.Algorithm, p, block, root int, op *collective.Op, seed uint64,
) error {
	in := inputs(p, s.sendN(p, block))
	original := inputs(p, s.sendN(p, block))
	out := make([][]byte, p)
	for r := range out {
		out[r] = make([]byte, s.recvN(p, block))
	}
	real, err := runOn(l, p, seed, func(c collective.Comm) {
		s.call(c, a, node.Data(in[c.Rank()]), node.Data(out[c.Rank()]), root, op)
	})
	if err != nil {
		return err
	}
	for r := range p {
		if !bytes.Equal(in[r], original[r]) {
			return fmt.Errorf("rank %d: its send buffer was changed", r)
		}
		want := s.want(in, r, block, root, op)
		if want != nil && (!s.rooted || r == root) && !bytes.Equal(out[r], want) {
			return fmt.Errorf("rank %d: got %x, want %x", r, out[r], want)
		}
	}
	bare, err := runOn(l, p, seed, func(c collective.Comm) {
		s.call(c, a, node.Size(s.sendN(p, block)), node.Size(s.recvN(p, block)), root, op)
	})
	if err != nil {
		return fmt.Errorf("sizes only: %w", err)
	}
	if bare.messages != real.messages || bare.bytes != real.bytes {
		return fmt.Errorf(
			"sizes only: %d messages of %d bytes, with contents %d of %d",
			bare.messages, bare.bytes, real.messages, real.bytes,
		)
	}
	return nil
}

// ops are the operations with which an algorithm can be tried.
func (s scene) ops(info collective.Info) []*collective.Op {
	switch {
	case !s.reduce:
		return []*collective.Op{nil}
	case info.CommutativeOnly:
		return []*collective.Op{collective.SumInt64}
	}
	return []*collective.Op{collective.SumInt64, affine}
}

func TestRightDataAtAwkwardRankCounts(t *testing.T) {
	for _, s := range scenes {
		for _, info := range collective.OfRanks(s.kind) {
			t.Run(fmt.Sprintf("%s/%s", s.kind, info.Name), func(t *testing.T) { s.tryAll(t, info) })
		}
	}
}

func (s scene) tryAll(t *testing.T, info collective.Info) {
	for _, p := range awkward {
		if collective.Check(s.kind, info.Name, p) != nil {
			continue
		}
		for _, block := range sizes {
			for _, op := range s.ops(info) {
				for _, root := range []int{0, p / 2, p - 1} {
					if err := s.check(info.Name, p, block, root, op, 1); err != nil {
						t.Fatalf("%d ranks, %d bytes, root %d, %v: %v", p, block, root, op, err)
					}
				}
			}
		}
	}
}

func TestRightDataAtRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(scenes).Draw(t, "collective")
		info := rapid.SampledFrom(collective.OfRanks(s.kind)).Draw(t, "algorithm")
		p := rapid.IntRange(1, 40).Draw(t, "ranks")
		switch {
		case info.PowerOfTwo:
			p = 1 << rapid.IntRange(0, 6).Draw(t, "log ranks")
		case info.Even:
			p = (p + 1) / 2 * 2
		}
		block := rapid.IntRange(0, 70).Draw(t, "block")
		if s.reduce {
			block = 8 * (block / 8)
		}
		root := rapid.IntRange(0, p-1).Draw(t, "root")
		op := rapid.SampledFrom(s.ops(info)).Draw(t, "op")
		a := drawOptions(t, &info)
		if err := s.check(a, p, block, root, op, rapid.Uint64().Draw(t, "order")); err != nil {
			t.Fatal(err)
		}
	})
}

// drawOptions draws some of an algorithm's options, of few bytes so that messages are cut.
func drawOptions(t *rapid.T, info *collective.Info) collective.Algorithm {
	a := string(info.Name)
	for _, o := range info.Options {
		if rapid.Bool().Draw(t, o.Name+" given") {
			most := o.Least + 30
			if o.Words != nil {
				most = len(o.Words) - 1
			}
			a += "/" + o.Name + "=" + o.Text(rapid.IntRange(o.Least, most).Draw(t, o.Name))
		}
	}
	return collective.Algorithm(a)
}

// Several collectives one after the other on the same communicator must not
// take each other's messages, although ranks run ahead of one another.
func TestCollectivesInARow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom([]int{2, 3, 8, 13}).Draw(t, "ranks")
		list := rapid.SliceOfN(rapid.SampledFrom(scenes), 2, 6).Draw(t, "collectives")
		_, err := run(p, rapid.Uint64().Draw(t, "order"), func(c collective.Comm) {
			for i, s := range list {
				in := inputs(p, s.sendN(p, 8))
				out := make([]byte, s.recvN(p, 8))
				root := i % p
				s.call(c, collective.Default, node.Data(in[c.Rank()]), node.Data(out), root, collective.SumInt64)
				want := s.want(in, c.Rank(), 8, root, collective.SumInt64)
				if want != nil && (!s.rooted || c.Rank() == root) && !bytes.Equal(out, want) {
					panic(
						fmt.Sprintf(
							"collective %d (%s) at rank %d: got %x, want %x",
							i, s.kind, c.Rank(), out, want,
						),
					)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestBarrierHoldsEveryRank(t *testing.T) {
	for _, info := range collective.OfRanks(collective.KindBarrier) {
		for _, p := range awkward {
			entered := 0
			_, err := run(p, uint64(p), func(c collective.Comm) {
				entered++
				barrier.Run(c, info.Name)
				if entered != p {
					panic(
						fmt.Sprintf(
							"%s: rank %d left when %d of %d ranks had entered",
							info.Name, c.Rank(), entered, p,
						),
					)
				}
			})
			if err != nil {
				t.Fatalf("%s, %d ranks: %v", info.Name, p, err)
			}
		}
	}
}

func TestFloatingPointSumIsTheSameEverywhere(t *testing.T) {
	for _, info := range collective.OfRanks(collective.KindAllreduce) {
		const p, n = 13, 40
		in := inputs(p, n)
		for r := range in {
			for i := 0; i < n; i += 8 {
				in[r][i+7] = 0x3f // finite, of very different magnitudes
			}
		}
		var first [][]byte
		for seed := range uint64(3) {
			out := make([][]byte, p)
			if _, err := run(p, seed, func(c collective.Comm) {
				out[c.Rank()] = make([]byte, n)
				allreduce.Run(c, node.Data(in[c.Rank()]), node.Data(out[c.Rank()]), collective.SumFloat64, info.Name)
			}); err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = out
			}
			for r := range p {
				if !bytes.Equal(out[r], first[0]) {
					t.Errorf("%s: rank %d of run %d has another sum than rank 0 of run 0", info.Name, r, seed)
				}
			}
		}
	}
}
