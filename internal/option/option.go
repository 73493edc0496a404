// Package option reads structs of options: what a kind of topology, a routing algorithm or another
// variant can be told. A variant describes its options once, by the tags of a struct's fields, and
// files of experiments, checks, schemas and documentation follow.
//
//	type Options struct {
//		Arms int  `yaml:"arms" help:"routers around the middle"`
//		Tie  Tie  `yaml:"tie" help:"'up' or 'down'" default:"'up'" fill:"up"`
//	}
//
// The tags are:
//   - yaml: the name in files; a field without one is no option;
//   - help: what the option is, one line of Markdown with 'words' for `words`; long ones are given
//     beside the struct;
//   - default: what it is if not given, likewise; none means that it must be given;
//   - fill: the text that stands for it if it is not given, where checked experiments show it;
//   - on: the kinds of network, with commas between, on which fill applies; none means all;
//   - joins: "true" for the part of a topology that joins others.
package option

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"fabricast/internal/units"
)

// Option is a field of a struct of options.
type Option struct {
	Name    string
	Help    string // Markdown
	Default string // Markdown; empty: the option must be given
	Fill    string // see the tag; empty: nothing is filled in
	On      []string
	Joins   bool
	Type    reflect.Type
	Index   int // of the field
}

// Of returns the options of a struct, in its order. `help` holds the texts, by name, of options
// without a help tag.
func Of(t reflect.Type, help map[string]string) (list []Option) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if name == "" || name == "-" {
			continue
		}
		o := Option{
			Name: name, Fill: f.Tag.Get("fill"), Joins: f.Tag.Get("joins") == "true",
			Help: quoted(f.Tag.Get("help") + help[name]), Default: quoted(f.Tag.Get("default")),
			Type: f.Type, Index: i,
		}
		if on := f.Tag.Get("on"); on != "" {
			o.On = strings.Split(on, ",")
		}
		list = append(list, o)
	}
	return list
}

// quoted replaces the quotes that a tag can contain by Markdown's.
func quoted(text string) string { return strings.ReplaceAll(text, "'", "`") }

// FillsOn reports whether the option's Fill applies to a kind of network.
func (o *Option) FillsOn(kind string) bool {
	return o.Fill != "" && (o.On == nil || slices.Contains(o.On, kind))
}

// Worded is a type whose text forms are a fixed set of words.
type Worded interface {
	encoding.TextUnmarshaler
	// Words returns the words, in the order in which error messages name them.
	Words() []string
}

// Words returns the words of a type; nil if it also has other texts.
func Words(t reflect.Type) []string {
	if w, ok := reflect.New(t).Interface().(Worded); ok {
		return w.Words()
	}
	return nil
}

// Parse sets `to` to the index of a word. The empty text means the first word.
func Parse[E ~uint8](to *E, text []byte, words []string) error {
	i := slices.Index(words, string(text))
	if i < 0 && len(text) > 0 {
		return &units.Error{Found: string(text), Expected: strings.Join(words, " or ")}
	}
	*to = E(max(i, 0))
	return nil
}

// Set copies the value of a form's field to an option. The types may differ: a text is parsed by an
// encoding.TextUnmarshaler, and lists are copied item by item.
func Set(to, from reflect.Value) error {
	if from.Type() == to.Type() {
		to.Set(from)
		return nil
	}
	if reader, ok := to.Addr().Interface().(encoding.TextUnmarshaler); ok && from.Kind() == reflect.String {
		if from.Len() == 0 {
			return nil // unchanged
		}
		return reader.UnmarshalText([]byte(from.String()))
	}
	if from.Kind() == reflect.Slice && to.Kind() == reflect.Slice {
		list := reflect.MakeSlice(to.Type(), from.Len(), from.Len())
		for i := range from.Len() {
			if err := Set(list.Index(i), from.Index(i)); err != nil {
				return fmt.Errorf("[%d]: %w", i, err)
			}
		}
		to.Set(list)
		return nil
	}
	if from.CanConvert(to.Type()) && from.Kind() == to.Kind() {
		to.Set(from.Convert(to.Type()))
		return nil
	}
	return fmt.Errorf("a %s cannot be a %s", from.Type(), to.Type())
}

// Text returns the word with index e.
func Text[E ~uint8](e E, words []string) ([]byte, error) {
	if int(e) >= len(words) {
		return nil, fmt.Errorf("there is no word for %d", e)
	}
	return []byte(words[e]), nil
}
