package partition

import (
	"slices"

	"fabricast/topology"
)

// Method is a method of cutting a network by its graph.
type Method string

const (
	Metis  Method = "metis"  // the library METIS (Karypis and Kumar, SIAM J. Sci. Comput. 20, 1998)
	Scotch Method = "scotch" // the library Scotch (Pellegrini and Roman, HPCN 1996)
	Own    Method = "own"    // that of this package
)

// Methods are all methods.
func Methods() []Method { return []Method{Metis, Scotch, Own} }

// Missing returns why a method's library cannot be loaded; nil if it can, or there is none.
func (m Method) Missing() (err error) {
	switch m {
	case Metis:
		_, err = loadMetis()
	case Scotch:
		_, err = loadScotch()
	}
	return err
}

// fewest is how many routers a block must have so that a library cuts the network. Some libraries
// leave blocks empty of small ones, and print messages of their own.
const fewest = 8

// ByGraph cuts any network by its graph alone, so that the blocks weigh about the same and few links
// lead from block to block. There must be at least as many routers as blocks. Networks of few
// routers, and those in which a library fails, are cut by the method Own. Each method always finds
// the same for the same network, as long as its library stays the same.
//
// demand is the traffic that is expected of each output of a router, by global port number, in any
// unit: blocks then get equal traffic, and little traffic leads from block to block. It may be nil.
func ByGraph(g *topology.Graph, demand []float64, blocks int, m Method) []int32 {
	n := netOf(g, demand)
	if list := m.cut(n, blocks); list != nil {
		return list
	}
	return n.cut(blocks)
}

// Best cuts a network as ByGraph does, by all methods that are there, and returns the partition whose
// busiest block has the least to do, and the method. To have a packet cross from block to block is as
// much work as to have it pass a router.
func Best(g *topology.Graph, demand []float64, blocks int) (best []int32, by Method) {
	n, least := netOf(g, demand), int64(0)
	for _, m := range Methods() {
		list := m.cut(n, blocks)
		if list == nil {
			continue
		}
		if most := n.busiest(list, blocks); best == nil || most < least {
			best, by, least = list, m, most
		}
	}
	return best, by
}

// cut cuts a net by a method. It returns nil if the method is not there, fails, or has too few nodes.
func (m Method) cut(n *net, blocks int) (list []int32) {
	small := blocks < 2 || n.nodes() < fewest*blocks
	switch {
	case m == Own:
		return n.cut(blocks)
	case small:
		return nil
	case m == Metis:
		if lib, err := loadMetis(); err == nil {
			list = lib.cut(n, blocks)
		}
	case m == Scotch:
		if lib, err := loadScotch(); err == nil {
			list = lib.cut(n, blocks)
		}
	}
	if list == nil {
		return nil
	}
	return whole(list, blocks)
}

// busiest returns the most that a block has to do: the weights of its nodes, and of the edges that
// lead from it to others.
func (n *net) busiest(list []int32, blocks int) int64 {
	work := make([]int64, blocks)
	for node := range int32(n.nodes()) {
		work[list[node]] += n.weights[node]
		n.edges(node, func(peer int32, links int64) {
			if list[peer] != list[node] {
				work[list[node]] += links / 2 // of each direction of a link
			}
		})
	}
	return slices.Max(work)
}
