package place

import (
	"fabricast/fabric"
	"fabricast/internal/predict"
	"fabricast/routing"
	"fabricast/topology"
)

// whole is the share of a link that all packets between two hosts pass. Shares are integers, so
// that loads are the same in whatever order flows are added and removed.
const whole = 1 << 16

// How the routes of packets are known.
const (
	RoutesExact   = "exact"   // one route for each pair of hosts
	RoutesMean    = "mean"    // several, by their probabilities
	RoutesSampled = "sampled" // some, drawn in an idle network: packets choose by queues
)

// part is a link and the share of packets between two hosts that pass it.
type part struct {
	link  int32
	share int64 // of whole
}

// Limits of tables of routes.
const (
	mostKept = 1 << 20 // pairs of hosts whose routes are kept
	samples  = 16      // routes drawn between two hosts
)

// routes finds the links between hosts. Links are numbered as the ports of routers that they start
// at, followed by those from hosts to routers. It is not safe for concurrent use.
type routes struct {
	spec   *fabric.Spec
	kind   string
	kept   map[[2]int32][]part
	buffer []part
}

func newRoutes(spec *fabric.Spec) *routes {
	r := &routes{spec: spec, kind: RoutesExact, kept: map[[2]int32][]part{}}
	if _, random := spec.Routing.(routing.Randomized); random || spec.Adaptive != nil {
		r.kind = RoutesMean
		if _, ok := r.mean(0, 0); !ok {
			r.kind = RoutesSampled
		}
	}
	return r
}

// links returns the number of links.
func (r *routes) links() int { return len(r.spec.Graph.Ports) + len(r.spec.Graph.NICPort) }

// between returns the links on the way between two different hosts. The slice may be valid until
// the next call only.
func (r *routes) between(from, to int32) ([]part, error) {
	key := [2]int32{from, to}
	if list, found := r.kept[key]; found {
		return list, nil
	}
	list, err := r.find(from, to)
	if err == nil && len(r.kept) < mostKept {
		list = append([]part(nil), list...)
		r.kept[key] = list
	}
	return list, err
}

func (r *routes) find(from, to int32) ([]part, error) {
	g := r.spec.Graph
	entry := part{int32(len(g.Ports)) + from*int32(g.NICsPerHost), whole}
	r.buffer = append(r.buffer[:0], entry)
	switch r.kind {
	case RoutesMean:
		loads, _ := r.mean(from, to)
		for port, load := range loads {
			if share := int64(load*whole + 0.5); share > 0 {
				r.buffer = append(r.buffer, part{int32(port), share})
			}
		}
	case RoutesSampled:
		for i := range uint64(samples) {
			// half of the routes are those of an idle network, half may be any
			attempt := 2 + i + i%2*predict.AnyRoute
			if err := r.walk(from, to, attempt, whole/samples); err != nil {
				return nil, err
			}
		}
	default:
		if err := r.walk(from, to, 0, whole); err != nil {
			return nil, err
		}
	}
	return r.buffer, nil
}

func (r *routes) walk(from, to int32, attempt uint64, share int64) error {
	return predict.Walk(r.spec, int(from), int(to), attempt, func(port int32) {
		r.buffer = append(r.buffer, part{port, share})
	})
}

// mean returns the share of packets between two hosts that pass each port of routers.
func (r *routes) mean(from, to int32) ([]float64, bool) {
	g := r.spec.Graph
	var algorithm routing.Algorithm = r.spec.Routing
	if r.spec.Adaptive != nil {
		algorithm = r.spec.Adaptive
	}
	n := int32(g.NICsPerHost)
	flows := func(visit func([]routing.Flow) bool) {
		visit([]routing.Flow{{Src: from * n, First: to * n, N: 1, Share: 1}})
	}
	return routing.MeanLoads(g, algorithm, flows, routing.Effort{})
}

// hops returns the number of links between routers on the way between two hosts, times whole.
func (r *routes) hops(from, to int32) (int64, error) {
	if from == to {
		return 0, nil
	}
	list, err := r.between(from, to)
	sum := int64(0)
	for _, p := range list {
		if r.inside(p.link) {
			sum += p.share
		}
	}
	return sum, err
}

// inside reports whether a link lies between routers.
func (r *routes) inside(link int32) bool {
	g := r.spec.Graph
	return int(link) < len(g.Ports) && g.Ports[link].Peer != topology.Unconnected
}

// perByte returns how long a byte takes on each link, in picoseconds.
func (r *routes) perByte() []float64 {
	g := r.spec.Graph
	list := make([]float64, r.links())
	for port := range g.Ports {
		if rate := r.spec.Links[g.Ports[port].Link].Bandwidth; rate > 0 {
			list[port] = 1e12 / float64(rate)
		}
	}
	for nic, port := range g.NICPort {
		list[len(g.Ports)+nic] = list[port]
	}
	return list
}
