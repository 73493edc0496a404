package workload

import (
	"fmt"
	"math"
)

// gridParam returns the parameter for the number of ranks in each of dims dimensions of a grid.
func gridParam(dims int) Param {
	return Param{
		Name: "grid", Unit: "ranks", Default: "as near to a square or cube as the number of ranks allows",
		Summary: "ranks in each dimension, the first one fastest; every dimension is a ring",
		given:   func(p *Params) string { return list(p.Grid) },
		resolve: func(p *Params, ranks int) *Problem { return resolveGrid(p, dims, ranks) },
	}
}

func resolveGrid(p *Params, dims, ranks int) *Problem {
	if p.Grid == nil {
		p.Grid = compact(ranks, dims)
	}
	product := 1
	for _, n := range p.Grid {
		if n < 1 || n > ranks/product {
			product = 0
			break
		}
		product *= n
	}
	if len(p.Grid) != dims || product != ranks {
		return &Problem{
			Param: "grid", Found: list(p.Grid),
			Expected: fmt.Sprintf(
				"%d numbers whose product is the %d ranks, such as %s",
				dims, ranks, list(compact(ranks, dims)),
			),
		}
	}
	return nil
}

// compact returns the sizes of a grid of n ranks in 2 or 3 dimensions with the smallest surface, in
// descending order.
func compact(n, dims int) []int {
	if dims == 2 {
		a, b := nearSquare(n)
		return []int{a, b}
	}
	best, least := []int{n, 1, 1}, math.MaxInt
	for c := 1; c*c*c <= n; c++ {
		if n%c != 0 {
			continue
		}
		a, b := nearSquare(n / c)
		if surface := a*b + b*c + a*c; surface < least && b >= c {
			best, least = []int{a, b, c}, surface
		}
	}
	return best
}

// nearSquare returns factors a and b of n = ab that are closest to each other, with a >= b.
func nearSquare(n int) (a, b int) {
	for b = int(math.Sqrt(float64(n))); n%b != 0; b-- {
	}
	return n / b, b
}

// neighbours appends the neighbours of a rank in a periodic grid: for each dimension, the previous
// and the next rank. In a dimension of size 1 there are none. In a dimension of size 2, both are
// the same rank, which is appended twice.
func neighbours(list []int32, rank int, grid []int) []int32 {
	stride, rest := 1, rank
	for _, n := range grid {
		at := rest % n
		rest /= n
		if n > 1 {
			below, above := rank-stride, rank+stride
			if at == 0 {
				below += n * stride
			}
			if at == n-1 {
				above -= n * stride
			}
			list = append(list, int32(below), int32(above))
		}
		stride *= n
	}
	return list
}
