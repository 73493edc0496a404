package schema

import (
	"encoding/json"
	"reflect"
	"strings"
)

// OfOutput returns the schema of the JSON that package encoding/json writes for a type. A type that
// writes itself is described as an object of integers.
func OfOutput(t reflect.Type) *Schema {
	defs := map[string]*Schema{}
	s := output(t, defs)
	root := *defs[strings.TrimPrefix(s.Ref, Def)]
	root.Dialect, root.Defs = Dialect, defs
	delete(defs, t.Name())
	return &root
}

var marshaler = reflect.TypeFor[json.Marshaler]()

func output(t reflect.Type, defs map[string]*Schema) *Schema {
	if t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(marshaler) {
		return &Schema{Types: []string{"object"}, Additional: &Schema{Types: []string{"integer"}}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return output(t.Elem(), defs)
	case reflect.Bool:
		return &Schema{Types: []string{"boolean"}}
	case reflect.String:
		return &Schema{Types: []string{"string"}}
	case reflect.Float32, reflect.Float64:
		return &Schema{Types: []string{"number"}}
	case reflect.Map:
		return &Schema{Types: []string{"object"}, Additional: output(t.Elem(), defs)}
	case reflect.Slice, reflect.Array:
		return &Schema{Types: []string{"array"}, Items: output(t.Elem(), defs)}
	case reflect.Struct:
		if defs[t.Name()] == nil {
			defs[t.Name()] = &Schema{} // for types that contain themselves
			defs[t.Name()] = object(t, defs)
		}
		return &Schema{Ref: Def + t.Name()}
	}
	return &Schema{Types: []string{"integer"}}
}

// object returns the schema of a struct. Fields that may be missing are those with omitempty.
func object(t reflect.Type, defs map[string]*Schema) *Schema {
	s := &Schema{Types: []string{"object"}, Properties: map[string]*Schema{}, Additional: false}
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		s.Properties[name] = output(t.Field(i).Type, defs)
		if options != "omitempty" {
			s.Required = append(s.Required, name)
		}
	}
	return s
}
