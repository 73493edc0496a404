package picture

import (
	"math"

	"fabricast/internal/graphs"
	"fabricast/topology"
)

// placeAnyhow places a network without a known shape: first by eigenvectors of its graph, then by
// forces that pull neighbours together and push all others apart (Fruchterman and Reingold,
// Software: Practice and Experience 1991).
func placeAnyhow(t topology.Topology, most int) *scene {
	net := graphs.New(t.Graph(), nil)
	routers := net.Routers()
	cells := min(routers, most)
	s := &scene{cell: merged(routers, cells), spacing: 1, at: make([]point, cells)}
	axes := net.Embed(2)
	size := math.Sqrt(float64(cells)) * 0.7
	for r := range routers {
		// a small offset separates routers that the eigenvectors place at the same point
		p := point{axes[0][r], axes[1][r]}.times(size).plus(onCircle(0.05, float64(r)*0.618))
		s.at[s.cell[r]] = p
	}
	links := map[[2]int32]bool{}
	var list [][2]int32
	for r := range routers {
		for _, p := range net.Peers(r) {
			pair := [2]int32{s.cell[r], s.cell[p]}
			if pair[0] < pair[1] && !links[pair] {
				links[pair] = true
				list = append(list, pair)
			}
		}
	}
	s.relax(list)
	return s.centered()
}

// forceBudget limits the number of pairs of cells for which forces are computed.
const forceBudget = 60_000_000

// relax moves the cells by the forces, in smaller and smaller steps.
func (s *scene) relax(links [][2]int32) {
	n := len(s.at)
	rounds := min(300, forceBudget/(n*n+1))
	move := make([]point, n)
	for round := range rounds {
		clear(move)
		for a := range n {
			for b := range a {
				s.push(move, a, b)
			}
		}
		for _, l := range links {
			s.pull(move, int(l[0]), int(l[1]))
		}
		step := 0.6 * float64(rounds-round) / float64(rounds)
		for i, m := range move {
			if length := math.Hypot(m.x, m.y); length > 0 {
				s.at[i] = s.at[i].plus(m.times(min(length, step) / length))
			}
		}
	}
}

// push adds the repulsion between two cells, the inverse of their distance, to their displacements.
// The attraction of neighbours grows with the square of the distance, so both balance at distance
// 1.
func (s *scene) push(move []point, a, b int) {
	away := s.at[a].plus(s.at[b].times(-1))
	square := max(away.x*away.x+away.y*away.y, 1e-4)
	if square > 25 {
		return
	}
	force := away.times(1 / square)
	move[a] = move[a].plus(force)
	move[b] = move[b].plus(force.times(-1))
}

func (s *scene) pull(move []point, a, b int) {
	away := s.at[a].plus(s.at[b].times(-1))
	force := away.times(math.Hypot(away.x, away.y))
	move[a] = move[a].plus(force.times(-1))
	move[b] = move[b].plus(force)
}
