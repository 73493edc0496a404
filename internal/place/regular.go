package place

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fabricast/internal/plan"
	"fabricast/topology"
)

// rearrangement is a permutation of the cells of a grid: what was in cell c comes into cell to[c].
type rearrangement struct {
	name string
	to   []int
}

// Regular returns the best tilt, turn, snake and blocks of the plan's own mapping, in this order. The best one
// loads the busiest link least, period by period: a tilt may load a link more in all, and yet win,
// because it uses more links at once. There are none on networks without coordinates, and where the
// mapping does not use all of a grid.
func Regular(ctx context.Context, p *plan.Plan, flows []Flow, periods [][]Flow) ([]Found, error) {
	problem, _, err := newProblem(p, flows)
	if err != nil {
		return nil, err
	}
	g := gridOf(p, problem)
	if g == nil {
		return nil, nil
	}
	r := newRoutes(&p.Fabric)
	var list []Found
	for _, family := range [][]rearrangement{g.tilts(), g.turns(), {g.snake()}, g.blocks()} {
		best, least := -1, float64(0)
		for i := range family {
			at := g.moved(problem, family[i].to)
			if slices.Equal(at, problem.slots) {
				continue
			}
			sum, err := problem.byPeriods(r, at, periods)
			if err = firstError(err, ctx.Err()); err != nil {
				return nil, err
			}
			if best < 0 || sum < least {
				best, least = i, sum
			}
		}
		if best >= 0 {
			at := g.moved(problem, family[best].to)
			list = append(list, problem.found(start{name: family[best].name}, at, newState(problem, r, at).cost()))
		}
	}
	return list, nil
}

// firstError returns the first error that is not nil; one of the context as an *InterruptedError.
func firstError(err, ended error) error {
	if err == nil && ended != nil {
		return &InterruptedError{Err: ended}
	}
	return err
}

// byPeriods returns the sum of the times that the bytes of the busiest link of each period take.
func (p *problem) byPeriods(r *routes, at []int32, periods [][]Flow) (sum float64, err error) {
	for _, flows := range periods {
		part := *p
		part.flows = flows
		s := newState(&part, r, at)
		if s.err != nil {
			return 0, s.err
		}
		sum += s.cost().Busiest
	}
	return sum, nil
}

// grid is a network in which each cell has equally many hosts with equally many ranks.
type grid struct {
	names []string
	sizes []int
	cells [][]int32 // the hosts of each cell, as indices; cells are counted along the first axis first
	cell  []int     // by host: its cell
	place []int     // by host: its index in the cell
}

// gridOf returns the grid of a mapping; nil if it has none of two dimensions or more.
func gridOf(p *plan.Plan, q *problem) *grid {
	g := &grid{cell: make([]int, len(q.hosts)), place: make([]int, len(q.hosts))}
	count := 1
	for _, d := range topology.Dimensions(p.Topology) {
		g.names, g.sizes = append(g.names, d.Name), append(g.sizes, d.Size)
		if count *= d.Size; count > len(q.hosts) {
			return nil
		}
	}
	if len(g.sizes) < 2 {
		return nil
	}
	g.cells = make([][]int32, count)
	graph := p.Topology.Graph()
	for i, host := range q.hosts {
		c := 0
		at := topology.Coordinates(p.Topology, graph.HostRouter(int(host)), nil)
		for d, stride := 0, 1; d < len(g.sizes); d++ {
			if at[d] < 0 {
				return nil
			}
			c += at[d] * stride
			stride *= g.sizes[d]
		}
		g.cell[i], g.place[i] = c, len(g.cells[c])
		g.cells[c] = append(g.cells[c], int32(i))
	}
	if !g.equal(q) {
		return nil
	}
	return g
}

// equal reports whether all cells have hosts with the same numbers of ranks.
func (g *grid) equal(q *problem) bool {
	ranks := make([]int, len(q.hosts))
	for _, h := range q.slots {
		ranks[h]++
	}
	for _, hosts := range g.cells {
		if len(hosts) != len(g.cells[0]) {
			return false
		}
		for k, h := range hosts {
			if ranks[h] != ranks[g.cells[0][k]] {
				return false
			}
		}
	}
	return true
}

// moved returns the own mapping with its cells permuted.
func (g *grid) moved(q *problem, to []int) []int32 {
	at := make([]int32, len(q.slots))
	for r, h := range q.slots {
		at[r] = g.cells[to[g.cell[h]]][g.place[h]]
	}
	return at
}

// each returns the permutation that a function of coordinates makes.
func (g *grid) each(move func(at []int) []int) []int {
	to, at := make([]int, len(g.cells)), make([]int, len(g.sizes))
	for c := range to {
		rest := c
		for d, n := range g.sizes {
			at[d] = rest % n
			rest /= n
		}
		to[c] = number(move(slices.Clone(at)), g.sizes)
	}
	return to
}

// number returns the index of coordinates, the first of which counts first.
func number(at, sizes []int) (n int) {
	for d := len(sizes) - 1; d >= 0; d-- {
		n = n*sizes[d] + at[d]
	}
	return n
}

// orders returns the orders of axes that are tried: rotations of the usual one and of its reverse.
func (g *grid) orders() (list [][]int) {
	n := len(g.sizes)
	for begin := range n {
		up, down := make([]int, n), make([]int, n)
		for i := range n {
			up[i], down[i] = (begin+i)%n, (begin+n-i)%n
		}
		if list = append(list, up); n > 2 {
			list = append(list, down)
		}
	}
	return list
}

// tilts returns shifts of planes by their coordinate along another axis: along one axis, and along all but one,
// each by the axis before in an order.
func (g *grid) tilts() (list []rearrangement) {
	for _, order := range g.orders() {
		for axes := 2; axes <= len(order); axes++ {
			if axes > 2 && axes < len(order) {
				continue
			}
			var name strings.Builder
			name.WriteString("tilt")
			for i := 1; i < axes; i++ {
				fmt.Fprintf(&name, " %s+%s", g.names[order[i]], g.names[order[i-1]])
			}
			to := g.each(func(at []int) []int {
				moved := slices.Clone(at)
				for i := 1; i < axes; i++ {
					a := order[i]
					moved[a] = (at[a] + at[order[i-1]]) % g.sizes[a]
				}
				return moved
			})
			list = append(list, rearrangement{name.String(), to})
		}
	}
	return list
}

// turns returns the cells counted along other axes first.
func (g *grid) turns() (list []rearrangement) {
	for _, order := range g.orders() {
		name := "turn"
		for _, a := range order {
			name += " " + g.names[a]
		}
		to := g.each(func(at []int) []int {
			rest, moved := number(at, g.sizes), make([]int, len(at))
			for _, a := range order {
				moved[a] = rest % g.sizes[a]
				rest /= g.sizes[a]
			}
			return moved
		})
		list = append(list, rearrangement{name, to})
	}
	return list
}

// snake returns the cells counted so that each is next to the one before.
func (g *grid) snake() rearrangement {
	return rearrangement{"snake", g.each(func(at []int) []int {
		for d := len(at) - 1; d > 0; d-- {
			if at[d]%2 == 0 {
				continue
			}
			for a := range d {
				at[a] = g.sizes[a] - 1 - at[a]
			}
		}
		return at
	})}
}

// blocks returns the cells counted block by block.
func (g *grid) blocks() (list []rearrangement) {
	for _, edge := range []int{2, 4} {
		inner := slices.Clone(g.sizes)
		texts := make([]string, len(inner))
		for d, n := range g.sizes {
			if n%edge == 0 {
				inner[d] = edge
			}
			texts[d] = fmt.Sprint(inner[d])
		}
		to := g.each(func(at []int) []int {
			rest := number(at, g.sizes)
			for d, n := range inner {
				at[d] = rest % n
				rest /= n
			}
			for d, n := range inner {
				blocks := g.sizes[d] / n
				at[d] += n * (rest % blocks)
				rest /= blocks
			}
			return at
		})
		list = append(list, rearrangement{"blocks of " + strings.Join(texts, "x"), to})
	}
	return list
}
