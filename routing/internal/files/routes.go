package files

import (
	"fmt"
	"io"
	"slices"

	"fabricast/internal/input"
	"fabricast/routing/internal/headers"
	"fabricast/topology"
)

// Routes holds the steps to the router of the destination, by RouteKey.
type Routes map[uint64][]Step

// RouteKey returns the key of the route from one host to another.
func RouteKey(src, dst int32) uint64 { return uint64(src)<<32 | uint64(dst) }

// RoutesKind is the kind of a file with routes of a network of up to `most` hosts: one at most from each
// host to each, which is no longer than the network has routers but in the strangest of files.
func RoutesKind(g *topology.Graph, most int64) input.Kind {
	const step = 8                                                // bytes
	hosts, routers := min(int64(g.Hosts), most), int64(g.Routers) // more are refused
	return input.Routes.UpTo(
		hosts*hosts*(mostLine+step*routers), fmt.Sprintf("for %d hosts and %d routers", g.Hosts, g.Routers),
	)
}

// routeReader checks routes as it reads them.
type routeReader struct {
	graph  *topology.Graph
	vcs    int
	routes Routes
}

// ReadRoutes reads the routes of some pairs of hosts in the form that routing.NewSource describes.
func ReadRoutes(g *topology.Graph, vcs int, file io.Reader) (Routes, error) {
	rr := routeReader{g, vcs, Routes{}}
	const host = "the number of a host"
	err := readRecords(file, form{
		line: `"source destination port port ...", a port with its channel as "3/1"`,
		ends: [2]string{host, host}, vcs: vcs,
	}, rr.take)
	return rr.routes, err
}

// take stores the route of a line.
func (rr *routeReader) take(r *record) *Error {
	for i, host := range [2]int{r.a, r.b} {
		if host >= rr.graph.Hosts || i == 1 && host == r.a {
			return r.wrong(
				i, fmt.Sprintf("a route from host %d to host %d", r.a, r.b),
				fmt.Sprintf("two different hosts from 0 to %d", rr.graph.Hosts-1),
			)
		}
	}
	key := RouteKey(int32(r.a), int32(r.b))
	if _, known := rr.routes[key]; known {
		return r.wrong(
			0, fmt.Sprintf("a route from host %d to host %d again", r.a, r.b),
			"one for each pair of hosts",
		)
	}
	path := rr.channels(r)
	if err := rr.leads(r, path); err != nil {
		return err
	}
	rr.routes[key] = path
	return nil
}

// leads returns an error if a route does not lead to its destination, or uses a channel twice. In
// the latter case its own packets could wait for each other in a cycle.
func (rr *routeReader) leads(r *record, path []Step) *Error {
	type channel struct {
		router int32
		step   Step
	}
	taken := make(map[channel]bool, len(path))
	at := int32(rr.graph.HostRouter(r.a))
	for i, p := range path {
		c := channel{at, p}
		if taken[c] {
			return r.wrong(
				2+i,
				fmt.Sprintf("port %d of router %d with virtual channel %d again", p.Port, at, p.VC),
				"a route that takes no channel twice, or its packets could wait for each other for ever",
			)
		}
		taken[c] = true
		if at = Follow(rr.graph, at, p.Port); at < 0 {
			return r.wrong(
				2+i, fmt.Sprintf("port %d as step %d", p.Port, i+1),
				"a port that leads to another router",
			)
		}
	}
	if end := int32(rr.graph.HostRouter(r.b)); at != end {
		return r.wrong(
			1, fmt.Sprintf("a route that ends at router %d", at),
			fmt.Sprintf("one that ends at router %d, where host %d is", end, r.b),
		)
	}
	return nil
}

// channels returns the steps of a route. Steps without a virtual channel get one that a hash of the
// hosts chooses.
func (rr *routeReader) channels(r *record) []Step {
	vc := uint8(headers.Mix(RouteKey(int32(r.a), int32(r.b))) >> 32 % uint64(rr.vcs))
	path := slices.Clone(r.path)
	for i := range path {
		if path[i].VC == AnyVC {
			path[i].VC = vc
		}
	}
	return path
}
