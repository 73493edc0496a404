package plan

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/units"
	"fabricast/routing"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// maxReroutings is the largest number of different sets of links that are down together, for each of
// which tables are computed.
const maxReroutings = 256

// proofSteps limits the proof that epochs are free of deadlock together, in steps of the check for
// each of them.
const proofSteps = 8 * deadlock.DefaultSteps

// rerouting makes the epochs of an experiment with faults.
type rerouting struct {
	e       *experiment.Resolved
	t       topology.Topology
	network experiment.Network // with the algorithm of tables that avoid links
	known   map[string]*tables // by the links that they avoid, as in keyOf
	used    []*tables          // by packets, each once
}

// avoidance are the links, by the lower of their ports, that tables avoid from a time on.
type avoidance struct {
	at    units.Time
	links []int32
}

// tables are a routing function that packets use from some time on.
type tables struct{ routing.Function }

// makeEpochs computes the routing after each change of the links that are down, and proves that
// packets of all of them, which may be in the network together, cannot deadlock.
func makeEpochs(
	e *experiment.Resolved, t topology.Topology, base routing.Algorithm, outages []Outage,
) ([]fabric.Epoch, error) {
	if e.Faults.Reroute == experiment.RerouteNone {
		return nil, nil
	}
	f, ok := base.(routing.Function)
	if !ok || PerPacket(f) || e.Faults.Reroute == experiment.RerouteAdaptive {
		return nil, unsuited(e, base)
	}
	now := &tables{f}
	r := &rerouting{e: e, t: t, network: e.Network, known: map[string]*tables{keyOf(nil): now}}
	if word := e.Faults.Reroute; word != experiment.RerouteSame {
		k := routing.FindKind(word)
		r.network.Routing = k.Spec(k.New())
	}
	list, err := r.avoidances(outages, r.network.RoutingMemory(t))
	if err != nil {
		return nil, err
	}
	var epochs []fabric.Epoch
	for _, a := range list {
		next, err := r.around(a.links)
		if err != nil {
			return nil, err
		}
		if next == now {
			continue
		}
		if a.at > 0 {
			r.use(now)
		}
		r.use(next)
		now = next
		epochs = append(epochs, fabric.Epoch{At: a.at, Routing: next.Function})
	}
	r.record(outages)
	return epochs, r.prove()
}

// unsuited refuses a way of rerouting that does not suit the network's algorithm, which is not adaptive.
func unsuited(e *experiment.Resolved, base routing.Algorithm) error {
	name, found := base.Name(), e.Faults.Reroute+" with "+base.Name()
	if e.Faults.Reroute == experiment.RerouteAdaptive {
		return e.Refuse(
			"faults.reroute", found, "an adaptive network.routing, or one of none, up-down, shortest and dfsssp",
			"with "+name+", routers do not choose among routes",
		)
	}
	return e.Refuse(
		"faults.reroute", found, "none, or an algorithm with one route for each pair of hosts",
		name+" has several, and no tables that could replace them",
	)
}

// record sets when tables begin to avoid links in outages.
func (r *rerouting) record(outages []Outage) {
	for i := range outages {
		if o := &outages[i]; o.between(r.t.Graph()) {
			o.Avoided, _ = r.seen(o)
		}
	}
}

// between reports whether links between routers are down in the outage.
func (o *Outage) between(g *topology.Graph) bool {
	return o.Rate == 0 && slices.ContainsFunc(o.ports, func(port int32) bool {
		return g.Ports[port].Peer != topology.Unconnected
	})
}

// keyOf returns a text that differs for different links.
func keyOf(links []int32) string { return fmt.Sprint(links) }

// use records that packets use tables.
func (r *rerouting) use(f *tables) {
	if !slices.Contains(r.used, f) {
		r.used = append(r.used, f)
	}
}

// avoidances returns which links tables avoid, for each time at which that may change, in ascending
// order. It returns an error if there would be too many tables, of `each` bytes, before any is computed.
func (r *rerouting) avoidances(outages []Outage, each int64) ([]avoidance, error) {
	moments := map[units.Time]bool{}
	for i := range outages {
		from, to := r.seen(&outages[i])
		moments[from], moments[to] = true, true
	}
	delete(moments, never)
	var list []avoidance
	sets := map[string][]int32{}
	for _, at := range slices.Sorted(maps.Keys(moments)) {
		links := r.avoided(outages, at)
		if key := keyOf(links); sets[key] != nil {
			links = sets[key]
		} else if len(links) > 0 {
			sets[key] = links
		}
		if len(sets) > maxReroutings {
			return nil, r.e.Refuse(
				"faults", fmt.Sprintf("more than %d different sets of links that are down at once", maxReroutings),
				"fewer, as there are tables for each", "faults.reroute: none computes no tables",
			)
		}
		list = append(list, avoidance{at, links})
	}
	return list, roomForTables(r.e, tableMemory(r.e, r.t)+units.Bytes(each)*units.Bytes(len(sets)))
}

// seen returns when tables begin to avoid the links of an outage, and when they end to. What is down at
// time 0 is known from the beginning.
func (r *rerouting) seen(o *Outage) (from, to units.Time) {
	f := &r.e.Faults
	switch {
	case o.Rate > 0:
		return never, never
	case o.From == 0:
	case o.announced != nil:
		from = *o.announced + f.Update
	default:
		from = o.From + f.Detection + f.Update
	}
	if to = never; o.Ends() {
		to = max(o.To+f.Detection+f.Update, from)
	}
	return from, to
}

// avoided returns the links that tables avoid at a time.
func (r *rerouting) avoided(outages []Outage, at units.Time) []int32 {
	g := r.t.Graph()
	var links []int32
	for i := range outages {
		if from, to := r.seen(&outages[i]); at < from || at >= to {
			continue
		}
		for _, port := range outages[i].ports {
			if peer := g.Ports[port].Peer; peer != topology.Unconnected {
				links = append(links, min(port, peer))
			}
		}
	}
	slices.Sort(links)
	return slices.Compact(links)
}

// around returns tables that avoid links, also in the direction that is not down.
func (r *rerouting) around(links []int32) (*tables, error) {
	key := keyOf(links)
	if f, known := r.known[key]; known {
		return f, nil
	}
	f, err := r.compute(links)
	if err != nil {
		return nil, err
	}
	r.known[key] = &tables{f}
	return r.known[key], nil
}

// compute makes the algorithm of the tables for the network without some links.
func (r *rerouting) compute(links []int32) (routing.Function, error) {
	n, vcs := &r.network, r.network.Router.VCs
	if own := r.e.Faults.VCs; own > 0 {
		vcs = own
	}
	a, err := n.AlgorithmFor(&thinned{r.t, r.withoutMost(links)}, vcs)
	var few *routing.TooFewVCsError
	switch {
	case errors.As(err, &few):
		return nil, r.refuse(
			links, fmt.Sprintf("%s, which needs %d virtual channels", few.Algorithm, few.Need),
			fmt.Sprintf("one that needs at most %d", vcs), "network.router.vcs, or faults.vcs, gives it more",
		)
	case err != nil:
		return nil, r.refuse(links, n.Routing.Name(), "an algorithm that suits the network", err.Error())
	}
	f, ok := a.(routing.Function)
	if !ok || PerPacket(f) {
		return nil, r.refuse(links, n.Routing.Name(), "an algorithm with one route for each pair of hosts", "")
	}
	if r.e.Faults.VCs > 0 {
		f = &onLastVCs{f, uint8(r.e.Network.Router.VCs - vcs)}
	}
	if err := deadlock.Follow(r.t.Graph(), f); err != nil {
		return nil, r.refuse(links, f.Name(), "routes that lead to every host", err.Error())
	}
	return f, nil
}

// withoutMost returns the network without links, apart from as many of them as are needed so that it
// stays connected. Packets to hosts that cannot be reached wait at these links until they are up.
func (r *rerouting) withoutMost(links []int32) *topology.Graph {
	g := r.t.Graph()
	parts := topology.NewParts(g.Routers)
	join := func(port int32) (joined bool) {
		return parts.Join(g.Ports[port].Router, g.Ports[g.Ports[port].Peer].Router)
	}
	down := map[int32]bool{}
	for _, port := range links {
		down[port] = true
	}
	for port := range int32(len(g.Ports)) {
		if g.Ports[port].Peer > port && !down[port] {
			join(port)
		}
	}
	for _, port := range links {
		down[port] = !join(port)
	}
	return without(g, func(port int32) bool { return down[port] })
}

// without returns a copy of a network without the links of which down says so for one of their ports.
func without(g *topology.Graph, down func(port int32) bool) *topology.Graph {
	less := &topology.Graph{
		Routers: g.Routers, Hosts: g.Hosts, NICsPerHost: g.NICsPerHost, PortBase: g.PortBase, NICPort: g.NICPort,
		Ports: slices.Clone(g.Ports), Ends: g.Ends,
	}
	for port := range int32(len(g.Ports)) {
		if peer := g.Ports[port].Peer; peer != topology.Unconnected && down(port) {
			less.Ports[port].Peer, less.Ports[peer].Peer = topology.Unconnected, topology.Unconnected
		}
	}
	return less
}

// thinned is a network without some of its links. It has none of the optional properties of a topology.
type thinned struct {
	topology.Topology
	graph *topology.Graph
}

// Graph implements topology.Topology.
func (t *thinned) Graph() *topology.Graph { return t.graph }

// onLastVCs is a routing function whose first virtual channel is another one.
type onLastVCs struct {
	routing.Function
	first uint8
}

// Start implements routing.Function.
func (f *onLastVCs) Start(src, dst int32) (header uint64, vc uint8) {
	header, vc = f.Function.Start(src, dst)
	return header, vc + f.first
}

// Next implements routing.Function.
func (f *onLastVCs) Next(router int32, header uint64) (port, vc uint16, next uint64) {
	port, vc, next = f.Function.Next(router, header)
	return port, vc + uint16(f.first), next
}

// prove returns an error if packets of all tables together could wait for each other in a cycle.
func (r *rerouting) prove() error {
	if len(r.used) == 0 {
		return nil
	}
	var algorithms []routing.Function
	for _, f := range r.used {
		algorithms = append(algorithms, f.Function)
	}
	o := deadlock.Options{VCs: r.e.Network.Router.VCs, Steps: proofSteps}
	return r.unproved(deadlock.Together(r.t.Graph(), algorithms, o))
}

// unproved returns the error of a user for one of the proof; nil for nil.
func (r *rerouting) unproved(err error) error {
	var cycle *deadlock.CycleError
	var astray *deadlock.RouteError
	switch {
	case errors.As(err, &cycle):
		hint := "faults.vcs gives packets that are routed round faults virtual channels of their own; the cycle: "
		return r.e.Refuse(
			"faults.reroute",
			fmt.Sprintf("routes of %s before and after tables change, with %s", cycle.Algorithm, cycle.Channels()),
			"routes that together have no cycle of waiting packets", hint+cycle.Path(r.t),
		)
	case errors.As(err, &astray):
		return r.e.Refuse("faults.reroute", astray.Algorithm, "routes that lead to every host", astray.Describe(r.t))
	case err != nil:
		return r.e.Refuse(
			"faults.reroute", r.e.Faults.Reroute, "routes that can be proved to be free of deadlock", err.Error(),
		)
	}
	return nil
}

// refuse returns an error about tables without some links.
func (r *rerouting) refuse(links []int32, found, expected, hint string) error {
	return r.e.Refuse("faults.reroute", found+", without "+r.names(links), expected, hint)
}

// names lists links by their routers.
func (r *rerouting) names(links []int32) string {
	const most = 4
	g, text := r.t.Graph(), ""
	for i, port := range links {
		if i == most {
			return text + fmt.Sprintf(" and %d more", len(links)-most)
		}
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("link %d-%d", g.Ports[port].Router, g.PeerRouter(int(port)))
	}
	return text
}
