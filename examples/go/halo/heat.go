package main

import (
	"encoding/binary"
	"math"

	"fabricast/collective"
	"fabricast/mpi"
)

// problem is a periodic domain and its division into blocks.
type problem struct {
	dims  int // of the domain
	ranks int // number of blocks in each dimension
	cells int // number of cells of a block in each dimension
	steps int

	// Results.
	blocks [][]float64 // by rank: cells of its block, with the first dimension varying fastest
	change float64     // largest change of a cell in the last step
}

// cellTime is the simulated time to compute one cell in one step.
const cellTime = 2 * mpi.Nanosecond

// program is the program that each rank runs.
func (p *problem) program(rank *mpi.Rank) {
	b := newBlock(p, rank.Rank())
	change := 0.0
	for range p.steps {
		b.exchange(rank)
		rank.Compute(mpi.Duration(len(b.inner)) * cellTime)
		change = largest(rank, b.step())
	}
	if rank.Rank() == 0 {
		p.change = change
	}
	b.store(p, rank)
}

// largest returns the maximum of x over all ranks.
func largest(rank *mpi.Rank, x float64) float64 {
	in := binary.LittleEndian.AppendUint64(nil, math.Float64bits(x))
	out := make([]byte, len(in))
	rank.Allreduce(mpi.Data(in), mpi.Data(out), collective.MaxFloat64, collective.Default)
	return math.Float64frombits(binary.LittleEndian.Uint64(out))
}

// store gathers all blocks at rank 0.
func (b *block) store(p *problem, rank *mpi.Rank) {
	mine := make([]byte, 0, 8*len(b.inner))
	for _, i := range b.inner {
		mine = binary.LittleEndian.AppendUint64(mine, math.Float64bits(b.now[i]))
	}
	if rank.Rank() != 0 {
		rank.Gather(mpi.Data(mine), mpi.Buf{}, 0, collective.Default)
		return
	}
	all := make([]byte, rank.Size()*len(mine))
	rank.Gather(mpi.Data(mine), mpi.Data(all), 0, collective.Default)
	p.blocks = make([][]float64, rank.Size())
	for r := range p.blocks {
		p.blocks[r] = make([]float64, len(b.inner))
		unpack(p.blocks[r], all[r*len(mine):][:len(mine)])
	}
}

// initial returns the initial temperature of the cell at the given coordinates.
func initial(place []int) float64 {
	x := 0
	for d, at := range place {
		x += (d + 3) * at * at
	}
	return float64(x % 101)
}
