package fabricast

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/figures"
	"fabricast/internal/netfile"
	"fabricast/topology"
)

// topologyKind is a kind of topology that experiments can name.
type topologyKind struct {
	name    string
	fields  []string // that it takes, beside kind
	routing string   // the default algorithm
	fill    func(f topologyFiller, t *Topology)
	spec    func(t *Topology) topology.Spec
}

// topologyKinds lists the kinds in the order in which messages name them. What
// the fields mean is told by docs/topologies.md.
var topologyKinds = []topologyKind{
	{KindTorus, []string{"dims", "wrap", "hosts"}, RoutingDOR, topologyFiller.oneHost, func(t *Topology) topology.Spec {
		return topology.TorusSpec{Dims: t.Dims, Wrap: t.Wrap, Hosts: t.Hosts}
	}},
	{KindMesh, []string{"dims", "wrap", "hosts"}, RoutingDOR, topologyFiller.oneHost, func(t *Topology) topology.Spec {
		return topology.TorusSpec{Dims: t.Dims, Wrap: make([]bool, len(t.Dims)), Hosts: t.Hosts}
	}},
	{KindHyperX, []string{"dims", "width", "hosts"}, RoutingDOR, topologyFiller.oneHost, func(t *Topology) topology.Spec {
		return topology.HyperXSpec{Dims: t.Dims, Width: t.Width, Hosts: t.Hosts}
	}},
	{KindFull, []string{"routers", "width", "hosts"}, RoutingDOR, topologyFiller.oneHost, fullSpec},
	{KindFatTree, []string{"radix", "levels", "hosts"}, RoutingNCA, topologyFiller.halfHosts, func(t *Topology) topology.Spec {
		return topology.FatTreeSpec{Radix: t.Radix, Levels: t.Levels, Hosts: t.Hosts}
	}},
	{KindKaryTree, []string{"k", "n"}, RoutingNCA, nil, func(t *Topology) topology.Spec {
		return topology.KaryTreeSpec{K: t.K, N: t.N}
	}},
	{KindXGFT, []string{"m", "w", "width"}, RoutingNCA, nil, func(t *Topology) topology.Spec {
		return topology.XGFTSpec{M: t.M, W: t.W, Width: t.Width}
	}},
	{KindDragonfly, []string{"p", "a", "h", "g", "arrangement"}, RoutingMinimal, topologyFiller.groups, dragonflySpec},
	{KindDragonflyPlus, []string{"p", "leaves", "spines", "h", "g", "arrangement"}, RoutingMinimal, topologyFiller.groups, dragonflyPlusSpec},
	{KindSlimFly, []string{"q", "hosts"}, RoutingMinimal, topologyFiller.slimHosts, func(t *Topology) topology.Spec {
		return topology.SlimFlySpec{Q: t.Q, Hosts: t.Hosts}
	}},
	{KindHierarchy, []string{"block", "outer", "external"}, RoutingMinimal, nil, nil},
	{KindFile, []string{"file", "hosts"}, RoutingShortest, topologyFiller.oneHost, nil},
}

func fullSpec(t *Topology) topology.Spec {
	s := topology.FullSpec{Routers: t.Routers, Hosts: t.Hosts}
	if len(t.Width) > 0 {
		s.Width = t.Width[0]
	}
	return s
}

func dragonflySpec(t *Topology) topology.Spec {
	return topology.DragonflySpec{P: t.P, A: t.A, H: t.H, G: t.G, Arrangement: topology.Arrangement(t.Arrangement)}
}

func dragonflyPlusSpec(t *Topology) topology.Spec {
	return topology.DragonflyPlusSpec{
		P: t.P, Leaves: t.Leaves, Spines: t.Spines, H: t.H, G: t.G, Arrangement: topology.Arrangement(t.Arrangement),
	}
}

// kindOf finds a kind by its name; nil if there is none.
func kindOf(name string) *topologyKind {
	for i := range topologyKinds {
		if topologyKinds[i].name == name {
			return &topologyKinds[i]
		}
	}
	return nil
}

func kindNames() []string {
	names := make([]string, len(topologyKinds))
	for i, k := range topologyKinds {
		names[i] = k.name
	}
	return names
}

// network is what a resolved experiment knows of its topology before it is laid out.
type network struct {
	spec     topology.Spec
	cables   map[string]netfile.Cable // of link classes that a file described
	problems config.Problems          // of files
}

// topologyFiller fills in the defaults of a topology.
type topologyFiller struct {
	filler
	path  string
	outer bool // joins blocks: has no hosts of its own unless told so
}

func (f topologyFiller) topology(t *Topology) {
	if t.Custom != nil {
		return
	}
	give(f.filler, f.path+".kind", &t.Kind, KindTorus)
	if t.Kind == KindHierarchy {
		f.parts(t)
	} else if k := kindOf(t.Kind); k != nil && k.fill != nil {
		k.fill(f, t)
	}
}

func (f topologyFiller) hosts(t *Topology, n int) {
	if !f.outer {
		give(f.filler, f.path+".hosts", &t.Hosts, n)
	}
}

func (f topologyFiller) oneHost(t *Topology) { f.hosts(t, 1) }

func (f topologyFiller) halfHosts(t *Topology) {
	give(f.filler, f.path+".hosts", &t.Hosts, t.Radix/2)
}

func (f topologyFiller) slimHosts(t *Topology) {
	if s := (topology.SlimFlySpec{Q: t.Q}); len(s.Check()) == 0 {
		f.hosts(t, s.FullHosts())
	}
}

func (f topologyFiller) groups(t *Topology) {
	give(f.filler, f.path+".arrangement", &t.Arrangement, string(topology.Absolute))
	if routers := max(t.A, t.Spines); routers > 0 && t.H > 0 && routers <= maxHosts && t.H <= maxHosts/routers {
		give(f.filler, f.path+".g", &t.G, routers*t.H+1)
	}
}

func (f topologyFiller) parts(t *Topology) {
	if t.Block != nil {
		block := *t.Block // the caller's stays as it is
		t.Block = &block
		topologyFiller{f.filler, f.path + ".block", false}.topology(t.Block)
	}
	if t.Outer != nil {
		outer := *t.Outer
		t.Outer = &outer
		topologyFiller{f.filler, f.path + ".outer", true}.topology(t.Outer)
	}
}

// specOf is a topology's description; nil if it has no known kind or lacks a part.
func (n *network) specOf(t *Topology, class string) topology.Spec {
	k := kindOf(t.Kind)
	switch {
	case t.Custom != nil:
		return t.Custom
	case k == nil:
		return nil
	case k.name == KindFile:
		return n.read(t, class)
	case k.name != KindHierarchy:
		return k.spec(t)
	case t.Block == nil || t.Outer == nil:
		return nil
	}
	h := topology.HierarchySpec{Block: n.specOf(t.Block, class+"block/"), Outer: n.specOf(t.Outer, class+"outer/"), External: t.External}
	if h.Block == nil || h.Outer == nil {
		return nil
	}
	return h
}

// read reads a network from its file; nil if the file is wrong.
func (n *network) read(t *Topology, class string) topology.Spec {
	if t.File == "" || t.Hosts < 0 {
		return nil
	}
	file, problems := netfile.Read(t.File, t.Hosts)
	for _, p := range problems {
		if p.Position.Source == nil { // nothing could be read of it
			p = config.Problem{Field: "network.topology." + strings.ReplaceAll(class, "/", ".") + "file", Found: p.Field + " (" + p.Found + ")", Expected: p.Expected}
		}
		n.problems = append(n.problems, p)
	}
	if len(problems) > 0 {
		return nil
	}
	for i, cable := range file.Cables {
		n.cables[class+file.Spec.Classes[i]] = cable
	}
	return file.Spec
}

// describe makes the description of the network once its fields are filled in.
func (e *Experiment) describe() {
	e.network = &network{cables: map[string]netfile.Cable{}}
	e.network.spec = e.network.specOf(&e.Network.Topology, "")
}

// hosts is the number of hosts of a topology that is in order, else 0.
func (e *Experiment) hosts() int {
	if e.network == nil || e.network.spec == nil || len(e.network.spec.Check()) > 0 {
		return 0
	}
	return e.network.spec.Size().Hosts
}

// topology checks the network's shape.
func (v *validator) topology() bool {
	before := len(v.problems)
	const path = "network.topology"
	v.shape(path, &v.e.Network.Topology)
	v.problems = append(v.problems, v.e.network.problems...)
	if spec := v.e.network.spec; len(v.problems) == before && spec != nil {
		for _, m := range spec.Check() {
			v.mistake(path, m)
		}
		if len(v.problems) == before && spec.Size().Hosts < 1 {
			v.problem(path, "a network without hosts", "at least one host at a router", "hosts, or p of dragonflies, is how many each router has")
		}
	}
	return before == len(v.problems)
}

// mistake reports what the topology found wrong with one of its parameters.
func (v *validator) mistake(path string, m topology.Mistake) {
	field := path + "." + m.Field
	if m.Found == "0" && v.e.positions != nil && !v.e.positions.Has(field) {
		m.Found = ""
	}
	v.problem(field, m.Found, m.Expected, m.Hint)
}

// shape checks that a topology has the fields of its kind and no others.
func (v *validator) shape(path string, t *Topology) {
	if t.Custom != nil {
		plain := *t
		plain.Custom = nil
		v.demand(reflect.ValueOf(plain).IsZero(), path, "both a topology of your own and fields of a kind", "one of them")
		return
	}
	v.choice(path+".kind", t.Kind, kindNames()...)
	k := kindOf(t.Kind)
	if k == nil {
		return
	}
	v.foreign(path, t, k)
	switch k.name {
	case KindMesh:
		v.straight(path, t)
	case KindFull:
		v.demand(len(t.Width) <= 1, path+".width", figures.Plural(len(t.Width), "entry"), "1 entry")
		for _, w := range t.Width {
			v.between(path+".width[0]", w, 1, maxHosts)
		}
	case KindFile:
		v.demand(t.File != "", path+".file", "", "the path of a list of links or a GraphML file")
		v.between(path+".hosts", t.Hosts, 0, maxHosts)
	case KindHierarchy:
		v.part(path+".block", t.Block)
		v.part(path+".outer", t.Outer)
	}
}

// foreign reports fields that the topology's kind does not take.
func (v *validator) foreign(path string, t *Topology, k *topologyKind) {
	s := reflect.ValueOf(*t)
	for i := range s.NumField() {
		name, _, _ := strings.Cut(s.Type().Field(i).Tag.Get("yaml"), ",")
		if name == "kind" || name == "-" || slices.Contains(k.fields, name) || s.Field(i).IsZero() && !v.e.positions.Has(path+"."+name) {
			continue
		}
		v.problem(path+"."+name, "a field that "+k.name+" does not have", config.OneOf(k.fields), "")
	}
}

// straight checks that a mesh has no rings.
func (v *validator) straight(path string, t *Topology) {
	path += ".wrap"
	v.demand(t.Wrap == nil || len(t.Wrap) == len(t.Dims), path, figures.Plural(len(t.Wrap), "entry"),
		fmt.Sprintf("one for each of the %d dimensions", len(t.Dims)))
	for i, w := range t.Wrap {
		v.demand(!w, index(path, i), w, "false, since a mesh has no rings")
	}
}

func (v *validator) part(path string, t *Topology) {
	if t == nil {
		v.problem(path, "", "a topology", "")
		return
	}
	v.shape(path, t)
}

// buildTopology lays the network out.
func (e *Experiment) buildTopology() (topology.Topology, error) {
	const path = "network.topology"
	t, err := e.network.spec.Build(e.Node.NICs)
	if mistake := (*topology.Mistake)(nil); errors.As(err, &mistake) {
		return nil, e.refuse(path+"."+mistake.Field, mistake.Found, mistake.Expected, mistake.Hint)
	}
	if err != nil {
		return nil, e.refuse(path, e.Network.Topology.Kind, "a network that can be simulated", err.Error())
	}
	if err := e.bounded(t); err != nil {
		return nil, err
	}
	return t, e.connected(t)
}

// maxRadix is the most ports and virtual channels of a router together: all of
// them and its hosts have numbers of 16 bits.
const maxRadix = 1<<16 - 1

// bounded refuses routers with more ports than can be simulated.
func (e *Experiment) bounded(t topology.Topology) error {
	radix := t.Graph().Radix()
	if most := maxRadix / (e.Network.Router.VCs + 2); radix > most {
		return e.refuse("network.topology", fmt.Sprintf("a router of %d ports", radix),
			fmt.Sprintf("at most %d ports with %d virtual channels", most, e.Network.Router.VCs), "")
	}
	return nil
}

// connected refuses a network of several parts.
func (e *Experiment) connected(t topology.Topology) error {
	g := t.Graph()
	from := g.HostRouter(0)
	for r, d := range topology.NewDistances(g).From(from) {
		if d < 0 {
			return e.refuse("network.topology", fmt.Sprintf("no way from router %s to router %s", t.RouterName(from), t.RouterName(r)),
				"a network in which every router can be reached", "")
		}
	}
	return nil
}
