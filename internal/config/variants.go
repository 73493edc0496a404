package config

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Variants describes the structs that fields of an interface type can hold. The value of one field
// of the mapping, such as kind, selects the struct; the other fields are those of the struct.
type Variants struct {
	Interface reflect.Type
	Key       string // the field that selects the struct
	Part      string // what messages call the other fields: a field, an option
	Short     bool   // a single value stands for a mapping that has only the field Key
	Words     []string
	Default   string // the value of Key in mappings without it
	// New returns a pointer to the struct for a value of Key; nil if there is none.
	New func(word string) any
}

// variant decodes a mapping into the struct that the field Key selects.
func (d *decoder) variant(path string, n *Node, v reflect.Value) {
	i := slices.IndexFunc(d.variants, func(of Variants) bool { return of.Interface == v.Type() })
	if i < 0 {
		panic("config: a field of type " + v.Type().String() + " cannot be decoded")
	}
	of := d.variants[i]
	word, written := of.Default, n
	switch {
	case n.Kind == Mapping:
		if i := n.field(of.Key); i >= 0 && n.Fields[i].Value.Kind != Null {
			written = n.Fields[i].Value
			word = written.Text
		}
	case n.Kind == Scalar && of.Short:
		word = n.Text
	default:
		d.fail(path, n, "a mapping with "+of.Key+" and the fields that belong to it", "")
		return
	}
	if written != n || n.Kind == Scalar {
		d.positions[join(path, of.Key)] = written.Position
	}
	into := of.New(word)
	if into == nil {
		d.fail(join(path, of.Key), written, OneOf(of.Words), DidYouMean(word, of.Words))
		d.fieldsOfAny(path, n, of)
		return
	}
	s := reflect.ValueOf(into).Elem()
	for _, f := range n.Fields {
		if f.Key == of.Key {
			continue
		}
		if i := fieldIndex(s.Type(), f.Key); i >= 0 {
			d.value(join(path, f.Key), f.Value, s.Field(i))
		} else {
			d.foreign(path, f, of, word, fieldNames(s.Type()))
		}
	}
	v.Set(s)
}

// fieldsOfAny reports the fields of a mapping that are invalid whatever struct is selected: fields
// that no struct has, and values that are invalid in every struct with the field.
func (d *decoder) fieldsOfAny(path string, n *Node, of Variants) {
	for _, f := range n.Fields {
		if f.Key == of.Key {
			continue
		}
		var names []string
		var refused []Problem
		taken := false
		for _, word := range of.Words {
			s := reflect.ValueOf(of.New(word)).Elem()
			names = append(names, fieldNames(s.Type())...)
			i := fieldIndex(s.Type(), f.Key)
			if i < 0 || taken {
				continue
			}
			trial := *d // only its problems are used: no field counts as read
			trial.problems, trial.positions = nil, maps.Clone(d.positions)
			trial.value(join(path, f.Key), f.Value, s.Field(i))
			if taken = len(trial.problems) == 0; refused == nil {
				refused = trial.problems
			}
		}
		switch {
		case taken:
		case refused != nil:
			d.problems = append(d.problems, refused...)
		default:
			slices.Sort(names)
			names = slices.Compact(names)
			d.problems = append(d.problems, Problem{
				Position: f.KeyPosition, Field: join(path, f.Key), Found: unknownField + strconv.Quote(f.Key),
				Expected: OneOf(names), Hint: DidYouMean(f.Key, append(names, of.Key)),
			})
		}
	}
}

// foreign reports a field that the selected struct does not have.
func (d *decoder) foreign(path string, f Field, of Variants, word string, names []string) {
	p := Problem{Position: f.KeyPosition, Field: join(path, f.Key), Expected: "none"}
	if len(names) > 0 {
		p.Expected = OneOf(names)
	}
	if of.known(f.Key) {
		if f.Value.Kind == Null {
			return
		}
		p.Position = f.Value.Position
		p.Found = of.Part + " that " + word + " does not have"
	} else {
		p.Found = unknownField + strconv.Quote(f.Key)
		p.Hint = DidYouMean(f.Key, append(slices.Clone(names), of.Key))
		if p.Hint == "" && len(names) > 0 {
			p.Hint = "of " + word
		}
	}
	d.problems = append(d.problems, p)
}

// known reports whether any of the structs has a field.
func (of Variants) known(field string) bool {
	return slices.ContainsFunc(of.Words, func(word string) bool {
		return fieldIndex(reflect.TypeOf(of.New(word)).Elem(), field) >= 0
	})
}

// word decodes a value whose type accepts a fixed set of words.
func (d *decoder) word(path string, n *Node, words []string, set func(text string) error) {
	if n.Kind != Scalar {
		d.fail(path, n, OneOf(words), "")
	} else if set(n.Text) != nil {
		d.fail(path, n, OneOf(words), DidYouMean(strings.TrimSpace(n.Text), words))
	}
}
