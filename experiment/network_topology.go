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

// specType is the type of options that are themselves topologies, such as the block of a hierarchy.
var specType = reflect.TypeFor[topology.Spec]()

// Kind returns the name of the topology's kind, or "" for a user-defined topology.
func (n *Network) Kind() string {
	if k := topology.KindOf(n.Topology); k != nil {
		return k.Name
	}
	return ""
}

// TopologyFile returns the path of the file that describes the network, or "" if there is none.
func (n *Network) TopologyFile() string {
	file, _ := n.Topology.(NetworkFile)
	return file.File
}

// topologyForm returns a topology in its form in files. If resolved, the form includes options that
// are zero but have another default. joins says that the topology connects the blocks of a
// hierarchy.
func topologyForm(s topology.Spec, joins, resolved bool) any {
	k := topology.KindOf(s)
	if k == nil {
		return struct{}{}
	}
	defaults := cloned(s)
	k.Default(defaults, joins)
	return optionsYAML(
		"kind", k.Name, k.Options, s,
		func(o option.Option) bool {
			return resolved && o.Type != specType && !reflect.ValueOf(defaults).Elem().Field(o.Index).IsZero()
		},
		func(part topology.Spec, o option.Option) any { return topologyForm(part, o.Joins, resolved) },
	)
}

// TopologyForm returns an unresolved topology in the form that package yaml can encode.
func TopologyForm(s topology.Spec) any { return topologyForm(s, false, false) }

// DefaultRouting returns the name of the routing algorithm that is used for a kind of topology if
// the experiment names none.
func DefaultRouting(kind string) string {
	if k := topology.FindKind(kind); k != nil && k.Routing != "" {
		return k.Routing
	}
	return RoutingShortest
}

// network holds what a resolved experiment knows about its topology before the graph is built.
type network struct {
	spec     topology.Spec
	cables   map[string]netfile.Cable // link parameters by link class, from network files
	unread   []string                 // link attributes in a file that have no effect
	problems config.Problems          // problems in files
	mistakes []placed                 // mistakes in options that name files
	file     *netfile.Network         // the file that describes the whole network; nil if there is none
}

// placed is a mistake in a topology, with the path of the topology.
type placed struct {
	path string
	topology.Mistake
}

// topologyFiller fills in the defaults of a topology.
type topologyFiller struct {
	filler
	path  string
	joins bool // the topology joins blocks: it has no hosts of its own unless the file says so
}

// topology returns a copy of s with its defaults filled in.
func (f topologyFiller) topology(s topology.Spec) topology.Spec {
	k := topology.KindOf(s)
	if k == nil {
		return s
	}
	options := cloned(s)
	for _, o := range k.Options {
		if o.Type != specType || partOf(s, o) == nil {
			continue
		}
		part := topologyFiller{f.filler, f.path + "." + o.Name, o.Joins}.topology(partOf(s, o))
		reflect.ValueOf(options).Elem().Field(o.Index).Set(reflect.ValueOf(part))
	}
	defaults := cloned(options)
	k.Default(defaults, f.joins)
	f.take(f.path, k.Options, defaults, options)
	return k.Spec(options)
}

// specOf returns a topology in which options that name network files are replaced by the networks
// read. It returns nil if one cannot be read or a part is missing. class is the prefix of the names
// of the topology's link classes.
func (n *network) specOf(s topology.Spec, class string) topology.Spec {
	if file, ok := s.(fromFile); ok {
		return n.read(file, class)
	}
	k := topology.KindOf(s)
	if k == nil {
		return s
	}
	options := cloned(s)
	for _, o := range k.Options {
		if o.Type != specType || partOf(s, o) == nil && o.Default != "" {
			continue
		}
		if partOf(s, o) == nil {
			return nil
		}
		spec := n.specOf(partOf(s, o), class+o.Name+"/")
		if spec == nil {
			return nil
		}
		reflect.ValueOf(options).Elem().Field(o.Index).Set(reflect.ValueOf(spec))
	}
	return k.Spec(options)
}

// fromFile is implemented by topologies that are read from a network file.
type fromFile interface {
	topology.Spec
	Read() (*netfile.Network, config.Problems)
}

// read reads a network from its file. It returns nil if the file is invalid.
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
		if p.Position.Source == nil { // nothing could be read from the file
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

// nameInParts returns the name, in the whole network, of a link class of one of its parts. parts is
// the path to that part, such as "outer/block/".
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

// PlaceOf returns the position at which the network file first names a router. known is false if
// the network is not described by a file.
func (e *Experiment) PlaceOf(router int) (at config.Position, known bool) {
	if e.network == nil || e.network.file == nil {
		return at, false
	}
	return e.network.file.Place(router), true
}

// HostsOfNodes returns the hosts that mapping.nodes lists, in its order; nil if it lists none, or some
// that the network does not name.
func (e *Experiment) HostsOfNodes() []int32 {
	if e.network == nil || e.network.file == nil || e.Mapping.Nodes == "" {
		return nil
	}
	hosts, _, _ := e.network.file.HostsOf(e.Mapping.Nodes)
	return hosts
}

// HostsByName returns the hosts of a network file by their names, and those of a node by its name; nil if the
// network has no names.
func (e *Experiment) HostsByName() map[string][]int32 {
	if e.network == nil || e.network.file == nil {
		return nil
	}
	return e.network.file.HostsByName()
}

// describe creates e.network once the fields of the topology are filled in.
func (e *Experiment) describe() {
	e.network = &network{cables: map[string]netfile.Cable{}}
	if e.NoTopology() {
		e.network.spec = topology.FullSpec{Routers: 1, Hosts: e.hostsOfRanks()}
		return
	}
	e.network.spec = e.network.specOf(e.Network.Topology, "")
}

// Hosts returns the number of hosts of the topology, or 0 if it is invalid.
func (e *Experiment) Hosts() int {
	if e.network == nil || e.network.spec == nil || len(e.network.spec.Check()) > 0 {
		return 0
	}
	return e.network.spec.Size().Hosts
}

// topology checks the network's topology, and reports whether it is valid.
func (v *validator) topology() bool {
	before := len(v.problems)
	const path = "network.topology"
	if v.e.NoTopology() {
		found := "" // reported as nothing found
		if v.e.Ranks != 0 {
			found = fmt.Sprint(v.e.Ranks)
		}
		return v.demand(v.e.Ranks > 0 && v.e.Ranks <= MaxHosts, "ranks", found,
			fmt.Sprintf("1 to %d, as there is no topology that says how many hosts there are", MaxHosts))
	}
	v.parts(path, v.e.Network.Topology)
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

// parts records the missing parts of a topology.
func (v *validator) parts(path string, s topology.Spec) {
	k := topology.KindOf(s)
	if k == nil {
		return
	}
	for _, o := range k.Options {
		if o.Type != specType {
			continue
		}
		if part := partOf(s, o); part != nil {
			v.parts(path+"."+o.Name, part)
		} else if o.Default == "" {
			v.problem(path+"."+o.Name, "", "a topology", "")
		}
	}
}

// Places returns the total capacity of the hosts, in ranks.
func (e *Experiment) Places() int { return e.Hosts() * max(1, e.Node.Ranks) }
