package control

import (
	"fabricast/fabric/model"
	"fabricast/internal/option"
	"fabricast/internal/registry"
	"fabricast/topology"
)

// Spec is an algorithm with its options, such as NSCCOptions{Credit: true}: a struct of options for
// which a description is registered.
type Spec interface {
	// Name returns the name of the algorithm in experiments. It does not depend on options.
	Name() string
}

// Description is an algorithm by name: all that experiments, help and documentation say of it. It
// stands in the file of the algorithm, which registers it. The name is that of O, whose fields are
// the options in experiments, by their tags (package internal/option). The zero value of an option
// stands for its default. If *O has a method Check() []topology.Mistake, it returns what is wrong
// with the options.
type Description[O Spec] struct {
	Summary string // one line
	// Make creates the algorithm for a network that drops or pauses packets, Lossless that for one
	// in which packets wait for credits. It has one of them; `none` has the first, and is nothing in
	// the second.
	Make     func(o *O) Algorithm
	Lossless func(o *O, network *model.Spec) *Lossless
	// KnowsOutputs reports whether a Lossless needs to know through which output each packet that
	// waits in a switch will leave. This is not known with adaptive routing.
	KnowsOutputs bool
	// Help holds the texts, by name, of options whose tag would be too long.
	Help map[string]string
	// Limits says what the algorithm limits, Signals what it learns from, Source where it is
	// described: its row in docs/congestion.md.
	Limits, Signals, Source string
	// Examples are options, as YAML, with which tests run the algorithm; one may be empty.
	Examples []string
}

// Kind is an algorithm that experiments can name.
type Kind struct {
	Name, Summary           string
	Limits, Signals, Source string
	Options                 []option.Option
	Examples                []string
	KnowsOutputs            bool

	option.Struct[Spec]
	create func(o any) Algorithm
	enter  func(o any, network *model.Spec) *Lossless
}

var registered registry.Of[Kind]

// Register adds an algorithm, which experiments can name from then on. Lists and error messages
// name algorithms in the order of their places, which must differ; place 0 comes last. Call it at
// the start of the program, before any experiment is read. It panics if the name is taken.
func Register[O Spec](place int, d Description[O]) *Kind {
	var options O
	k := Kind{
		Name: options.Name(), Summary: d.Summary, Limits: d.Limits, Signals: d.Signals, Source: d.Source,
		Examples: d.Examples, KnowsOutputs: d.KnowsOutputs, Struct: option.StructOf[O, Spec](),
	}
	if d.Make != nil {
		k.create = func(o any) Algorithm { return d.Make(o.(*O)) }
	}
	if d.Lossless != nil {
		k.enter = func(o any, network *model.Spec) *Lossless { return d.Lossless(o.(*O), network) }
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
// options of no registered kind.
func KindOf(s Spec) *Kind {
	for _, k := range Kinds() {
		if k.Describes(s) {
			return k
		}
	}
	return nil
}

// Make creates the algorithm that options describe. There must be a kind of them that is not
// Lossless.
func Make(s Spec) Algorithm {
	k := KindOf(s)
	return k.create(k.Copy(s))
}

// Check returns the mistakes in options, a pointer like that of New.
func (k *Kind) Check(options any) []topology.Mistake { return topology.MistakesIn(options) }
