package paths

import (
	"fmt"
	"math/bits"

	"fabricast/internal/option"
	"fabricast/internal/registry"
	"fabricast/topology"
)

// Spec is a way to choose paths with its options, such as ObliviousOptions{Paths: 128}: a struct of
// options for which a description is registered.
type Spec interface {
	// Name returns the name of the algorithm in experiments. It does not depend on options.
	Name() string
}

// Description is a way to choose paths by name: all that experiments, help and documentation say of
// it. It stands in the file of the algorithm, which registers it. The name is that of O, whose
// fields are the options in experiments, by their tags (package internal/option). The zero value of
// an option stands for its default. If *O has a method Check() []topology.Mistake, it returns what
// is wrong with the options.
type Description[O Spec] struct {
	Summary string // one line
	Make    func(o *O) Chooser
	Source  string // where it is described, for docs/congestion.md
	// Examples are options, as YAML, with which tests run the algorithm; one may be empty.
	Examples []string
}

// Kind is a way to choose paths that experiments can name.
type Kind struct {
	Name, Summary, Source string
	Options               []option.Option
	Examples              []string

	option.Struct[Spec]
	create func(o any) Chooser
}

var registered registry.Of[Kind]

// Register adds an algorithm, which experiments can name from then on. Lists and error messages
// name algorithms in the order of their places, which must differ; place 0 comes last. Call it at
// the start of the program, before any experiment is read. It panics if the name is taken.
func Register[O Spec](place int, d Description[O]) *Kind {
	var options O
	k := Kind{
		Name: options.Name(), Summary: d.Summary, Source: d.Source, Examples: d.Examples,
		Struct: option.StructOf[O, Spec](),
		create: func(o any) Chooser { return d.Make(o.(*O)) },
	}
	k.Options = k.Fields(nil)
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

// Make creates the algorithm that options describe. There must be a kind of them.
func Make(s Spec) Chooser {
	k := KindOf(s)
	return k.create(k.Copy(s))
}

// Check returns the mistakes in options, a pointer like that of New.
func (k *Kind) Check(options any) []topology.Mistake { return topology.MistakesIn(options) }

// usualPaths is the number of paths if none is given, that of uet-htsim.
const usualPaths = 64

// numberOf returns a number of paths, or its default in place of 0.
func numberOf(paths int) int {
	if paths == 0 {
		return usualPaths
	}
	return paths
}

// checkPaths demands a number of paths that masks can select: a power of two, or 0 for the default.
func checkPaths(paths int) []topology.Mistake {
	if paths >= 0 && paths <= 65536 && bits.OnesCount(uint(paths)) <= 1 {
		return nil
	}
	return []topology.Mistake{{
		Field: "paths", Found: fmt.Sprint(paths), Expected: "a power of two up to 65536",
	}}
}
