package fabricast

import (
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"fabricast/internal/config"
	"fabricast/routing"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// routingKind is a routing algorithm that experiments can name.
type routingKind struct {
	name   string
	fields []string // options that it takes
	needs  string   // the topologies it fits, for messages
	fits   func(t topology.Topology) bool
	make   func(r *Routing, t topology.Topology, vcs int) (any, error)
}

// routingKinds lists the algorithms in the order in which messages name them. What
// they and their options do is told by docs/routing.md.
var routingKinds = append(slices.Clip(ownRoutes),
	routingKind{RoutingSource, []string{"of", "file"}, "any", isAny, makeSource},
	routingKind{RoutingTable, []string{"file"}, "any", isAny, makeTable},
)

// ownRoutes are the algorithms that find their routes themselves.
var ownRoutes = []routingKind{
	{RoutingDOR, []string{"tie", "choice", "dateline_vcs"}, "torus, mesh, hyperx or fully-connected", isGrid, makeDOR},
	{RoutingNCA, []string{"up"}, "fat-tree, k-ary-n-tree or xgft", is[*topology.XGFT], makeNCA},
	{RoutingMinimal, []string{"choice"}, "any", isAny, func(r *Routing, t topology.Topology, vcs int) (any, error) {
		return routing.NewMinimal(t, RoutingMinimal, vcs, choices[r.Choice])
	}},
	{RoutingShortest, []string{"classes", "choice"}, "any", isAny, makeShortest},
	{RoutingUpDown, []string{"root"}, "any", isAny, func(r *Routing, t topology.Topology, vcs int) (any, error) {
		return routing.NewUpDown(t.Graph(), vcs, r.rootRouter())
	}},
	{RoutingValiant, nil, "any", isAny, func(_ *Routing, t topology.Topology, vcs int) (any, error) {
		return routing.NewValiant(t, vcs)
	}},
	{RoutingROMM, nil, "torus or mesh", is[*topology.Torus], func(_ *Routing, t topology.Topology, vcs int) (any, error) {
		return routing.NewROMM(t.(*topology.Torus), vcs)
	}},
	{RoutingAdaptive, nil, "torus, mesh, hyperx or fully-connected", isGrid, func(_ *Routing, t topology.Topology, vcs int) (any, error) {
		return routing.NewMinimalAdaptive(t, vcs)
	}},
	{RoutingUGALL, []string{"threshold", "weights"}, "any", isAny, func(r *Routing, t topology.Topology, vcs int) (any, error) {
		return routing.NewUGALL(t, vcs, r.ugal())
	}},
	{RoutingUGALG, []string{"threshold", "interval"}, "any", isAny, func(r *Routing, t topology.Topology, vcs int) (any, error) {
		return routing.NewUGALG(t, vcs, r.ugal())
	}},
	{RoutingPAR, []string{"threshold", "weights"}, "dragonfly", is[*topology.Dragonfly], func(r *Routing, t topology.Topology, vcs int) (any, error) {
		return routing.NewPAR(t.(*topology.Dragonfly), vcs, r.ugal())
	}},
	{RoutingZone, []string{"zones"}, "torus or mesh, or a hierarchy of fully connected blocks joined by one", isZoned, makeZone},
}

func isAny(topology.Topology) bool { return true }

func is[T topology.Topology](t topology.Topology) bool {
	_, ok := t.(T)
	return ok
}

func isGrid(t topology.Topology) bool {
	return is[*topology.Torus](t) || is[*topology.HyperX](t) || is[*topology.Full](t)
}

func isZoned(t topology.Topology) bool {
	return is[*topology.Torus](t) || is[*topology.Hierarchy](t)
}

// choices are the names of routing.Choice.
var choices = map[string]routing.Choice{
	"": routing.ChoiceFlow, ChoiceFlow: routing.ChoiceFlow, ChoicePacket: routing.ChoicePacket, ChoiceQueue: routing.ChoiceQueue,
}

// ups are the names of routing.Up.
var ups = map[string]routing.Up{
	UpDestination: routing.UpDestination, UpSource: routing.UpSource, UpHash: routing.UpHash,
	UpRandom: routing.UpRandom, UpAdaptive: routing.UpAdaptive,
}

// upAliases are other words for ways up.
var upAliases = map[string]string{UpStraight: UpSource, DownStraight: UpDestination}

func makeDOR(r *Routing, t topology.Topology, vcs int) (any, error) {
	torus, ok := t.(*topology.Torus)
	if !ok {
		return routing.NewMinimal(t, RoutingDOR, vcs, choices[r.Choice])
	}
	tie := routing.TieSplit
	if r.Tie == TieUp {
		tie = routing.TieUp
	}
	return routing.NewDORWith(torus, vcs, tie, r.DatelineVCs, choices[r.Choice])
}

func makeNCA(r *Routing, t topology.Topology, vcs int) (any, error) {
	return routing.NewNCA(t.(*topology.XGFT), vcs, ups[r.Up])
}

// makeShortest takes channels of any class where shortest paths are free of
// deadlock without classes, and a class for each hop elsewhere.
func makeShortest(r *Routing, t topology.Topology, vcs int) (any, error) {
	choice := choices[r.Choice]
	if r.Classes != ClassesHop {
		a, err := routing.NewShortest(t.Graph(), vcs, routing.ClassesNone, choice)
		if err != nil || r.Classes == ClassesNone {
			return a, err
		}
		if circleless(t.Graph(), a, vcs) {
			return a, nil
		}
	}
	return routing.NewShortest(t.Graph(), vcs, routing.ClassesHop, choice)
}

// circleless tells whether no circle of waiting packets is found. Most show on a part of the routes, so
// that is tried first.
func circleless(g *topology.Graph, algorithm any, vcs int) bool {
	for _, steps := range []int64{deadlock.DefaultSteps / 16, deadlock.DefaultSteps} {
		report, err := deadlock.Check(g, algorithm, deadlock.Options{VCs: vcs, Steps: steps})
		if err != nil || report.Skipped != "" {
			return false
		}
		if report.Whole() {
			return true
		}
	}
	return true
}

func makeZone(r *Routing, t topology.Topology, vcs int) (any, error) {
	var zones []routing.ZoneMasks
	for _, text := range r.Zones {
		masks, err := routing.ParseZone(text)
		if err != nil {
			return nil, err
		}
		zones = append(zones, masks)
	}
	return routing.NewZone(t, vcs, zones...)
}

// sourceRoutes are the algorithms whose routes can be put into headers.
var sourceRoutes = []string{RoutingMinimal, RoutingDOR, RoutingNCA, RoutingShortest, RoutingUpDown}

func makeSource(r *Routing, t topology.Topology, vcs int) (any, error) {
	k := routingIn(ownRoutes, r.Of)
	if !k.fits(t) {
		return nil, fmt.Errorf("routes of %s need a network that is %s", r.Of, k.needs)
	}
	of, err := k.make(&Routing{Algorithm: r.Of, Up: UpDestination}, t, vcs)
	if err != nil {
		return nil, err
	}
	var routes io.Reader
	if r.File != "" {
		file, err := os.Open(r.File)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		routes = file
	}
	return routing.NewSource(t.Graph(), vcs, of.(routing.Function), routes)
}

func makeTable(r *Routing, t topology.Topology, vcs int) (any, error) {
	file, err := os.Open(r.File)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return routing.NewForwarding(t.Graph(), vcs, file)
}

func (r *Routing) ugal() routing.UGALOptions {
	o := routing.UGALOptions{Threshold: int64(r.Threshold), Interval: int64(r.Interval)}
	if len(r.Weights) == 2 {
		o.MinimalWeight, o.DetourWeight = int64(r.Weights[0]), int64(r.Weights[1])
	}
	return o
}

// rootRouter is the number of the root of up*/down*; -1 for a router in the middle.
func (r *Routing) rootRouter() int {
	if n, err := strconv.Atoi(r.Root); err == nil {
		return n
	}
	return -1
}

func routingOf(name string) *routingKind { return routingIn(routingKinds, name) }

// routingIn finds an algorithm by its name; nil if there is none.
func routingIn(kinds []routingKind, name string) *routingKind {
	for i := range kinds {
		if kinds[i].name == name {
			return &kinds[i]
		}
	}
	return nil
}

func routingNames() []string {
	names := make([]string, len(routingKinds))
	for i, k := range routingKinds {
		names[i] = k.name
	}
	return names
}

// routing fills in the algorithm, by the kind of network, and those of its options that are shown.
func (f filler) routing(n *Network) {
	r := &n.Routing
	algorithm := RoutingDOR
	if k := kindOf(n.Topology.Kind); k != nil {
		algorithm = k.routing
	} else if n.Topology.Custom != nil {
		algorithm = RoutingShortest
	}
	if r.Custom == nil {
		f.e.routingOpen = f.e.routingOpen || algorithm == RoutingShortest && reflect.ValueOf(*r).IsZero() && !f.e.positions.Has("network.routing")
		give(f, "network.routing.algorithm", &r.Algorithm, algorithm)
	}
	if name, ok := upAliases[r.Up]; ok {
		r.Up = name
	}
	const path = "network.routing."
	switch r.Algorithm {
	case RoutingDOR:
		if n.Topology.Kind == KindTorus || n.Topology.Kind == KindMesh {
			give(f, path+"tie", &r.Tie, TieSplit)
		}
	case RoutingNCA:
		give(f, path+"up", &r.Up, UpDestination)
	case RoutingShortest:
		give(f, path+"classes", &r.Classes, ClassesAuto)
	case RoutingUpDown:
		give(f, path+"root", &r.Root, RootMiddle)
	case RoutingSource:
		give(f, path+"of", &r.Of, RoutingMinimal)
	case RoutingUGALG:
		give(f, path+"interval", &r.Interval, Time(routing.DefaultInterval))
	}
}

// routing checks the algorithm's name and options.
func (v *validator) routing() {
	r := &v.e.Network.Routing
	const path = "network.routing"
	if r.Custom != nil {
		v.demand(r.Algorithm == "", path+".algorithm", r.Algorithm, "nothing beside an algorithm of your own")
		return
	}
	k := routingOf(r.Algorithm)
	if k == nil {
		v.choice(path+".algorithm", r.Algorithm, routingNames()...)
		return
	}
	v.routingFields(path, r, k)
	v.option(path+".tie", r.Tie, TieSplit, TieUp)
	v.option(path+".choice", r.Choice, ChoiceFlow, ChoicePacket, ChoiceQueue)
	v.option(path+".up", r.Up, UpDestination, UpSource, UpHash, UpRandom, UpAdaptive)
	v.option(path+".classes", r.Classes, ClassesAuto, ClassesHop, ClassesNone)
	v.option(path+".of", r.Of, sourceRoutes...)
	if r.Algorithm == RoutingTable {
		v.demand(r.File != "", path+".file", "", "a file of forwarding tables")
	}
	if r.Root != RootMiddle && r.Root != "" {
		n, err := strconv.Atoi(r.Root)
		v.demand(err == nil && n >= 0, path+".root", r.Root, RootMiddle+" or the number of a router")
	}
	v.demand(r.Threshold >= 0, path+".threshold", r.Threshold, "a number of at least 0")
	v.demand(len(r.Weights) == 0 || len(r.Weights) == 2, path+".weights", fmt.Sprint(r.Weights), "two numbers: of the minimal route and of the detour")
	for i, w := range r.Weights {
		v.between(index(path+".weights", i), w, 1, 1000)
	}
	least, most := Time(routing.MinInterval), Time(routing.MaxInterval)
	v.demand(r.Algorithm != RoutingUGALG || r.Interval >= least && r.Interval <= most, path+".interval", r.Interval,
		"a time from "+least.String()+" to "+most.String())
	for i, zone := range r.Zones {
		_, err := routing.ParseZone(zone)
		v.demand(err == nil, index(path+".zones", i), zone, `sets of dimensions in order, such as "x|yz"`)
	}
	v.demand(len(r.Zones) <= routing.MaxZones, path+".zones", fmt.Sprintf("%d zones", len(r.Zones)), fmt.Sprintf("at most %d", routing.MaxZones))
}

// option is choice for a field that may be empty.
func (v *validator) option(path, found string, known ...string) {
	if found != "" {
		v.choice(path, found, known...)
	}
}

// routingFields checks that an algorithm has no options but its own.
func (v *validator) routingFields(path string, r *Routing, k *routingKind) {
	s := reflect.ValueOf(*r)
	for i := range s.NumField() {
		name, _, _ := strings.Cut(s.Type().Field(i).Tag.Get("yaml"), ",")
		if name == "-" || name == "algorithm" || slices.Contains(k.fields, name) || s.Field(i).IsZero() && !v.e.positions.Has(path+"."+name) {
			continue
		}
		expected := "no options"
		if len(k.fields) > 0 {
			expected = config.OneOf(k.fields)
		}
		v.problem(path+"."+name, "an option that "+k.name+" does not have", expected, "")
	}
}
