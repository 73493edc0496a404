package fabricast

import (
	"fmt"
	"slices"

	"fabricast/fabric"
	"fabricast/internal/graphs"
	"fabricast/routing"
)

// Route is a way that packets take from one host to another, or may take where
// chance or the state of routers has a say.
type Route struct {
	From int `json:"from_host"`
	To   int `json:"to_host"`
	VC   int `json:"injection_vc"` // in which packets enter the first router
	// Detour is how many links between routers the route has more than a shortest path.
	Detour int `json:"detour"`

	Hops []Hop `json:"hops"` // the last one leads to the host's NIC
}

// Hop is the output that packets take at a router.
type Hop struct {
	Router     int    `json:"router"`
	RouterName string `json:"router_name"`
	Port       int    `json:"port"`
	PortName   string `json:"port_name"`
	VC         int    `json:"vc"`
	// Escape tells that the VC is taken as an escape channel, where the algorithm has such.
	Escape bool `json:"escape,omitempty"`
}

// RouteSearch tells how many of the routes between two hosts are listed.
type RouteSearch struct {
	From   int `json:"from_host"`
	To     int `json:"to_host"`
	Listed int `json:"listed"`
	Found  int `json:"found"` // different ones
	Drawn  int `json:"drawn"` // in so many draws; 1: the algorithm takes no other
}

// ListedRoutes is how many different routes between two hosts are listed unless more are asked for.
const ListedRoutes = 6

// Bounds of the search for routes.
const (
	routeAttempts = 256  // coins tried to find them
	escapeAttempt = 1    // the one that keeps to escape channels, if the algorithm has such
	maxRouteHops  = 4096 // after which a route leads nowhere
)

// Routes finds routes between the first NICs of two hosts: the one that the
// routing algorithm takes, or up to ListedRoutes where it may take several.
func (l *Layout) Routes(from, to int) ([]Route, error) {
	routes, _, err := l.RoutesUpTo(from, to, ListedRoutes)
	return routes, err
}

// RoutesUpTo is like Routes with another limit. It also tells how many different routes it found; where
// chance or the state of routers decides, there may be more.
func (l *Layout) RoutesUpTo(from, to, most int) ([]Route, RouteSearch, error) {
	search := RouteSearch{From: from, To: to, Drawn: 1}
	hosts := l.Topology.Graph().Hosts
	if from < 0 || from >= hosts || to < 0 || to >= hosts || from == to {
		return nil, search, fmt.Errorf("found a route from host %d to host %d, expected two different hosts from 0 to %d", from, to, hosts-1)
	}
	p, err := l.e.build()
	if err != nil {
		return nil, search, err
	}
	w := walker{p.fabric}
	g := l.Topology.Graph()
	shortest := int(graphs.New(g, nil).From(g.HostRouter(from))[g.HostRouter(to)])
	if _, random := w.spec.Routing.(routing.Randomized); random || w.spec.Adaptive != nil {
		search.Drawn = routeAttempts
	}
	var routes []Route
	seen := map[string]bool{}
	for i := range search.Drawn {
		r := Route{From: from, To: to}
		r.VC, err = w.walk(from, to, uint64(i), func(router int32, c routing.Candidate) {
			r.Hops = append(r.Hops, l.hop(int(router), c))
		})
		if err != nil {
			return nil, search, err
		}
		r.Detour = len(r.Hops) - 1 - shortest
		if key := way(r); !seen[key] {
			seen[key] = true
			if len(routes) < most {
				routes = append(routes, r)
			}
		}
	}
	search.Listed, search.Found = len(routes), len(seen)
	return routes, search, nil
}

// way tells routes apart by their ports; of those that differ only in virtual
// channels one is enough, and one that keeps to escape channels.
func way(r Route) string {
	ports, escape := make([]int, 0, 2*len(r.Hops)), true
	for _, h := range r.Hops[:len(r.Hops)-1] {
		ports = append(ports, h.Router, h.Port)
		escape = escape && h.Escape
	}
	return fmt.Sprint(ports, escape && len(ports) > 0)
}

// hop names an output.
func (l *Layout) hop(router int, c routing.Candidate) Hop {
	port := int(c.Port)
	return Hop{
		Router: router, RouterName: l.Topology.RouterName(router),
		Port: port, PortName: l.Topology.PortName(router, port), VC: int(c.VC), Escape: c.Escape,
	}
}

// walker follows the routing algorithm from router to router.
type walker struct{ spec fabric.Spec }

// walk takes one route between the first NICs of two hosts and visits its outputs;
// attempt decides what chance decides. It returns the VC in which
// packets enter the first router.
func (w *walker) walk(from, to int, attempt uint64, visit func(router int32, c routing.Candidate)) (entry int, err error) {
	g := w.spec.Graph
	src, dst := int32(from*g.NICsPerHost), int32(to*g.NICsPerHost)
	header, first := w.start(src, dst, scramble(scramble(w.spec.Seed+uint64(src))+attempt))
	router := g.Ports[g.NICPort[src]].Router
	for hop := range maxRouteHops {
		c := w.next(router, header, attempt, hop)
		header = c.Header
		visit(router, c)
		out := g.PortBase[router] + int32(c.Port)
		if g.Ports[out].NIC == dst {
			return int(first), nil
		}
		next := g.PeerRouter(int(out))
		if next < 0 {
			break
		}
		router = int32(next)
	}
	return 0, &InternalError{fmt.Errorf("routing does not bring packets from host %d to host %d", from, to)}
}

func (w *walker) start(src, dst int32, coin uint64) (header uint64, vc uint8) {
	if w.spec.Adaptive != nil {
		return w.spec.Adaptive.StartPacket(src, dst, coin)
	}
	if random, ok := w.spec.Routing.(routing.Randomized); ok {
		return random.StartPacket(src, dst, coin)
	}
	return w.spec.Routing.Start(src, dst)
}

// next is the hop at a router. Of an adaptive algorithm's candidates the first
// attempts take those of the least cost in an idle network, later ones any; one takes the escape channels.
func (w *walker) next(router int32, header, attempt uint64, hop int) routing.Candidate {
	if w.spec.Adaptive == nil {
		port, vc, next := w.spec.Routing.Next(router, header)
		return routing.Candidate{Port: port, VC: vc, Header: next}
	}
	if attempt == escapeAttempt {
		all := w.spec.Adaptive.Candidates(router, header, idle{}, nil)
		if i := slices.IndexFunc(all, func(c routing.Candidate) bool { return c.Escape }); i >= 0 {
			return all[i]
		}
	}
	if attempt >= routeAttempts/2 {
		all := w.spec.Adaptive.Candidates(router, header, nil, nil)
		return all[randomBelow(w.spec.Seed, attempt<<16|uint64(hop), uint64(len(all)))]
	}
	var best *routing.Candidate
	all := w.spec.Adaptive.Candidates(router, header, idle{}, nil)
	for i := range all {
		if best == nil || all[i].Cost < best.Cost {
			best = &all[i]
		}
	}
	return *best
}

// idle is the view of a router in an idle network.
type idle struct{}

func (idle) Queue(uint16, uint16) int64 { return 0 }
func (idle) Queues([]routing.Candidate) {}
func (idle) PortQueue(uint16) int64     { return 0 }

// Published makes it a routing.GlobalView too.
func (idle) Published(int32, uint16) int64 { return 0 }
