package main

import (
	"encoding/binary"
	"math"

	"fabricast/mpi"
)

// block is a rank's part of the domain, surrounded by a layer of its neighbours' cells (the halo).
type block struct {
	now, next  []float64
	inner      []int  // indices in now and next of the block's own cells
	strides    []int  // distance in now between adjacent cells, by dimension
	sides      []side // by dimension: lower and upper side
	requests   []mpi.Request
	neighbours int
}

// side is one border of a block.
type side struct {
	neighbour int
	border    []int // indices of the own cells that the neighbour needs
	halo      []int // indices of the neighbour's cells
	out, in   []byte
}

func newBlock(p *problem, rank int) *block {
	width, total := p.cells+2, 1
	b := &block{neighbours: 2 * p.dims}
	for range p.dims {
		b.strides = append(b.strides, total)
		total *= width
	}
	b.now, b.next = make([]float64, total), make([]float64, total)
	b.sides = make([]side, 2*p.dims)
	for d := range p.dims {
		b.sides[2*d].neighbour = p.neighbour(rank, d, -1)
		b.sides[2*d+1].neighbour = p.neighbour(rank, d, +1)
	}
	origin := p.origin(rank)
	for i := range total {
		b.classify(p, i, origin)
	}
	for i := range b.sides {
		s := &b.sides[i]
		s.out, s.in = make([]byte, 8*len(s.border)), make([]byte, 8*len(s.halo))
	}
	b.requests = make([]mpi.Request, 2*len(b.sides))
	return b
}

// classify adds the cell with index i to the lists that contain it, and sets its initial
// temperature if it is one of the block's own cells. Cells in corners of the halo are in no list.
func (b *block) classify(p *problem, i int, origin []int) {
	width := p.cells + 2
	var outside, where int
	place := make([]int, p.dims)
	for d, stride := range b.strides {
		at := i / stride % width
		place[d] = origin[d] + at - 1
		switch at {
		case 0:
			outside, where = outside+1, 2*d
		case width - 1:
			outside, where = outside+1, 2*d+1
		}
	}
	switch outside {
	case 0:
		b.inner = append(b.inner, i)
		b.now[i] = initial(place)
	case 1:
		s := &b.sides[where]
		inward := b.strides[where/2] * (1 - 2*(where%2))
		s.halo = append(s.halo, i)
		s.border = append(s.border, i+inward)
	}
}

// exchange fills the halo of the block with the neighbours' cells.
func (b *block) exchange(rank *mpi.Rank) {
	for i := range b.sides {
		s := &b.sides[i]
		b.requests[i] = rank.Irecv(mpi.Data(s.in), s.neighbour, i)
	}
	for i := range b.sides {
		s := &b.sides[i]
		pack(s.out, b.now, s.border)
		// A message sent to the lower side is received from the upper side: i^1 is the opposite
		// side.
		b.requests[len(b.sides)+i] = rank.Isend(mpi.Data(s.out), s.neighbour, i^1)
	}
	rank.WaitAll(b.requests)
	for i := range b.sides {
		s := &b.sides[i]
		for k, at := range s.halo {
			b.now[at] = math.Float64frombits(binary.LittleEndian.Uint64(s.in[8*k:]))
		}
	}
}

// step sets every cell to the mean of its neighbours and returns the largest change.
func (b *block) step() (change float64) {
	for _, i := range b.inner {
		sum := 0.0
		for _, stride := range b.strides {
			sum += b.now[i-stride] + b.now[i+stride]
		}
		b.next[i] = sum / float64(b.neighbours)
		change = max(change, math.Abs(b.next[i]-b.now[i]))
	}
	b.now, b.next = b.next, b.now
	return change
}

// pack writes the listed cells consecutively.
func pack(out []byte, cells []float64, list []int) {
	for k, at := range list {
		binary.LittleEndian.PutUint64(out[8*k:], math.Float64bits(cells[at]))
	}
}

func unpack(cells []float64, in []byte) {
	for k := range cells {
		cells[k] = math.Float64frombits(binary.LittleEndian.Uint64(in[8*k:]))
	}
}

// origin returns the coordinates in the domain of the first cell of a rank's block.
func (p *problem) origin(rank int) []int {
	place := make([]int, p.dims)
	for d := range place {
		place[d] = rank % p.ranks * p.cells
		rank /= p.ranks
	}
	return place
}

// neighbour returns the rank one step (1 or -1) away in a dimension of the periodic domain.
func (p *problem) neighbour(rank, dim, step int) int {
	stride := 1
	for range dim {
		stride *= p.ranks
	}
	at := rank / stride % p.ranks
	return rank + ((at+step+p.ranks)%p.ranks-at)*stride
}
