// Package schema generates JSON Schemas (draft 2020-12) from the types that package config decodes,
// for editors that complete and check YAML files.
//
// A schema accepts everything that config.Decode accepts: fields may be null, which keeps their
// defaults, single values may be quoted, and text may be any single value. The only exception is a
// list of words added by a caller: the empty text, which stands for a default, is not in the list.
package schema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Dialect is the version of JSON Schema that the schemas use.
const Dialect = "https://json-schema.org/draft/2020-12/schema"

// Schema is a JSON Schema, or a part of one. Zero fields are not written.
type Schema struct {
	Dialect     string `json:"$schema,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`

	Ref   string   `json:"$ref,omitempty"`
	Types []string `json:"type,omitempty"`
	Enum  []any    `json:"enum,omitempty"`
	Const any      `json:"const,omitempty"`

	Pattern  string   `json:"pattern,omitempty"` // of texts
	Minimum  *float64 `json:"minimum,omitempty"` // of numbers
	Maximum  *float64 `json:"maximum,omitempty"` // of numbers
	MinItems int      `json:"minItems,omitempty"`
	MaxItems *int     `json:"maxItems,omitempty"`

	Items      *Schema            `json:"items,omitempty"`
	Properties map[string]*Schema `json:"properties,omitempty"`
	// Additional is false, or the Schema of fields that Properties does not name.
	Additional any      `json:"additionalProperties,omitempty"`
	Required   []string `json:"required,omitempty"`

	AnyOf []*Schema `json:"anyOf,omitempty"`
	AllOf []*Schema `json:"allOf,omitempty"`
	If    *Schema   `json:"if,omitempty"`
	Then  *Schema   `json:"then,omitempty"`

	Defs map[string]*Schema `json:"$defs,omitempty"`
}

// JSON returns the schema as JSON, indented by two spaces.
func (s *Schema) JSON() ([]byte, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(s)
	return []byte(b.String()), err
}

// Paths lists the paths of all fields without fields of their own, in alphabetical order.
func (s *Schema) Paths() []string { return s.paths("", s.Defs) }

func (s *Schema) paths(path string, defs map[string]*Schema) (list []string) {
	forms := append([]*Schema{s}, s.AnyOf...)
	leaf := true
	for _, form := range forms {
		if def := defs[strings.TrimPrefix(form.Ref, Def)]; def != nil && form.Ref != "" {
			if strings.Count(path, ".") < deepest {
				form = def
			} else {
				return nil
			}
		}
		for _, name := range slices.Sorted(maps.Keys(form.Properties)) {
			leaf = false
			list = append(list, form.Properties[name].paths(join(path, name), defs)...)
		}
		if form.Additional != nil && form.Additional != false {
			leaf = false
		}
	}
	if scalar := len(s.AnyOf) > 0 && (s.AnyOf[0].Enum != nil || s.AnyOf[0].Types != nil); leaf ||
		scalar && path != "" {
		list = append([]string{path}, list...)
	}
	return list
}

// deepest limits the depth of paths into recursive types.
const deepest = 3

// Choices lists the words that the field at a path accepts, in all of its forms.
func (s *Schema) Choices(path string) []string {
	at := s
	for name := range strings.SplitSeq(path, ".") {
		if at = at.property(name, s.Defs); at == nil {
			return nil
		}
	}
	var words []string
	for _, form := range append([]*Schema{at}, at.AnyOf...) {
		for _, word := range form.Enum {
			if word, ok := word.(string); ok {
				words = append(words, word)
			}
		}
		if slices.Contains(form.Types, "boolean") && form.Pattern != "" {
			words = append(words, "true", "false")
		}
	}
	return words
}

// property returns the schema of a field of a mapping; nil if there is none.
func (s *Schema) property(name string, defs map[string]*Schema) *Schema {
	for _, form := range append([]*Schema{s}, s.AnyOf...) {
		if form.Ref != "" {
			form = defs[strings.TrimPrefix(form.Ref, Def)]
		}
		if p := form.Properties[name]; p != nil {
			return p
		}
	}
	return nil
}

// Words returns the schema of a choice of words.
func Words(words ...string) *Schema {
	s := &Schema{}
	for _, w := range words {
		s.Enum = append(s.Enum, w)
	}
	return s
}

// Suggested returns the schema of any single value, with suggested values.
func Suggested(words ...string) *Schema {
	return &Schema{AnyOf: []*Schema{Words(words...), text()}}
}

// Bound sets the smallest and the largest permitted number.
func (s *Schema) Bound(low, high float64) { s.Minimum, s.Maximum = &low, &high }

// nullable makes the schema also accept null.
func (s *Schema) nullable() *Schema {
	switch {
	case s.Ref != "":
		s.AnyOf, s.Ref = []*Schema{{Ref: s.Ref}, {Types: []string{"null"}}}, ""
	case s.Enum != nil:
		s.Enum = append(s.Enum, nil)
	case s.AnyOf != nil:
		s.AnyOf = append(s.AnyOf, &Schema{Types: []string{"null"}})
	case s.Types != nil:
		s.Types = append(s.Types, "null")
	}
	return s
}

// Def is the start of paths that refer to a recursive type, wherever it occurs.
const Def = "#/$defs/"

// Amend changes the schema of the value at a path of fields, such as network.links.NAME.latency or
// axes[].cases[].set: it adds a description, words or bounds.
type Amend func(path string, s *Schema)

// Of returns the schema of a type. Fields are found by their yaml tags, as in config.Decode.
//
// The schema of an interface type is a mapping of all fields of its variants.
func Of(t reflect.Type, amend Amend, variants ...Variants) *Schema {
	m := maker{amend, map[string]*Schema{}, variants}
	s := m.structure("", t)
	s.Dialect, s.Defs = Dialect, m.defs
	return s
}

// Variants describes the structs that fields of an interface type can hold, like config.Variants.
type Variants struct {
	Interface reflect.Type
	Key       string // the field that selects the struct
	Short     bool   // a single value stands for a mapping that has only the field Key
	Name      string // of the definition, if variants contain themselves; else empty
	Structs   []reflect.Type
}

type maker struct {
	amend    Amend
	defs     map[string]*Schema // definitions of types that contain themselves
	variants []Variants
}

// written is a type that is parsed from a single value. Written returns a regular expression for
// its text, and whether it may be a number other than 0.
type written interface {
	Written() (pattern string, numbers bool)
}

// worded is a type that accepts a fixed set of words.
type worded interface {
	encoding.TextUnmarshaler
	Words() []string
}

// setter is the same interface as config.Setter.
type setter interface{ Set(text string) error }

// field returns the schema of a struct's field.
func (m *maker) field(path string, t reflect.Type) *Schema { return m.value(path, t).nullable() }

// value returns the schema of a value that is not null.
func (m *maker) value(path string, t reflect.Type) *Schema {
	s := m.plain(path, t)
	m.amend(path, s)
	return s
}

// plain returns the schema of a value of type t that is not null, without the changes that Amend
// makes.
func (m *maker) plain(path string, t reflect.Type) *Schema {
	if w, ok := reflect.Zero(t).Interface().(written); ok && t.Kind() != reflect.Pointer {
		return quantity(w)
	}
	if w, ok := reflect.New(t).Interface().(worded); ok {
		return Words(w.Words()...)
	}
	if p := reflect.PointerTo(t); p.Implements(reflect.TypeFor[setter]()) ||
		p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return text()
	}
	switch t.Kind() {
	case reflect.Struct:
		return m.shared(path, t)
	case reflect.Interface:
		return m.variant(path, t)
	case reflect.Slice:
		return &Schema{Types: []string{"array"}, Items: m.value(path+"[]", t.Elem())}
	case reflect.Map:
		return &Schema{Types: []string{"object"}, Additional: m.field(join(path, "NAME"), t.Elem())}
	case reflect.Pointer:
		if keptAsWritten(t) {
			return &Schema{}
		}
		return m.plain(path, t.Elem())
	case reflect.String:
		return text()
	case reflect.Bool:
		return &Schema{Types: []string{"boolean", "string"}, Pattern: "^(true|false)$"}
	case reflect.Int, reflect.Int64:
		return &Schema{Types: []string{"integer", "string"}, Pattern: "^[+-]?[0-9]+$"}
	case reflect.Uint64:
		zero := 0.0
		return &Schema{Types: []string{"integer", "string"}, Pattern: "^[0-9]+$", Minimum: &zero}
	}
	panic(fmt.Sprintf("schema: a field of type %s", t))
}

// keptAsWritten reports whether a type is config.Node: a part of an experiment file that is kept as the user wrote it, so
// that the schema allows any value.
func keptAsWritten(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer && t.Elem().PkgPath() == "fabricast/internal/config"
}

func text() *Schema { return &Schema{Types: []string{"string", "number", "boolean"}} }

func quantity(w written) *Schema {
	pattern, numbers := w.Written()
	zero := 0.0
	s := &Schema{Types: []string{"string", "number"}, Pattern: pattern, Minimum: &zero}
	if !numbers {
		s.Maximum = &zero
	}
	return s
}

// shared returns the schema of a struct, or a reference to it if the type is recursive.
func (m *maker) shared(path string, t reflect.Type) *Schema {
	if !recursive(t) {
		return m.structure(path, t)
	}
	name := strings.ToLower(t.Name())
	if m.defs[name] == nil {
		m.defs[name] = &Schema{} // until its content is known
		s := m.structure(path, t)
		m.amend(Def+name, s)
		*m.defs[name] = *s
	}
	return &Schema{Ref: Def + name}
}

func recursive(t reflect.Type) bool {
	for i := range t.NumField() {
		if t.Field(i).Type == reflect.PointerTo(t) {
			return true
		}
	}
	return false
}

// variant returns the schema of an interface type.
func (m *maker) variant(path string, t reflect.Type) *Schema {
	i := slices.IndexFunc(m.variants, func(v Variants) bool { return v.Interface == t })
	if i < 0 {
		panic(fmt.Sprintf("schema: a field of type %s", t))
	}
	v := &m.variants[i]
	if v.Name == "" {
		return m.fieldsOf(path, v)
	}
	if m.defs[v.Name] == nil {
		m.defs[v.Name] = &Schema{} // until its content is known
		s := m.fieldsOf(path, v)
		m.amend(Def+v.Name, s)
		*m.defs[v.Name] = *s
	}
	return &Schema{Ref: Def + v.Name}
}

// fieldsOf returns the schema of a mapping with the fields of all variants.
func (m *maker) fieldsOf(path string, v *Variants) *Schema {
	word := reflect.TypeFor[string]()
	s := &Schema{Types: []string{"object"}, Properties: map[string]*Schema{}, Additional: false}
	s.Properties[v.Key] = m.field(join(path, v.Key), word)
	for _, t := range v.Structs {
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
			if name != "" && name != "-" && s.Properties[name] == nil {
				s.Properties[name] = m.field(join(path, name), t.Field(i).Type)
			}
		}
	}
	if !v.Short {
		return s
	}
	short := m.value(join(path, v.Key), word)
	short.Description = ""
	return &Schema{AnyOf: []*Schema{short, s}}
}

// structure returns the schema of a struct: a mapping, or the single value that may stand for it.
func (m *maker) structure(path string, t reflect.Type) *Schema {
	s := &Schema{Types: []string{"object"}, Properties: map[string]*Schema{}, Additional: false}
	var short *Schema
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if name == "" || name == "-" {
			continue
		}
		s.Properties[name] = m.field(join(path, name), f.Type)
		if f.Tag.Get("scalar") == "true" {
			short = m.value(join(path, name), f.Type)
		}
	}
	if short == nil {
		return s
	}
	short.Description = ""
	return &Schema{AnyOf: []*Schema{short, s}}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
