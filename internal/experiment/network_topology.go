package experiment

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/netfile"
	"fabricast/internal/option"
	"fabricast/topology"
)

// Kinds of topology describe themselves in package topology (and in netfile, for networks that are
// read from files): names, options, defaults, checks. The functions below find a kind by its name
// in an experiment, and convert the fields of Topology to the kind's options.

// specType is the type of options that are topologies of their own, such as the block of a
// hierarchy. In the form they are a *Topology.
var specType = reflect.TypeFor[topology.Spec]()

// kind returns the kind of topology; nil if none is named, or it is unknown.
func (t *Topology) kind() *topology.Kind {
	if t.Custom != nil {
		return nil
	}
	return topology.FindKind(t.Kind)
}

// part returns the topology of an option; nil if there is none.
func (t *Topology) part(name string) **Topology {
	return field(reflect.ValueOf(t).Elem(), name).Addr().Interface().(**Topology)
}

// Further returns the options of the kind, for fields that the form does not have.
func (t *Topology) Further(text func(field string) string) any {
	name := text("kind")
	if name == "" {
		name = KindTorus
	}
	k := topology.FindKind(name)
	if k == nil || further(reflect.TypeFor[Topology](), k.Options) == nil {
		return nil
	}
	options := k.New()
	t.Options = options.(topology.Spec)
	return options
}

// MarshalYAML returns the form with its further options beside the fields.
func (t Topology) MarshalYAML() (any, error) {
	type form Topology
	k := t.kind()
	switch {
	case k != nil && t.Options != nil:
		return joined(form(t), k.Options, t.Options, t.zeros)
	case len(t.zeros) > 0:
		return joined(form(t), nil, nil, t.zeros)
	}
	return form(t), nil
}

// DefaultRouting returns the algorithm of a kind of topology for experiments that name none.
func DefaultRouting(kind string) string {
	if k := topology.FindKind(kind); k != nil && k.Routing != "" {
		return k.Routing
	}
	return RoutingShortest
}

// network holds what a resolved experiment knows of its topology before the graph is built.
type network struct {
	spec     topology.Spec
	cables   map[string]netfile.Cable // of link classes that a file described
	unread   []string                 // attributes of links in a file that have no influence
	problems config.Problems          // of files
	mistakes []placed                 // in options that name a file
	file     *netfile.Network         // that describes the whole network; nil if none does
}

// placed is a mistake in a topology, with the path of its field.
type placed struct {
	path string
	topology.Mistake
}

// topologyFiller fills in the defaults of a topology.
type topologyFiller struct {
	filler
	path  string
	joins bool // joins blocks: has no hosts of its own unless the file says so
}

func (f topologyFiller) topology(t *Topology) {
	if t.Custom != nil {
		return
	}
	if t.Kind == "" && t.Options != nil {
		t.Kind = kindOfSpec(t.Options)
	}
	give(f.filler, f.path+".kind", &t.Kind, KindTorus)
	k := t.kind()
	if k == nil {
		return
	}
	for _, o := range k.Options {
		if o.Type == specType {
			f.part(t, o.Name, o.Joins)
		}
	}
	if t.Options != nil && k.OfKind(t.Options) {
		t.Options = cloned(t.Options).(topology.Spec) // the caller's stay as they are
	}
	options := k.New()
	gather(options, k.Options, t, t.further(k))
	k.Default(options, f.joins)
	f.take(f.path, k.Options, options, t, t.further(k))
	t.zeros = zeros(k.Options, options, t)
}

// zeros returns the options that are zero in a form after take, but not by default.
func zeros(list []option.Option, options, form any) (names []string) {
	byDefault, given := reflect.ValueOf(options).Elem(), reflect.ValueOf(form).Elem()
	for _, o := range list {
		f := field(given, o.Name)
		if f.IsValid() && f.IsZero() && o.Type != specType && !byDefault.Field(o.Index).IsZero() {
			names = append(names, o.Name)
		}
	}
	return names
}

// further returns the further options if they belong to the kind; else nil.
func (t *Topology) further(k *topology.Kind) any {
	if t.Options == nil || !k.OfKind(t.Options) {
		return nil
	}
	return t.Options
}

// part fills in a topology that is part of this one. It works on a copy, so that the caller's stays
// unchanged.
func (f topologyFiller) part(t *Topology, name string, joins bool) {
	if p := t.part(name); *p != nil {
		part := **p
		*p = &part
		topologyFiller{f.filler, f.path + "." + name, joins}.topology(&part)
	}
}

// kindOfSpec returns the name of the kind of a Spec; empty if it has none.
func kindOfSpec(s topology.Spec) string {
	for _, k := range topology.Kinds() {
		if k.OfKind(s) {
			return k.Name
		}
	}
	return ""
}

// specOf returns a topology's description; nil if its kind is unknown or a part is missing.
func (n *network) specOf(t *Topology, class string) topology.Spec {
	if t.Custom != nil {
		return t.Custom
	}
	k := t.kind()
	if k == nil {
		return nil
	}
	options := k.New()
	gather(options, k.Options, t, t.further(k))
	for _, o := range k.Options {
		if o.Type != specType {
			continue
		}
		part := *t.part(o.Name)
		if part == nil {
			return nil
		}
		spec := n.specOf(part, class+o.Name+"/")
		if spec == nil {
			return nil
		}
		reflect.ValueOf(options).Elem().Field(o.Index).Set(reflect.ValueOf(spec))
	}
	spec := k.Spec(options)
	if file, ok := spec.(fromFile); ok {
		return n.read(file, class)
	}
	return spec
}

// fromFile is implemented by options that name a network file.
type fromFile interface {
	topology.Spec
	Read() (*netfile.Network, config.Problems)
}

// read reads a network from its file; nil if the file is wrong.
func (n *network) read(options fromFile, class string) topology.Spec {
	path := strings.TrimSuffix("network.topology."+strings.ReplaceAll(class, "/", "."), ".")
	if mistakes := options.Check(); len(mistakes) > 0 {
		for _, m := range mistakes {
			n.mistakes = append(n.mistakes, placed{path, m})
		}
		return nil
	}
	file, problems := options.Read()
	for _, p := range problems {
		if p.Position.Source == nil { // nothing could be read of it
			p = config.Problem{
				Field: path + ".file", Found: p.Field + " (" + p.Found + ")", Expected: p.Expected,
			}
		}
		n.problems = append(n.problems, p)
	}
	if len(problems) > 0 {
		return nil
	}
	for i, cable := range file.Cables {
		n.cables[nameInParts(class, file.Spec.Classes[i])] = cable
	}
	if class == "" {
		n.file = file
	}
	for _, name := range file.Unread {
		if !slices.Contains(n.unread, name) {
			n.unread = append(n.unread, name)
		}
	}
	return file.Spec
}

// nameInParts returns the name that the whole network has for a class of links of one of its parts.
// parts is the way to it, such as "outer/block/".
func nameInParts(parts, class string) string {
	names := strings.Split(parts, "/")
	for _, part := range slices.Backward(names[:len(names)-1]) {
		switch part {
		case "block":
			class = topology.InBlock(class)
		case "outer":
			class = topology.InOuter(class)
		default:
			class = part + "/" + class
		}
	}
	return class
}

// PlaceOf returns where the file of the network names a router first; not valid if none describes
// the whole network.
func (e *Experiment) PlaceOf(router int) (at config.Position, known bool) {
	if e.network == nil || e.network.file == nil {
		return at, false
	}
	return e.network.file.Place(router), true
}

// describe builds the description of the network once its fields are filled in.
func (e *Experiment) describe() {
	e.network = &network{cables: map[string]netfile.Cable{}}
	if e.NoTopology() {
		e.network.spec = topology.FullSpec{Routers: 1, Hosts: e.hostsOfRanks()}
		return
	}
	e.network.spec = e.network.specOf(&e.Network.Topology, "")
}

// Hosts returns the number of hosts of a valid topology, else 0.
func (e *Experiment) Hosts() int {
	if e.network == nil || e.network.spec == nil || len(e.network.spec.Check()) > 0 {
		return 0
	}
	return e.network.spec.Size().Hosts
}

// topology checks the network's topology.
func (v *validator) topology() bool {
	before := len(v.problems)
	const path = "network.topology"
	if v.e.NoTopology() {
		found := "" // nothing
		if v.e.Ranks != 0 {
			found = fmt.Sprint(v.e.Ranks)
		}
		return v.demand(v.e.Ranks > 0 && v.e.Ranks <= MaxHosts, "ranks", found,
			fmt.Sprintf("1 to %d, as there is no topology that says how many hosts there are", MaxHosts))
	}
	v.shape(path, &v.e.Network.Topology)
	for _, m := range v.e.network.mistakes {
		v.mistake(m.path, m.Mistake)
	}
	v.problems = append(v.problems, v.e.network.problems...)
	if spec := v.e.network.spec; len(v.problems) == before && spec != nil {
		for _, m := range spec.Check() {
			v.mistake(path, m)
		}
		if len(v.problems) == before && spec.Size().Hosts < 1 {
			v.problem(
				path, "a network without hosts", "at least one host at a router",
				"hosts, or p of dragonflies, is how many each router has",
			)
		}
	}
	return before == len(v.problems)
}

// mistake reports a mistake that the topology has found in one of its parameters.
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
		v.demand(
			reflect.ValueOf(plain).IsZero(), path,
			"both a topology of your own and fields of a kind",
			"one of them",
		)
		return
	}
	v.choice(path+".kind", t.Kind, topology.KindNames()...)
	k := t.kind()
	if k == nil {
		return
	}
	v.foreign(
		path, t, "kind", "a field that "+k.Name+" does not have", config.OneOf(namesOf(k.Options)),
		k.Options,
	)
	if t.Options != nil &&
		v.demand(k.OfKind(t.Options), path, reflect.TypeOf(t.Options), "options of "+k.Name) {
		v.twice(path, k.Options, t, t.Options)
	}
	for _, o := range k.Options {
		if o.Type == specType {
			v.part(path+"."+o.Name, *t.part(o.Name))
		}
	}
}

func (v *validator) part(path string, t *Topology) {
	if t == nil {
		v.problem(path, "", "a topology", "")
		return
	}
	v.shape(path, t)
}

// Places returns how many ranks the hosts have room for.
func (e *Experiment) Places() int { return e.Hosts() * max(1, e.Node.Ranks) }
