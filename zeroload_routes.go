package fabricast

import (
	"fabricast/fabric"
	"fabricast/routing"
)

// routeBudget bounds how many pairs of hosts are followed through the network.
const routeBudget = 1 << 17

// follow measures along the routes of packets: what measure does with distances.
func (z *ZeroLoad) follow(spec fabric.Spec, parts *zeroLoadParts) error {
	hosts, w := spec.Graph.Hosts, walker{spec}
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
		z.MeanLinks, z.Mean = links/pairs, Time(times/pairs+0.5)
	}
	return nil
}

// idle is the latency between two hosts on an idle network, and over how many
// links between routers.
func (w *walker) idle(src, dst int, parts *zeroLoadParts) (links int, latency Time, err error) {
	there, err := w.passage(src, dst, parts.rate)
	if err != nil {
		return 0, 0, err
	}
	var back passage
	if parts.controls > 0 {
		if back, err = w.passage(dst, src, parts.rate); err != nil {
			return 0, 0, err
		}
	}
	return there.routers - 1, parts.time(there, back), nil
}

// passage is that of packets from one host to another; rate is that of host links and crossbars.
func (w *walker) passage(src, dst int, rate Rate) (passage, error) {
	g, found := w.spec.Graph, passage{slowest: rate}
	_, err := w.walk(src, dst, 0, func(router int32, c routing.Candidate) {
		found.routers++
		out := &g.Ports[g.PortBase[router]+int32(c.Port)]
		if out.NIC < 0 {
			link := w.spec.Links[out.Link]
			found.cables += Time(link.Latency)
			found.slowest = min(found.slowest, Rate(link.Bandwidth))
		}
	})
	return found, err
}
