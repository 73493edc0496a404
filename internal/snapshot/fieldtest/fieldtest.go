// Package fieldtest checks that every field of a state type is either saved or declared not to need
// saving. So nobody can add a field and forget to save it.
package fieldtest

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// State declares how each field of a type is treated. Names of fields are separated by blanks.
type State struct {
	Of    any    // a value of the type
	Saved string // visited and saved
	// Parts are visited on their own, or are shared with other parts, which save them.
	Parts string
	// Constant fields do not change during a run, or are references.
	Constant string
	// Passing fields are meaningless between two windows, or follow from other fields, or do not
	// affect results.
	Passing string
}

// Check fails the test for every field that is not in exactly one of the lists, and for every name
// in them that is not a field.
func Check(t *testing.T, states ...State) {
	t.Helper()
	for _, s := range states {
		of := reflect.TypeOf(s.Of)
		var names []string
		for _, list := range []string{s.Saved, s.Parts, s.Constant, s.Passing} {
			names = append(names, strings.Fields(list)...)
		}
		for i := range of.NumField() {
			name := of.Field(i).Name
			at := slices.Index(names, name)
			if at < 0 {
				t.Errorf("%s.%s is neither saved nor declared: does it change during a run?", of, name)
				continue
			}
			names = slices.Delete(names, at, at+1)
		}
		if len(names) > 0 {
			t.Errorf("%s: %v are no fields, or listed twice", of, names)
		}
	}
}
