package predict

import (
	"fmt"
	"slices"

	"fabricast/fabric"
	"fabricast/internal/failure"
	"fabricast/internal/graphs"
	"fabricast/internal/plan"
	"fabricast/internal/random"
	"fabricast/routing"
	"fabricast/routing/deadlock"
)

// Route is a path that packets take from one host to another. If the algorithm is random or
// adaptive, there are several such paths.
type Route struct {
	From int `json:"from_host"`
	To   int `json:"to_host"`
	VC   int `json:"injection_vc"` // virtual channel in which packets enter the first router
	// Detour is the number of links between routers by which the route exceeds a shortest path.
	Detour int `json:"detour"`

	Hops []Hop `json:"hops"` // the last one leads to the destination's NIC
}

// Hop is the output port and virtual channel that packets take at a router.
type Hop struct {
	Router     int    `json:"router"`
	RouterName string `json:"router_name"`
	Port       int    `json:"port"`
	PortName   string `json:"port_name"`
	VC         int    `json:"vc"`
	// Escape is true if the VC is one of the algorithm's escape channels.
	Escape bool `json:"escape,omitempty"`
}

// RouteSearch counts the routes that a search between two hosts found and listed.
type RouteSearch struct {
	From   int `json:"from_host"`
	To     int `json:"to_host"`
	Listed int `json:"listed"`
	Found  int `json:"found"` // different routes found
	Drawn  int `json:"drawn"` // attempts made; 1 if the algorithm has only one route
}

// ListedRoutes is the default limit on how many different routes between two hosts are listed.
const ListedRoutes = 6

// Limits of the search for routes.
const (
	routeAttempts = 256 // number of attempts, each with other random choices
	escapeAttempt = 1   // the attempt that prefers escape channels, if the algorithm has any
)

// Routes finds routes between the first NICs of two hosts: the only one of a deterministic routing
// algorithm, or up to ListedRoutes different ones. It returns an error if the hosts are equal or
// out of range.
func (l *Layout) Routes(from, to int) ([]Route, error) {
	routes, _, err := l.RoutesUpTo(from, to, ListedRoutes)
	return routes, err
}

// RoutesUpTo is like Routes, with most as the limit. It also returns the number of different routes
// found. There may be more if the algorithm is random or adaptive.
func (l *Layout) RoutesUpTo(from, to, most int) ([]Route, RouteSearch, error) {
	search := RouteSearch{From: from, To: to, Drawn: 1}
	hosts := l.Topology.Graph().Hosts
	if from < 0 || from >= hosts || to < 0 || to >= hosts || from == to {
		return nil, search, fmt.Errorf(
			"found a route from host %d to host %d, expected two different hosts from 0 to %d",
			from, to, hosts-1,
		)
	}
	p, err := plan.Build(l.e)
	if err != nil {
		return nil, search, err
	}
	w := walker{spec: p.Fabric}
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

// way returns a key that distinguishes routes. Routes that differ only in their virtual channels
// have the same key, except that a route that uses only escape channels has a key of its own.
func way(r Route) string {
	ports, escape := make([]int, 0, 2*len(r.Hops)), true
	for _, h := range r.Hops[:len(r.Hops)-1] {
		ports = append(ports, h.Router, h.Port)
		escape = escape && h.Escape
	}
	return fmt.Sprint(ports, escape && len(ports) > 0)
}

// hop converts a candidate output of a router to a Hop with names.
func (l *Layout) hop(router int, c routing.Candidate) Hop {
	port := int(c.Port)
	return Hop{
		Router: router, RouterName: l.Topology.RouterName(router),
		Port: port, PortName: l.Topology.PortName(router, port), VC: int(c.VC), Escape: c.Escape,
	}
}

// walker follows routes from router to router, as the routing algorithm chooses them in an idle
// network.
type walker struct {
	spec    fabric.Spec
	scratch []routing.Candidate
}

// Hops returns the number of links between routers on a route between the first NICs of two hosts.
// attempt seeds the random choices; an adaptive algorithm sees an idle network.
func Hops(spec *fabric.Spec, from, to int, attempt uint64) (int, error) {
	links := -1 // the last output leads to the host and does not count
	w := walker{spec: *spec}
	_, err := w.walk(from, to, attempt, func(int32, routing.Candidate) { links++ })
	return links, err
}

// walk follows one route between the first NICs of two hosts, and calls visit for each router with
// the output taken. attempt seeds the random choices. It returns the VC in which packets enter the
// first router.
func (w *walker) walk(
	from, to int,
	attempt uint64,
	visit func(router int32, c routing.Candidate),
) (entry int, err error) {
	g := w.spec.Graph
	src, dst := int32(from*g.NICsPerHost), int32(to*g.NICsPerHost)
	header, first := w.start(src, dst, random.Scramble(random.Scramble(w.spec.Seed+uint64(src))+attempt))
	router := g.Ports[g.NICPort[src]].Router
	for hop := range deadlock.MostHops(g) {
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
	return 0, &failure.InternalError{
		Err: fmt.Errorf("routing does not bring packets from host %d to host %d", from, to),
	}
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

// next chooses the output at a router. For an adaptive algorithm the attempt decides among its
// candidates: the first half of the attempts take the one with the least cost in an idle network,
// the second half choose at random, and escapeAttempt takes an escape channel if there is one.
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
		return all[random.Below(w.spec.Seed, attempt<<16|uint64(hop), uint64(len(all)))]
	}
	var best *routing.Candidate
	all := w.candidates(router, header)
	for i := range all {
		if best == nil || all[i].Cost < best.Cost {
			best = &all[i]
		}
	}
	return *best
}

// idle is a routing view in which all queues of a router are empty.
type idle struct{}

func (idle) Queue(uint16, uint16) int64 { return 0 }
func (idle) Queues([]routing.Candidate) {}
func (idle) PortQueue(uint16) int64     { return 0 }

// Published returns 0: no queue in an idle network holds anything. It implements
// routing.GlobalView.
func (idle) Published(int32, uint16) int64 { return 0 }

// AnyRoute is the least attempt of Walk at which an adaptive algorithm may take any of its outputs; below
// it, it takes the one of least cost in an idle network.
const AnyRoute = routeAttempts / 2

// Walk calls visit with the ports of routers on a route between the first NICs of two hosts. attempt
// seeds the random choices.
func Walk(spec *fabric.Spec, from, to int, attempt uint64, visit func(port int32)) error {
	w := walker{spec: *spec}
	_, err := w.walk(from, to, attempt, func(router int32, c routing.Candidate) {
		visit(spec.Graph.PortBase[router] + int32(c.Port))
	})
	return err
}
