// Package registry keeps the variants of a concept: the topologies, the routing algorithms, the
// formats of timelines, and so on. A variant is one file, which describes it and adds it to the
// registry of its package:
//
//	var _ = register(20, Kind{Name: "ring", ...})
//
// Everything else about variants (lists, error messages, schemas, documentation) goes by what the
// registry holds.
package registry

import (
	"cmp"
	"fmt"
	"slices"
)

// Of holds the variants of a concept, each described by a K. Its zero value is empty. Variants are
// added at the start of the program; after that it is safe for concurrent use.
type Of[K any] struct {
	entries []entry[K] // in the order of places
	byName  map[string]*K
}

type entry[K any] struct {
	place int
	name  string
	kind  *K
}

// Add adds a variant with its name and any further names by which Find finds it, and returns the
// registry's copy. Lists name variants in the order of their places; place 0 comes last. It panics if
// a name or the place is taken.
func (r *Of[K]) Add(place int, k K, name string, aliases ...string) *K {
	if place == 0 && len(r.entries) > 0 {
		place = r.entries[len(r.entries)-1].place + 1
	}
	at, taken := slices.BinarySearchFunc(r.entries, place, func(e entry[K], place int) int {
		return cmp.Compare(e.place, place)
	})
	for _, n := range append([]string{name}, aliases...) {
		if taken || r.byName[n] != nil {
			panic(fmt.Sprintf("two variants are called %s, or have the place %d", n, place))
		}
		if r.byName == nil {
			r.byName = map[string]*K{}
		}
		r.byName[n] = &k
	}
	r.entries = slices.Insert(r.entries, at, entry[K]{place, name, &k})
	return &k
}

// All returns the variants in the order of their places.
func (r *Of[K]) All() []*K {
	all := make([]*K, len(r.entries))
	for i, e := range r.entries {
		all[i] = e.kind
	}
	return all
}

// Names returns the names of the variants, without aliases, in the order of their places.
func (r *Of[K]) Names() []string {
	names := make([]string, len(r.entries))
	for i, e := range r.entries {
		names[i] = e.name
	}
	return names
}

// First returns the variant with the lowest place; the registry must not be empty.
func (r *Of[K]) First() *K { return r.entries[0].kind }

// Find returns the variant with a name or alias; nil if there is none.
func (r *Of[K]) Find(name string) *K { return r.byName[name] }
