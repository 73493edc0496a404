package channels

import (
	"slices"

	"fabricast/node"
)

// ring is the ring of a channel: from node to node, and on each through all of its ranks, beginning
// with that of the channel's NIC.
type ring struct {
	places  *Places
	channel int
	at      int // number of the calling rank on the ring
}

func (p *Places) ring(rank, channel int) ring {
	node, i := p.inChannel(rank, channel)
	return ring{p, channel, p.first[node] + i}
}

// number returns the rank so many places above the calling one.
func (r *ring) number(above int) int {
	first := r.places.first
	n := first[len(first)-1]
	at := ((r.at+above)%n + n) % n
	node, begins := slices.BinarySearch(first, at)
	if !begins {
		node--
	}
	return int(r.places.member(node, r.channel, at-first[node]))
}

func (r *ring) next() []int32 { return []int32{int32(r.number(1))} }
func (r *ring) prev() []int32 { return []int32{int32(r.number(-1))} }

// share is the part of a buffer that a channel moves, in bytes.
type share struct{ at, n int }

// shares divides n bytes among channels, in cells of whole elements.
func shares(n, channels, elem int) []share {
	each := round((n+channels-1)/channels, elem)
	var list []share
	for at := 0; at < n; at += each {
		list = append(list, share{at, min(each, n-at)})
	}
	return list
}

// slicing is the division of a share into loops, of chunks into slices.
type slicing struct {
	share
	chunk, slices int // the largest chunk, and the slices of each
	ways          int // chunks of a loop
	elem          int
	last          int  // chunk of the last loop
	lines         bool // slices are parts of a Whole
}

// slicing returns how a share is divided if each loop has so many chunks.
func (s *Setting) slicing(of share, ways, elem int) slicing {
	chunk := max(s.chunk/unit(elem), 1) * unit(elem)
	d := slicing{
		share: of, chunk: chunk, slices: s.slices, ways: ways, elem: elem, lines: s.Protocol == LL128 && s.slices > 1,
	}
	d.last = d.chunk
	if rest := of.n - (d.loops()-1)*d.chunk*ways; rest < d.chunk*ways {
		d.last = round((rest+ways-1)/ways, elem)
	}
	return d
}

// loops returns the number of loops.
func (d *slicing) loops() int { return max(1, (d.n+d.chunk*d.ways-1)/(d.chunk*d.ways)) }

// chunk returns a chunk of a loop, relative to the buffer.
func (d *slicing) chunkOf(loop, chunk int) Part {
	size := d.chunk
	if loop == d.loops()-1 {
		size = d.last
	}
	begin := loop*d.chunk*d.ways + chunk*size
	end := min(begin+size, d.n)
	begin = min(begin, d.n)
	return Part{d.at + begin, end - begin}
}

// piece returns a step that works on slice i of a chunk of a loop, in a block that begins at some offset of
// the buffer.
func (d *slicing) piece(loop, chunk, i, offset int) (m Step) {
	c := d.chunkOf(loop, chunk)
	c.At += offset
	each := round(max((c.N+d.slices-1)/d.slices, leastSlice), d.elem)
	lo, hi := min(i*each, c.N), min((i+1)*each, c.N)
	m.Part = Part{c.At + lo, hi - lo}
	if d.lines {
		m.Whole = Whole{c, i, d.slices}
	}
	return m
}

// leastSlice is the size in bytes below which a chunk is not cut further.
const leastSlice = 32 << 10

// RingAllreduce returns the programs of an allreduce on rings, in acc.
func (s *Setting) RingAllreduce(acc node.Buf, elem int) (list []Program) {
	for channel, of := range shares(acc.Len(), s.channels, elem) {
		r, p := s.places.ring(s.rank, channel), s.ranks
		d := s.slicing(of, p, elem)
		from, to, rounds := r.prev(), r.next(), 2*(p-1)+1
		list = append(list, Program{
			Channel: channel, Acc: acc, Steps: d.loops() * rounds * d.slices,
			Step: func(i int) Step {
				loop, k, slice := i/(rounds*d.slices), i/d.slices%rounds, i%d.slices
				chunk := ((r.at-1-k)%p + 2*p) % p
				m := d.piece(loop, chunk, slice, 0)
				if k > 0 {
					m.From, m.Combine = from, k < p
				}
				if k < rounds-1 {
					m.To = to
				}
				return m
			},
		})
	}
	return list
}

// RingReduceScatter returns the programs of a reduce-scatter on rings. acc holds a block for each
// rank; that of the calling rank is the result, the others are overwritten.
func (s *Setting) RingReduceScatter(acc node.Buf, elem int) []Program {
	return s.blocks(acc, elem, func(r *ring, k int) (block int, recv, combine, send bool) {
		return r.number(-1 - k), k > 0, true, k < s.ranks-1
	})
}

// RingAllgather returns the programs of an allgather on rings. all holds a block for each rank, that
// of the calling rank at first.
func (s *Setting) RingAllgather(all node.Buf) []Program {
	return s.blocks(all, 1, func(r *ring, k int) (block int, recv, combine, send bool) {
		return r.number(-k), k > 0, false, k < s.ranks-1
	})
}

// blocks returns programs in whose round k each rank receives and sends a part of a block.
func (s *Setting) blocks(
	all node.Buf, elem int, round func(r *ring, k int) (block int, recv, combine, send bool),
) (list []Program) {
	block := all.Len() / s.ranks
	for channel, of := range shares(block, s.channels, elem) {
		r, p := s.places.ring(s.rank, channel), s.ranks
		d := s.slicing(of, 1, elem)
		from, to := r.prev(), r.next()
		list = append(list, Program{
			Channel: channel, Acc: all, Steps: d.loops() * p * d.slices,
			Step: func(i int) Step {
				b, recv, combine, send := round(&r, i/d.slices%p)
				m := d.piece(i/(p*d.slices), 0, i%d.slices, b*block)
				if recv {
					m.From, m.Combine = from, combine
				}
				if send {
					m.To = to
				}
				return m
			},
		})
	}
	return list
}

// Pipeline returns the programs by which a buffer goes around rings from the root to all ranks or, if
// up is set, from all ranks to the root, combined with what they have.
func (s *Setting) Pipeline(buf node.Buf, root, elem int, up bool) (list []Program) {
	for channel, of := range shares(buf.Len(), s.channels, elem) {
		r := s.places.ring(s.rank, channel)
		d := s.slicing(of, 1, elem)
		var from, to []int32
		first, last := s.rank == root, r.number(1) == root
		if up {
			first, last = r.number(-1) == root, s.rank == root
		}
		if !first {
			from = r.prev()
		}
		if !last {
			to = r.next()
		}
		list = append(list, Program{
			Channel: channel, Acc: buf, Steps: d.loops() * d.slices,
			Step: func(i int) Step {
				m := d.piece(i/d.slices, 0, i%d.slices, 0)
				m.From, m.To, m.Combine = from, to, up
				return m
			},
		})
	}
	return list
}
