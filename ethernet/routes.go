package ethernet

import (
	"errors"
	"fmt"
	"slices"

	"fabricast/topology"
)

// routes holds, for each router and each router that has hosts, the ports on shortest paths.
type routes struct {
	places []int32   // by router: its number among those that have hosts; -1: it has none
	hosted []int32   // the routers that have hosts
	sets   [][]int32 // the sets of ports that occur: global IDs, ascending
	choice []uint32  // set by router * len(hosted) + place of the destination's router
	far    [2]int32  // two routers with hosts that are as far from each other as any
	most   int32     // links between routers on the way between those
	// apart are two routers with hosts between which there is no way; nil: there is one between all
	apart []int32
}

// maxChoices limits the size of the table: 4 bytes each.
const maxChoices = 1 << 30

var errUnreachable = errors.New("hosts that packets cannot reach")

// checkRoutes returns an error if a network is too large for so many tables of paths.
func checkRoutes(g *topology.Graph, tables int) error {
	if hosted := len(g.HostedRouters()); int64(g.Routers)*int64(hosted) > maxChoices/int64(tables) {
		return fmt.Errorf("%d routers, %d of them with hosts: the table of paths would be too large",
			g.Routers, hosted)
	}
	return nil
}

// check returns an error if there is no way between two hosts.
func (r *routes) check() error {
	if r.apart != nil {
		return fmt.Errorf("%w: from router %d none leads to router %d", errUnreachable, r.apart[0], r.apart[1])
	}
	return nil
}

// newRoutes finds the shortest paths of a network, by links.
func newRoutes(g *topology.Graph) *routes {
	r := &routes{places: make([]int32, g.Routers), hosted: g.HostedRouters()}
	for i := range r.places {
		r.places[i] = -1
	}
	for i, router := range r.hosted {
		r.places[router] = int32(i)
	}
	r.choice = make([]uint32, g.Routers*len(r.hosted))
	b := newBreadth(g)
	known := make(map[string]uint32)
	for place, router := range r.hosted {
		b.from(router)
		for _, other := range r.hosted {
			if b.distance[other] < 0 && r.apart == nil {
				r.apart = []int32{other, router}
			}
			if b.distance[other] > r.most {
				r.most, r.far = b.distance[other], [2]int32{other, router}
			}
		}
		for from := range int32(g.Routers) {
			r.choice[int(from)*len(r.hosted)+place] = r.set(b.toward(from), known)
		}
	}
	if r.most == 0 {
		r.far = [2]int32{r.hosted[0], r.hosted[0]}
	}
	return r
}

// set returns the number of a set of ports.
func (r *routes) set(ports []int32, known map[string]uint32) uint32 {
	key := make([]byte, 0, 4*len(ports))
	for _, p := range ports {
		key = append(key, byte(p), byte(p>>8), byte(p>>16), byte(p>>24))
	}
	n, found := known[string(key)]
	if !found {
		n = uint32(len(r.sets))
		known[string(key)] = n
		r.sets = append(r.sets, slices.Clone(ports))
	}
	return n
}

// ports returns the ports of a router on shortest paths to another router, which has hosts.
func (r *routes) ports(router, to int32) []int32 {
	return r.sets[r.choice[int(router)*len(r.hosted)+int(r.places[to])]]
}

// breadth searches a graph breadth-first, against the direction of links.
type breadth struct {
	g        *topology.Graph
	distance []int32 // links to the router of the search; -1: none leads there
	queue    []int32
	scratch  []int32
}

func newBreadth(g *topology.Graph) *breadth {
	return &breadth{g: g, distance: make([]int32, g.Routers)}
}

// from computes the distance of every router to the given one.
func (b *breadth) from(router int32) {
	for i := range b.distance {
		b.distance[i] = -1
	}
	b.distance[router] = 0
	b.queue = append(b.queue[:0], router)
	for i := 0; i < len(b.queue); i++ {
		at := b.queue[i]
		for p := b.g.PortBase[at]; p < b.g.PortBase[at+1]; p++ {
			peer := b.g.Ports[p].Peer
			if peer < 0 || b.g.Ports[peer].Closed {
				continue
			}
			if next := b.g.Ports[peer].Router; b.distance[next] < 0 {
				b.distance[next] = b.distance[at] + 1
				b.queue = append(b.queue, next)
			}
		}
	}
}

// toward returns the ports of a router that lead one link closer to the router of the search. The
// list is valid until the next call.
func (b *breadth) toward(router int32) []int32 {
	b.scratch = b.scratch[:0]
	for p := b.g.PortBase[router]; p < b.g.PortBase[router+1]; p++ {
		next := b.g.NextRouter(int(p))
		if next >= 0 && b.distance[next] >= 0 && b.distance[next] == b.distance[router]-1 {
			b.scratch = append(b.scratch, p)
		}
	}
	return b.scratch
}
