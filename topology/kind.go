package topology

import (
	"fabricast/internal/option"
	"fabricast/internal/registry"
)

// Description describes a kind of topology for experiments, help and documentation. The file of the
// topology registers it. The fields of S are the kind's options in experiments, described by their
// tags:
//
//	type StarSpec struct {
//		Arms int `yaml:"arms" help:"routers around the middle"`
//	}
//
// The tag yaml is the option's name, and help describes it in one line. The tag default describes
// the default value; without it, the option is required. A field of type Spec is itself a topology,
// with the name block or outer.
type Description[S Spec] struct {
	Name    string
	Summary string // description in one line
	Routing string // the default routing algorithm; empty: shortest
	// Defaults sets options that are zero to their defaults. joins says that the topology connects
	// the blocks of a hierarchy; it then has no hosts of its own unless an option says so. Nil
	// means that there are no defaults.
	Defaults func(s *S, joins bool)
	// Sized returns a network with at least the given number of hosts and not many more, in a
	// commonly built shape. Nil means that the kind cannot be sized by the number of hosts.
	Sized func(hosts int) S
	// Help holds the descriptions, by name, of options whose tag would be too long.
	Help map[string]string
	// Manual is the kind's row in docs/topologies.md.
	Manual Manual
	// Examples are options, in YAML, of small networks for tests.
	Examples []string
}

// Manual is a kind's row in the table of docs/topologies.md: its section, and formulas.
type Manual struct{ Section, Routers, Hosts, Links, Diameter string }

// Kind is a topology that experiments can name.
type Kind struct {
	Name, Summary, Routing string
	Options                []option.Option
	Manual                 Manual
	Examples               []string

	option.Struct[Spec]
	defaults func(s any, joins bool)
	sized    func(hosts int) Spec
}

var registered registry.Of[Kind]

// Register adds a kind, which experiments can then name. Lists and error messages show the kinds in
// ascending order of place. Places must differ, and place 0 comes last. Call Register at the start
// of the program, before any experiment is read. It panics if the name is taken.
func Register[S Spec](place int, d Description[S]) *Kind {
	k := Kind{
		Name: d.Name, Summary: d.Summary, Routing: d.Routing, Manual: d.Manual, Examples: d.Examples,
		Struct: option.StructOf[S, Spec](),
	}
	k.Options = k.Fields(d.Help)
	if d.Defaults != nil {
		k.defaults = func(s any, joins bool) { d.Defaults(s.(*S), joins) }
	}
	if d.Sized != nil {
		k.sized = func(hosts int) Spec { return d.Sized(hosts) }
	}
	return registered.Add(place, k, k.Name)
}

// Kinds returns the registered kinds.
func Kinds() []*Kind { return registered.All() }

// KindNames returns the names of the registered kinds.
func KindNames() []string { return registered.Names() }

// FindKind returns the kind with the given name, or nil if there is none.
func FindKind(name string) *Kind { return registered.Find(name) }

// KindOf returns the kind of a Spec, or of a pointer to one, or nil if it has no kind.
func KindOf(s Spec) *Kind {
	for _, k := range Kinds() {
		if k.Describes(s) {
			return k
		}
	}
	return nil
}

// Default sets options that are zero to their defaults.
func (k *Kind) Default(options any, joins bool) {
	if k.defaults != nil {
		k.defaults(options, joins)
	}
}

// Sized returns a network with at least the given number of hosts and not many more, or nil if the
// kind cannot be sized by the number of hosts.
func (k *Kind) Sized(hosts int) Spec {
	if k.sized == nil {
		return nil
	}
	return k.sized(hosts)
}

// hostsDefault sets the hosts of each router to n, unless they are set or the routers only connect
// blocks.
func hostsDefault(hosts *int, n int, joins bool) {
	if *hosts == 0 && !joins {
		*hosts = n
	}
}
