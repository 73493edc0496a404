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

// specType is the type of options that are topologies of their own, such as the block of a
// hierarchy.
var specType = reflect.TypeFor[topology.Spec]()

// Kind returns the name of the kind of topology; empty for one of your own.
func (n *Network) Kind() string {
	if k := topology.KindOf(n.Topology); k != nil {
		return k.Name
	}
	return ""
}

// TopologyFile returns the path of the file that describes the network; empty if none does.
func (n *Network) TopologyFile() string {
	file, _ := n.Topology.(NetworkFile)
	return file.File
}

// topologyForm returns a topology as it is written to files. Of a resolved one it has those options
// that are zero but have another default. joins says that it joins the blocks of a hierarchy.
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

// TopologyForm returns a topology that is not resolved, to be written by package yaml.
func TopologyForm(s topology.Spec) any { return topologyForm(s, false, false) }

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

// topology returns a topology with its defaults filled in, as a struct of its kind.
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

// specOf returns a topology whose files have been read; nil if one cannot be, or a part is missing.
// class is the prefix of the names of its classes of links.
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
		if o.Type != specType {
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
	e.network.spec = e.network.specOf(e.Network.Topology, "")
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

// parts reports parts of a topology that are missing.
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
		} else {
			v.problem(path+"."+o.Name, "", "a topology", "")
		}
	}
}

// Places returns how many ranks the hosts have room for.
func (e *Experiment) Places() int { return e.Hosts() * max(1, e.Node.Ranks) }
