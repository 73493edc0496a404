package predict

import (
	"fabricast/fabric"
	"fabricast/internal/units"
	"fabricast/routing"
)

// routeBudget is the largest number of pairs of hosts whose routes are followed.
const routeBudget = 1 << 17

// follow computes the mean and greatest latency and route length by following the routes of
// packets. It samples pairs of hosts within routeBudget.
func (z *ZeroLoad) follow(spec fabric.Spec, parts *zeroLoadParts) error {
	hosts, w := spec.Graph.Hosts, walker{spec: spec}
	sources := min(hosts, max(1, routeBudget/hosts))
	step := max(1, hosts/routeBudget)
	z.MeanIsSample = sources < hosts || step > 1
	var pairs, links, times float64
	for i := range sources {
		src := i * hosts / sources
		for dst := 0; dst < hosts; dst += step {
			if dst == src {
				continue
			}
			n, t, err := w.idle(src, dst, parts)
			if err != nil {
				return err
			}
			if n > 0 && (z.Neighbour == 0 || t < z.Neighbour) {
				z.Neighbour = t
			}
			z.Farthest, z.MostLinks = max(z.Farthest, t), max(z.MostLinks, n)
			pairs, links, times = pairs+1, links+float64(n), times+float64(t)
		}
	}
	if pairs > 0 {
		z.MeanLinks, z.Mean = links/pairs, units.Time(times/pairs+0.5)
	}
	return nil
}

// idle returns the length of a route between two hosts, in links between routers, and the latency
// (ps) of the message over it in an idle network.
func (w *walker) idle(src, dst int, parts *zeroLoadParts) (links int, latency units.Time, err error) {
	there, err := w.passage(src, dst, 0)
	if err != nil {
		return 0, 0, err
	}
	var back passage
	if parts.controls > 0 {
		if back, err = w.passage(dst, src, 0); err != nil {
			return 0, 0, err
		}
	}
	return there.routers - 1, parts.time(there, back), nil
}

// passage sums up a route between two hosts. attempt seeds the random choices.
func (w *walker) passage(src, dst int, attempt uint64) (passage, error) {
	g := w.spec.Graph
	from := w.spec.HostLink(int32(src * g.NICsPerHost))
	to := w.spec.HostLink(int32(dst * g.NICsPerHost))
	found := passage{
		cables:  from.Latency + to.Latency,
		slowest: min(from.Bandwidth, to.Bandwidth, w.spec.Router.Bandwidth),
	}
	_, err := w.walk(src, dst, attempt, func(router int32, c routing.Candidate) {
		found.routers++
		port := g.PortBase[router] + int32(c.Port)
		if out := &g.Ports[port]; out.NIC < 0 {
			link := w.spec.Links[out.Link]
			found.cables += link.Latency
			found.slowest = min(found.slowest, link.Bandwidth)
			if found.narrow == 0 || link.Bandwidth < found.narrow {
				found.narrowest, found.narrow = port, link.Bandwidth
			}
		}
	})
	return found, err
}
