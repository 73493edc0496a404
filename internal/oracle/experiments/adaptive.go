package experiments

import (
	"fabricast/routing"
	"fabricast/topology"
)

// wander is an adaptive routing algorithm for tests. It offers all shortest paths on all channels
// except those of the escape network, which is dimension-order routing with a dateline (Duato, IEEE
// Trans. Parallel and Distributed Systems 1993). Some packets may take a detour at their first
// router if the queues there favour it, similar to UGAL (Singh, PhD thesis, Stanford 2005). If
// there are too few channels for an escape network, packets may get stuck.
type wander struct {
	grid
	escapes uint64 // number of channels of the escape network
}

var _ routing.Adaptive = wander{}

func newWander(t *topology.Torus, vcs int) wander {
	return wander{newGrid(t, vcs), min(uint64(vcs), uint64(routing.DORMinVCs(t)))}
}

// Header bits above the destination: wanderFresh says that the packet may take a detour;
// wanderDetour is the position of the port of the detour.
const (
	wanderFresh  = 1 << 63
	wanderDetour = 32
)

func (wander) Name() string { return "wander" }

func (w wander) StartPacket(_, dst int32, coin uint64) (header uint64, vc uint8) {
	return coin&^(1<<32-1) | uint64(dst), uint8(coin % w.vcs)
}

func (w wander) Candidates(
	router int32,
	header uint64,
	v routing.View,
	to []routing.Candidate,
) []routing.Candidate {
	return w.candidates(router, header, v, to, func(straight, detour uint16) bool {
		return v.PortQueue(straight) > 2*v.PortQueue(detour)+3
	})
}

// renewedWander is a wander whose packets have other headers and channels in each epoch. Packets of even ones
// count as led the usual way.
type renewedWander struct {
	wander
	epochs int
}

func (w renewedWander) Base() routing.Adaptive { return w.wander }

func (w renewedWander) Epochs() int { return w.epochs }

func (w renewedWander) StartEpoch(epoch int, src, dst int32, coin uint64) (header uint64, vc uint8, renewed bool) {
	header, vc = w.StartPacket(src, dst, mixed(coin, uint64(epoch)))
	return header, vc, epoch%2 == 1
}

// candidates returns the result of Candidates. The function better reports whether the detour
// through one port is preferable to the shortest path through another.
func (w wander) candidates(
	router int32,
	header uint64,
	v routing.View,
	to []routing.Candidate,
	better func(straight, detour uint16) bool,
) []routing.Candidate {
	var room [maxWays]way
	ways := w.ways(router, header, room[:0])
	if len(ways) == 0 {
		return w.channels(to, v, w.ejection(header), 0, header)
	}
	if detour, ok := w.detour(router, header); ok && header&wanderFresh != 0 && w.escapes < w.vcs {
		worth := v == nil || better(ways[0].port, detour)
		if worth {
			to = w.channels(to, v, detour, w.escapes, header&^wanderFresh)
		}
		if worth && v != nil {
			return to
		}
	}
	header &^= wanderFresh
	for _, way := range ways {
		to = w.channels(to, v, way.port, w.escapes, header)
	}
	escape := routing.Candidate{Port: ways[0].port, Escape: true, Cost: 1 << 40, Header: header}
	if ways[0].crosses && w.escapes > 1 {
		escape.VC = 1
	}
	return append(to, escape)
}

// channels appends the channels of a port, starting with number first.
func (w wander) channels(
	to []routing.Candidate,
	v routing.View,
	port uint16,
	first, header uint64,
) []routing.Candidate {
	for vc := first; vc < w.vcs; vc++ {
		to = append(
			to,
			routing.Candidate{Port: port, VC: uint16(vc), Cost: queue(v, port, uint16(vc)), Header: header},
		)
	}
	return to
}

// queue returns the queue length (flits) of a channel according to the view, or 0 without a view.
func queue(v routing.View, port, vc uint16) int64 {
	if v == nil {
		return 0
	}
	return v.Queue(port, vc)
}

// detour returns the port through which the packet may take a detour. ok is false if that port does
// not lead to a router.
func (w wander) detour(router int32, header uint64) (port uint16, ok bool) {
	port = uint16(header>>wanderDetour&0xffff) % uint16(2*len(w.dims))
	g := w.graph
	return port, g.Ports[g.PortBase[router]+int32(port)].Peer != topology.Unconnected
}

// informedWander is like wander, but also considers the queues of neighbouring routers and of one
// distant router.
type informedWander struct {
	wander
	interval int64
}

var _ routing.Informed = informedWander{}

func (w informedWander) Interval() int64 { return w.interval }

func (w informedWander) Candidates(
	router int32,
	header uint64,
	v routing.View,
	to []routing.Candidate,
) []routing.Candidate {
	return w.candidates(router, header, v, to, func(straight, detour uint16) bool {
		g := v.(routing.GlobalView)
		far := int32(header>>40) % int32(w.graph.Routers)
		back := v.PortQueue(straight)
		return w.seen(g, router, straight)+back > w.seen(g, router, detour)+g.Published(far, detour)
	})
}

// seen returns the sum of the published queue lengths (flits) of the router to which a port leads.
func (w informedWander) seen(v routing.GlobalView, router int32, port uint16) (sum int64) {
	next := w.graph.Ports[w.graph.Ports[w.graph.PortBase[router]+int32(port)].Peer].Router
	for p := range w.graph.PortBase[next+1] - w.graph.PortBase[next] {
		sum += v.Published(next, uint16(p))
	}
	return sum
}

// adaptiveTree routes on a tree, where there is only one path. It takes the channel with the
// shortest queue.
type adaptiveTree struct{ *treeRouting }

var _ routing.Adaptive = adaptiveTree{}

func (r adaptiveTree) StartPacket(_, dst int32, coin uint64) (header uint64, vc uint8) {
	return uint64(dst) << 8, uint8(coin % r.vcs)
}

func (r adaptiveTree) Candidates(
	router int32,
	header uint64,
	v routing.View,
	to []routing.Candidate,
) []routing.Candidate {
	port, _, _ := r.Next(router, header)
	for vc := range uint16(r.vcs) {
		to = append(to, routing.Candidate{Port: port, VC: vc, Cost: queue(v, port, vc), Header: header})
	}
	return to
}
