package routing

import (
	"slices"

	"fabricast/internal/option"
	"fabricast/internal/registry"
	"fabricast/topology"
)

// Spec is a routing algorithm with its options, such as DOROptions{Tie: TieUp}: a struct of options
// for which a description is registered, or Own.
type Spec interface {
	// Name returns the name of the algorithm in experiments; empty for Own. It does not depend on
	// options.
	Name() string
}

// Own makes an algorithm that is described in Go: a Function, Randomized or Adaptive, for a network
// and a number of virtual channels of a port.
type Own func(t topology.Topology, vcs int) (Algorithm, error)

// Name implements Spec.
func (Own) Name() string { return "" }

// Description is a routing algorithm by name: all that experiments, help and documentation say of
// it. It stands in the file of the algorithm, which registers it. The name is that of O, whose
// fields are the options in experiments, by their tags:
//
//	type Options struct {
//		Threshold int `yaml:"threshold" help:"in favour of the minimal route" default:"0"`
//	}
//
//	func (Options) Name() string { return "mine" }
//
// The tag yaml is an option's name and help what it is, in one line; default is what it is if it is
// not given, and none means that it must be given. Options whose zero value is not the default have
// a tag fill with the text that stands for them. Options that implement encoding.TextUnmarshaler
// read themselves. If *O has a method Check() []topology.Mistake, it returns what is wrong with
// them.
type Description[O Spec] struct {
	Summary string // one line
	// Networks names, for error messages, the networks that the algorithm fits; Fits reports
	// whether it fits one. Empty and nil: any network.
	Networks string
	Fits     func(t topology.Topology) bool
	// Endpoints says that no route leads through the nodes of a topology.Endpoints, unless the user
	// gave it. Other algorithms do not fit such networks.
	Endpoints bool
	// Ends says the same where the Graph knows its Ends.
	Ends bool
	Make func(o *O, n Network) (Algorithm, error)
	// Memory returns the size (bytes) of tables that have an entry for each pair of routers; nil:
	// there are none.
	Memory func(o *O, t topology.Topology) int64
	// Alike lists the families of networks on which a small network is checked for deadlock in
	// place of a large one. AlikeWith returns them where they depend on options. Nil: none.
	Alike     []topology.Family
	AlikeWith func(o *O) []topology.Family
	// Pairs: there is one route for each pair of hosts, so packet headers can hold it.
	Pairs bool
	// Help holds the texts, by name, of options whose tag would be too long.
	Help map[string]string
	// Manual is the algorithm's row in docs/routing.md.
	Manual Manual
	// Examples are options, as YAML, with which tests run the algorithm; one may be empty.
	Examples []string
}

// Manual is an algorithm's row in the table of docs/routing.md: its section, the networks if they
// differ from those in error messages, its routes, how many virtual channels it needs, and its
// source.
type Manual struct{ Section, Networks, Routes, VCs, Source string }

// Network is the network for which an algorithm is created.
type Network struct {
	topology.Topology
	VCs int // virtual channels of a port
	// CycleFree reports whether the check for deadlock finds no cycle of an algorithm on this
	// network. Nil: the check is left out.
	CycleFree func(a Algorithm) bool
}

// Kind is a routing algorithm that experiments can name.
type Kind struct {
	Name, Summary, Networks string
	Options                 []option.Option
	Pairs                   bool
	Manual                  Manual
	Examples                []string

	option.Struct[Spec]
	fits   func(t topology.Topology) bool
	ends   bool // see Description.Endpoints
	known  bool // see Description.Ends
	create func(o any, n Network) (Algorithm, error)
	memory func(o any, t topology.Topology) int64
	alike  func(o any) []topology.Family
}

var registered registry.Of[Kind]

// Register adds an algorithm, which experiments can name from then on. Lists and error messages
// name algorithms in the order of their places, which must differ; place 0 comes last. Call it at
// the start of the program, before any experiment is read. It panics if the name is taken.
func Register[O Spec](place int, d Description[O]) *Kind {
	var options O
	k := Kind{
		Name: options.Name(), Summary: d.Summary, Networks: d.Networks, Pairs: d.Pairs, Manual: d.Manual,
		Examples: d.Examples, Struct: option.StructOf[O, Spec](), fits: d.Fits, ends: d.Endpoints, known: d.Ends,
		create: func(o any, n Network) (Algorithm, error) { return d.Make(o.(*O), n) },
		memory: func(o any, t topology.Topology) int64 {
			if d.Memory == nil {
				return 0
			}
			return d.Memory(o.(*O), t)
		},
		alike: func(o any) []topology.Family {
			if d.AlikeWith == nil {
				return d.Alike
			}
			return d.AlikeWith(o.(*O))
		},
	}
	if k.Networks == "" {
		k.Networks = "any"
	}
	k.Options = k.Fields(d.Help)
	return registered.Add(place, k, k.Name)
}

// Kinds returns the algorithms.
func Kinds() []*Kind { return registered.All() }

// KindNames returns the names of the algorithms.
func KindNames() []string { return registered.Names() }

// FindKind returns the algorithm with a name; nil if there is none.
func FindKind(name string) *Kind { return registered.Find(name) }

// KindOf returns the kind of an algorithm, described by its options or a pointer to them; nil for
// an algorithm of one's own, and for options of no registered kind.
func KindOf(s Spec) *Kind {
	for _, k := range Kinds() {
		if k.Describes(s) {
			return k
		}
	}
	return nil
}

// Takes reports whether the algorithm has an option with a name.
func (k *Kind) Takes(name string) bool {
	return slices.ContainsFunc(k.Options, func(o option.Option) bool { return o.Name == name })
}

// Fits reports whether the algorithm fits a network.
func (k *Kind) Fits(t topology.Topology) bool {
	crosses := is[topology.Endpoints](t) && !k.ends && (!k.known || t.Graph().Ends == nil)
	return !crosses && (k.fits == nil || k.fits(t))
}

// Make creates the algorithm for a network that it fits, with options that New has returned.
func (k *Kind) Make(options any, n Network) (Algorithm, error) { return k.create(options, n) }

// Memory returns the size (bytes) of tables that have an entry for each pair of routers.
func (k *Kind) Memory(options any, t topology.Topology) int64 { return k.memory(options, t) }

// Alike returns the families of networks on which a small network is checked for deadlock in place
// of a large one.
func (k *Kind) Alike(options any) []topology.Family { return k.alike(options) }

// Check returns the mistakes in options.
func (k *Kind) Check(options any) []topology.Mistake { return topology.MistakesIn(options) }

// is reports whether a network has the type T.
func is[T topology.Topology](t topology.Topology) bool {
	_, ok := t.(T)
	return ok
}

// isGrid reports whether a network has dimensions.
func isGrid(t topology.Topology) bool {
	return is[*topology.Torus](t) || is[*topology.HyperX](t) || is[*topology.Full](t)
}
