package experiment

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"fabricast/internal/config"
	"fabricast/internal/option"
	"fabricast/internal/units"
)

// Topology and Routing are forms: structs with fields for the options of many kinds. The options of
// one kind are a struct in package topology or routing, which is filled in from the form by field
// names. Options without a field in the form are in the form's field Options, which has the kind's
// own type.

// field returns the field of a form with a name in files; an invalid Value if there is none.
func field(form reflect.Value, name string) reflect.Value {
	for i := range form.NumField() {
		if fieldName(form.Type().Field(i)) == name {
			return form.Field(i)
		}
	}
	return reflect.Value{}
}

// fieldName returns the name of a field in files; empty if it has none.
func fieldName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	if name == "-" {
		return ""
	}
	return name
}

// gather fills in options from a form, and before it from further options of the same type, if
// there are any. A value that cannot be parsed leaves the option unchanged; checks report it. Parts
// that are topologies of their own are left out.
func gather(into any, list []option.Option, form, further any) {
	to := reflect.ValueOf(into).Elem()
	if v := further; v != nil {
		to.Set(reflect.Indirect(reflect.ValueOf(v)))
	}
	from := reflect.ValueOf(form).Elem()
	for _, o := range list {
		if f := field(from, o.Name); f.IsValid() && !f.IsZero() && o.Type != specType {
			_ = option.Set(to.Field(o.Index), f)
		}
	}
}

// namesOf returns the names of options.
func namesOf(list []option.Option) []string {
	names := make([]string, len(list))
	for i, o := range list {
		names[i] = o.Name
	}
	return names
}

// named reports whether a list has an option with a name.
func named(list []option.Option, name string) bool {
	return slices.ContainsFunc(list, func(o option.Option) bool { return o.Name == name })
}

// further returns the options that have no field in a form.
func further(form reflect.Type, list []option.Option) (more []option.Option) {
	for _, o := range list {
		if !field(reflect.Zero(form), o.Name).IsValid() {
			more = append(more, o)
		}
	}
	return more
}

// cloned returns a pointer to a copy of further options, which are a struct or a pointer to one.
func cloned(options any) any {
	v := reflect.Indirect(reflect.ValueOf(options))
	c := reflect.New(v.Type())
	c.Elem().Set(v)
	return c.Interface()
}

// take copies to a form, or to further options, the defaults of options that were not given, and
// records that they are defaults.
func (f filler) take(path string, list []option.Option, options, form, more any) {
	from := reflect.ValueOf(options).Elem()
	for _, o := range list {
		if o.Type == specType {
			continue
		}
		to := field(reflect.ValueOf(form).Elem(), o.Name)
		if !to.IsValid() && more != nil {
			to = reflect.ValueOf(more).Elem().Field(o.Index)
		}
		at := path + "." + o.Name
		if !to.IsValid() || !to.IsZero() || from.Field(o.Index).IsZero() || f.e.positions.Has(at) {
			continue
		}
		if option.Set(to, from.Field(o.Index)) == nil && f.e.defaults != nil {
			f.e.defaults[at] = fmt.Sprint(to.Interface())
		}
	}
}

// fill sets those options that are zero and have a default text.
func (f filler) fill(path, kind string, list []option.Option, form, more any) {
	for _, o := range list {
		to := field(reflect.ValueOf(form).Elem(), o.Name)
		if !to.IsValid() && more != nil {
			to = reflect.ValueOf(more).Elem().Field(o.Index)
		}
		at := path + "." + o.Name
		if !o.FillsOn(kind) || !to.IsValid() || !to.IsZero() || f.e.positions.Has(at) {
			continue
		}
		if err := setText(to, o.Fill); err != nil {
			panic(fmt.Sprintf("the default of %s: %v", at, err)) // of its tag
		}
		if f.e.defaults != nil {
			f.e.defaults[at] = fmt.Sprint(to.Interface())
		}
	}
}

// setText parses a text like a value in a file.
func setText(to reflect.Value, text string) error {
	switch t := to.Addr().Interface().(type) {
	case config.Setter:
		return t.Set(text)
	case encoding.TextUnmarshaler:
		return t.UnmarshalText([]byte(text))
	case *string:
		*t = text
		return nil
	}
	return yaml.Unmarshal([]byte(text), to.Addr().Interface())
}

// foreign reports the fields of a form that a kind does not take.
func (v *validator) foreign(path string, form any, key, what, expected string, list []option.Option) {
	s := reflect.ValueOf(form).Elem()
	for i := range s.NumField() {
		name := fieldName(s.Type().Field(i))
		if name == "" || name == key || named(list, name) ||
			s.Field(i).IsZero() && !v.e.positions.Has(path+"."+name) {
			continue
		}
		v.problem(path+"."+name, what, expected, "")
	}
}

// twice reports further options that have a field in the form and so must be given there.
func (v *validator) twice(path string, list []option.Option, form, more any) {
	if more == nil {
		return
	}
	given := reflect.Indirect(reflect.ValueOf(more))
	for _, o := range list {
		if field(reflect.ValueOf(form).Elem(), o.Name).IsValid() && !given.Field(o.Index).IsZero() {
			v.problem(
				path, o.Name+" among the further options",
				"it in the field that there is for it", "",
			)
		}
	}
}

// texts checks the texts in a form for options with types of their own.
func (v *validator) texts(path string, list []option.Option, form any) {
	for _, o := range list {
		f := field(reflect.ValueOf(form).Elem(), o.Name)
		if !f.IsValid() || f.IsZero() {
			continue
		}
		at := path + "." + o.Name
		switch text := f.Interface().(type) {
		case string:
			v.text(at, o.Type, text)
		case []string:
			for i, item := range text {
				v.text(index(at, i), o.Type.Elem(), item)
			}
		}
	}
}

// text checks a text against the type that parses it.
func (v *validator) text(path string, t reflect.Type, text string) {
	if words := option.Words(t); words != nil {
		if _, other := alias(t, text); !other {
			v.choice(path, text, words...)
		}
		return
	}
	into, ok := reflect.New(t).Interface().(encoding.TextUnmarshaler)
	if !ok {
		return
	}
	err := into.UnmarshalText([]byte(text))
	var told *units.Error
	switch {
	case errors.As(err, &told):
		v.problem(path, text, told.Expected, told.Hint)
	case err != nil:
		v.problem(path, text, err.Error(), "")
	}
}

// aliased is a type of words that accepts other texts for some of them. Aliases returns each text
// with its word.
type aliased interface{ Aliases() [][2]string }

// alias returns the word for which an alias stands.
func alias(t reflect.Type, text string) (word string, ok bool) {
	if a, has := reflect.New(t).Interface().(aliased); has {
		for _, pair := range a.Aliases() {
			if pair[0] == text {
				return pair[1], true
			}
		}
	}
	return "", false
}

// unalias replaces aliases in a form by their words.
func unalias(list []option.Option, form any) {
	for _, o := range list {
		f := field(reflect.ValueOf(form).Elem(), o.Name)
		if !f.IsValid() || f.Kind() != reflect.String {
			continue
		}
		if word, ok := alias(o.Type, f.String()); ok {
			f.SetString(word)
		}
	}
}

// wordsOf returns the words, and aliases, of an option's type; nil if it may have any text.
func wordsOf(t reflect.Type) []string {
	words := slices.Clone(option.Words(t))
	if a, ok := reflect.New(t).Interface().(aliased); ok {
		for _, pair := range a.Aliases() {
			words = append(words, pair[0])
		}
	}
	return words
}

// joined returns a form as it is written to files, with its further options behind it, and with those of
// its own fields that are zero and must be written all the same.
func joined(form any, list []option.Option, more any, zeros []string) (any, error) {
	text, err := yaml.Marshal(form)
	if err != nil {
		return nil, err
	}
	var all yaml.MapSlice
	if err := yaml.UnmarshalWithOptions(text, &all, yaml.UseOrderedMap()); err != nil {
		return nil, err
	}
	for _, name := range zeros {
		all = append(all, yaml.MapItem{Key: name, Value: field(reflect.ValueOf(form), name).Interface()})
	}
	given := reflect.Indirect(reflect.ValueOf(more))
	for _, o := range further(reflect.TypeOf(form), list) {
		if f := given.Field(o.Index); !f.IsZero() {
			all = append(all, yaml.MapItem{Key: o.Name, Value: written(f)})
		}
	}
	return all, nil
}

// written returns an option as it is written to files.
func written(v reflect.Value) any {
	if words := option.Words(v.Type()); words != nil && v.CanUint() && int(v.Uint()) < len(words) {
		return words[v.Uint()]
	}
	return v.Interface()
}
