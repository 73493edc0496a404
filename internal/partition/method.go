package partition

import (
	"slices"

	"fabricast/topology"
)

// Method is a method of partitioning a network as a graph.
type Method string

const (
	Metis  Method = "metis"  // the library METIS (Karypis and Kumar, SIAM J. Sci. Comput. 20, 1998)
	Scotch Method = "scotch" // the library Scotch (Pellegrini and Roman, HPCN 1996)
	Own    Method = "own"    // the multilevel method of this package
)

// Methods returns all methods.
func Methods() []Method { return []Method{Metis, Scotch, Own} }

// Missing returns an error that explains why the library of method m cannot be loaded; nil if it
// can, or if m needs no library.
func (m Method) Missing() (err error) {
	switch m {
	case Metis:
		_, err = loadMetis()
	case Scotch:
		_, err = loadScotch()
	}
	return err
}

// fewest is the minimum number of routers per block for which libraries are used. With fewer, some
// libraries leave blocks empty and print messages of their own.
const fewest = 8

// ByGraph partitions a network as a graph, so that blocks have about equal weight and few links
// connect different blocks. There must be at least as many routers as blocks. If the network has
// few routers, or a library fails, it uses the method Own. With a given version of the library,
// each method is deterministic.
//
// demand is the expected load of each router output, by global port number, in any unit. With
// demand, blocks have equal traffic, and little traffic crosses from block to block. It may be nil.
func ByGraph(g *topology.Graph, demand []float64, blocks int, m Method) []int32 {
	n := netOf(g, demand)
	if list := m.cut(n, blocks); list != nil {
		return list
	}
	return n.cut(blocks)
}

// Best partitions a network by all available methods, as ByGraph does. It returns the partition
// whose busiest block has the least work, and its method. A packet that crosses between blocks
// counts as much work as a packet that passes a router.
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

// cut partitions a graph by method m. It returns nil if m is not available, fails, or does not
// support so few nodes.
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

// busiest returns the work of the busiest block: the weights of its nodes and of its edges to other
// blocks.
func (n *net) busiest(list []int32, blocks int) int64 {
	work := make([]int64, blocks)
	for node := range int32(n.nodes()) {
		work[list[node]] += n.weights[node]
		n.edges(node, func(peer int32, links int64) {
			if list[peer] != list[node] {
				work[list[node]] += links / 2 // each direction of a link counts half
			}
		})
	}
	return slices.Max(work)
}
