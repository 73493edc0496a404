package main

import (
	"testing"

	"fabricast/examples/go/internal/golden"
)

// All ranks together must compute exactly the result of a single processor.
func TestHeatIsThatOfOneProcessor(t *testing.T) {
	f := func(name string, p *problem) {
		t.Helper()
		golden.Check(t, name, p.experiment())
		want := p.alone()
		for rank, cells := range p.blocks {
			for k, got := range cells {
				if w := want[p.index(rank, k)]; got != w {
					t.Fatalf("%s: cell %d of rank %d is %v, want %v", name, k, rank, got, w)
				}
			}
		}
	}
	f("square", square)
	f("cube", cube)
}

// alone computes the whole domain without dividing it into blocks.
func (p *problem) alone() []float64 {
	width, total := p.ranks*p.cells, 1
	for range p.dims {
		total *= width
	}
	now, next := make([]float64, total), make([]float64, total)
	for i := range now {
		now[i] = initial(p.place(i))
	}
	for range p.steps {
		for i := range now {
			sum, stride := 0.0, 1
			for range p.dims {
				at := i / stride % width
				below, above := i+((at+width-1)%width-at)*stride, i+((at+1)%width-at)*stride
				sum += now[below] + now[above]
				stride *= width
			}
			next[i] = sum / float64(2*p.dims)
		}
		now, next = next, now
	}
	return now
}

// place returns the coordinates of cell i of the domain.
func (p *problem) place(i int) []int {
	width := p.ranks * p.cells
	place := make([]int, p.dims)
	for d := range place {
		place[d] = i % width
		i /= width
	}
	return place
}

// index returns the index in the domain of cell k of a rank's block.
func (p *problem) index(rank, k int) int {
	index, stride := 0, 1
	for _, first := range p.origin(rank) {
		index += (first + k%p.cells) * stride
		k /= p.cells
		stride *= p.ranks * p.cells
	}
	return index
}
