package topology

import (
	"reflect"

	"fabricast/internal/option"
	"fabricast/internal/registry"
)

// Description is a topology by name: all that experiments, help and documentation say of it. It
// stands in the file of the topology, which registers it. The fields of S are its options in
// experiments, by their tags:
//
//	type StarSpec struct {
//		Arms int `yaml:"arms" help:"routers around the middle"`
//	}
//
// The tag yaml is an option's name and help what it is, in one line; default is what it is if it is
// not given, and none means that it must be given. A field of type Spec is a topology of its own;
// its name is block or outer.
type Description[S Spec] struct {
	Name    string
	Summary string // one line
	Routing string // the algorithm where none is named; empty: shortest
	// Defaults sets the options that are zero to their defaults. joins says that the topology joins
	// the blocks of a hierarchy; it then has no hosts of its own unless an option says so. Nil:
	// there are no defaults.
	Defaults func(s *S, joins bool)
	// Sized returns a network with at least so many hosts and not many more, in a commonly built
	// shape. Nil: a number of hosts does not describe such a network.
	Sized func(hosts int) S
	// Help holds the texts, by name, of options whose tag would be too long.
	Help map[string]string
	// Manual is the kind's row in docs/topologies.md.
	Manual Manual
	// Examples are the options, as YAML, of small networks for tests.
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

	options  reflect.Type
	defaults func(s any, joins bool)
	sized    func(hosts int) Spec
}

var registered registry.Of[Kind]

// Register adds a kind, which experiments can name from then on. Lists and error messages name
// kinds in the order of their places, which must differ; place 0 comes last. Call it at the start
// of the program, before any experiment is read. It panics if the name is taken.
func Register[S Spec](place int, d Description[S]) *Kind {
	k := Kind{
		Name: d.Name, Summary: d.Summary, Routing: d.Routing, Manual: d.Manual, Examples: d.Examples,
		options: reflect.TypeFor[S](),
	}
	k.Options = option.Of(k.options, d.Help)
	if d.Defaults != nil {
		k.defaults = func(s any, joins bool) { d.Defaults(s.(*S), joins) }
	}
	if d.Sized != nil {
		k.sized = func(hosts int) Spec { return d.Sized(hosts) }
	}
	return registered.Add(place, k, k.Name)
}

// Kinds returns the kinds.
func Kinds() []*Kind { return registered.All() }

// KindNames returns the names of the kinds.
func KindNames() []string { return registered.Names() }

// FindKind returns the kind with a name; nil if there is none.
func FindKind(name string) *Kind { return registered.Find(name) }

// KindOf returns the kind of a Spec, or of a pointer to one; nil if it is of none.
func KindOf(s Spec) *Kind {
	for _, k := range Kinds() {
		if t := reflect.TypeOf(s); t == k.options || t == reflect.PointerTo(k.options) {
			return k
		}
	}
	return nil
}

// New returns a pointer to options of which none is set.
func (k *Kind) New() any { return reflect.New(k.options).Interface() }

// Spec returns the topology that options, a pointer like that of New, describe.
func (k *Kind) Spec(options any) Spec { return reflect.ValueOf(options).Elem().Interface().(Spec) }

// Default sets the options that are zero and have a default.
func (k *Kind) Default(options any, joins bool) {
	if k.defaults != nil {
		k.defaults(options, joins)
	}
}

// Sized returns a network with at least so many hosts and not many more; nil if a number of hosts
// does not describe such a network.
func (k *Kind) Sized(hosts int) Spec {
	if k.sized == nil {
		return nil
	}
	return k.sized(hosts)
}

// hostsDefault sets the hosts of each router to n, unless the routers only join blocks.
func hostsDefault(hosts *int, n int, joins bool) {
	if *hosts == 0 && !joins {
		*hosts = n
	}
}
