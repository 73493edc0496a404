// Package registry stores the variants of a concept, such as topologies, routing algorithms, or
// trace formats. Each variant is one file, which describes it and adds it to the registry of its
// package:
//
//	var _ = register(20, Kind{Name: "ring", ...})
//
// Lists, error messages, schemas and documentation of variants are generated from the registry.
package registry

import (
	"cmp"
	"fmt"
	"slices"
)

// Of holds the variants of a concept, each described by a K. The zero value is empty. Variants are
// added during package initialization; afterwards it is safe for concurrent use.
type Of[K any] struct {
	entries []entry[K] // by ascending position
	byName  map[string]*K
}

type entry[K any] struct {
	place int
	name  string
	kind  *K
}

// Add adds a variant with its name and any aliases, and returns the registry's copy. Lists are
// ordered by place; place 0 comes last. It panics if a name or the place is already used.
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

// All returns the variants, ordered by place.
func (r *Of[K]) All() []*K {
	all := make([]*K, len(r.entries))
	for i, e := range r.entries {
		all[i] = e.kind
	}
	return all
}

// Names returns the names of the variants, without aliases, ordered by place.
func (r *Of[K]) Names() []string {
	names := make([]string, len(r.entries))
	for i, e := range r.entries {
		names[i] = e.name
	}
	return names
}

// First returns the variant with the lowest place; the registry must not be empty.
func (r *Of[K]) First() *K { return r.entries[0].kind }

// Find returns the variant with the given name or alias; nil if there is none.
func (r *Of[K]) Find(name string) *K { return r.byName[name] }
