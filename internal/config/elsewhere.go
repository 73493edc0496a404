package config

import (
	"reflect"
	"slices"
	"strings"
)

// mostElsewhere is the largest number of places that a hint names: with more, a reader learns less
// from it than from the list of fields.
const mostElsewhere = 2

// elsewhere returns a hint for a field that is at the wrong place, in the mapping at a path: the fields
// of this name in the whole file, if they are few; "" if there is none. An entry of a list misses a
// field of its own rather than one of the file.
func (d *decoder) elsewhere(path, name string) string {
	if d.whole == nil || strings.Contains(path, "[") {
		return ""
	}
	if found := fieldsNamed(d.whole, name, "", nil); len(found) > 0 && len(found) <= mostElsewhere {
		return "did you mean " + strings.Join(found, " or ") + "?"
	}
	return ""
}

// fieldsNamed lists the paths of fields with a name in a struct and the structs that it contains. Fields
// in lists, in mappings of names and in variants are not among them: they have no path of their own.
func fieldsNamed(t reflect.Type, name, path string, within []reflect.Type) (paths []string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || slices.Contains(within, t) {
		return nil
	}
	within = append(within, t)
	for i := range t.NumField() {
		field := fieldName(t.Field(i))
		if field == "" {
			continue
		}
		if field == name {
			paths = append(paths, join(path, field))
		}
		paths = append(paths, fieldsNamed(t.Field(i).Type, name, join(path, field), within)...)
	}
	return paths
}
