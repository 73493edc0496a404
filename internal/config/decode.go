package config

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"fabricast/internal/option"
	"fabricast/internal/units"
)

// Decode fills the struct to which `into` points from the tree. Fields that are missing, or have no
// value, keep their present values, so defaults can be set before. It returns the position of every
// field, and all problems.
//
// Fields are found by their yaml tags. A type that is a Setter parses itself from a single value. A
// struct may have one field tagged scalar:"true", which is set if a single value is written in
// place of the mapping. A field of an interface type holds one of its variants.
func Decode(root *Node, into any, variants ...Variants) (Positions, Problems) {
	d := decoder{
		positions: Positions{"": root.Position}, variants: variants, whole: reflect.TypeOf(into).Elem(),
	}
	d.value("", root, reflect.ValueOf(into).Elem())
	return d.positions, d.problems
}

// Setter is a type that parses itself from text.
type Setter interface{ Set(text string) error }

type decoder struct {
	variants  []Variants
	whole     reflect.Type // of all that is decoded, for hints
	positions Positions
	problems  Problems
}

func (d *decoder) fail(path string, n *Node, expected, hint string) {
	d.problems = append(
		d.problems,
		Problem{Position: n.Position, Field: path, Found: n.describe(), Expected: expected, Hint: hint},
	)
}

func (d *decoder) value(path string, n *Node, v reflect.Value) {
	if n.Kind == Null {
		return
	}
	if path != "" {
		d.positions[path] = n.Position
	}
	switch t := v.Addr().Interface().(type) {
	case Setter:
		d.text(path, n, t.Set)
		return
	case encoding.TextUnmarshaler:
		set := func(text string) error { return t.UnmarshalText([]byte(text)) }
		if words := option.Words(v.Type()); words != nil {
			d.word(path, n, words, set)
		} else {
			d.text(path, n, set)
		}
		return
	case **Node: // stored without decoding
		*t = n
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.structure(path, n, v)
	case reflect.Interface:
		d.variant(path, n, v)
	case reflect.Slice:
		d.slice(path, n, v)
	case reflect.Map:
		d.named(path, n, v)
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		d.value(path, n, v.Elem())
	default:
		d.scalar(path, n, v)
	}
}

// named decodes a mapping whose keys are names chosen by the user.
func (d *decoder) named(path string, n *Node, v reflect.Value) {
	if n.Kind != Mapping {
		d.fail(path, n, "a mapping of names", "")
		return
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), len(n.Fields)))
	for _, f := range n.Fields {
		item := reflect.New(v.Type().Elem()).Elem()
		d.positions[join(path, f.Key)] = f.KeyPosition
		d.value(join(path, f.Key), f.Value, item)
		v.SetMapIndex(reflect.ValueOf(f.Key), item)
	}
}

func (d *decoder) text(path string, n *Node, set func(text string) error) {
	if n.Kind != Scalar {
		d.fail(path, n, expectation(set("?")), "")
		return
	}
	err := set(n.Text)
	var u *units.Error
	switch {
	case errors.As(err, &u):
		d.fail(path, n, u.Expected, u.Hint)
	case err != nil:
		d.fail(path, n, err.Error(), "")
	}
}

// expectation returns what a type expects, from its error for an invalid text.
func expectation(err error) string {
	var u *units.Error
	if errors.As(err, &u) {
		return u.Expected
	}
	return "a single value"
}

func (d *decoder) structure(path string, n *Node, v reflect.Value) {
	if n.Kind == Scalar {
		if i := scalarField(v.Type()); i >= 0 {
			d.positions[path] = n.Position
			d.value(join(path, fieldName(v.Type().Field(i))), n, v.Field(i))
			return
		}
	}
	names := fieldNames(v.Type())
	if n.Kind != Mapping {
		d.fail(path, n, "a mapping with "+strings.Join(names, ", "), "")
		return
	}
	for _, f := range n.Fields {
		full := join(path, f.Key)
		i := fieldIndex(v.Type(), f.Key)
		if i < 0 {
			d.problems = append(d.problems, Problem{
				Position: f.KeyPosition, Field: full, Found: unknownField + strconv.Quote(f.Key),
				Expected: OneOf(names), Hint: cmp.Or(DidYouMean(f.Key, names), d.elsewhere(path, f.Key)),
			})
			continue
		}
		d.value(full, f.Value, v.Field(i))
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// fieldNames lists the yaml names of a struct's fields in order.
func fieldNames(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		if name := fieldName(t.Field(i)); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func fieldName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	if name == "-" {
		return ""
	}
	return name
}

func fieldIndex(t reflect.Type, name string) int {
	for i := range t.NumField() {
		if name != "" && fieldName(t.Field(i)) == name {
			return i
		}
	}
	return -1
}

func scalarField(t reflect.Type) int {
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("scalar") == "true" {
			return i
		}
	}
	return -1
}

func (d *decoder) slice(path string, n *Node, v reflect.Value) {
	if n.Kind != List {
		d.fail(path, n, "a list such as "+example(v.Type()), "")
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Items), len(n.Items)))
	d.items(path, n, v)
}

func (d *decoder) items(path string, n *Node, v reflect.Value) {
	for i, item := range n.Items {
		if item.Kind == Null {
			d.fail(fmt.Sprintf("%s[%d]", path, i), item, "a value", "")
			continue
		}
		d.value(fmt.Sprintf("%s[%d]", path, i), item, v.Index(i))
	}
}

func example(t reflect.Type) string {
	if t.Elem().Kind() == reflect.Bool {
		return "[true, false]"
	}
	return "[8, 8, 8]"
}

func (d *decoder) scalar(path string, n *Node, v reflect.Value) {
	if n.Kind != Scalar {
		d.fail(path, n, scalarExpectation(v), "")
		return
	}
	var err error
	switch v.Kind() {
	case reflect.String:
		v.SetString(n.Text)
	case reflect.Bool:
		err = setBool(v, n.Text)
	case reflect.Int, reflect.Int64:
		var i int64
		if i, err = strconv.ParseInt(n.Text, 10, v.Type().Bits()); err == nil {
			v.SetInt(i)
		}
	case reflect.Uint64:
		var u uint64
		if u, err = strconv.ParseUint(n.Text, 10, 64); err == nil {
			v.SetUint(u)
		}
	default:
		panic("config: a field of type " + v.Type().String() + " cannot be decoded")
	}
	if err != nil {
		d.fail(path, n, scalarExpectation(v), rangeHint(err))
	}
}

func setBool(v reflect.Value, text string) error {
	if text != "true" && text != "false" {
		return strconv.ErrSyntax
	}
	v.SetBool(text == "true")
	return nil
}

func scalarExpectation(v reflect.Value) string {
	switch v.Kind() {
	case reflect.String:
		return "a word"
	case reflect.Bool:
		return "true or false"
	case reflect.Uint64:
		return "a whole number, not negative"
	default:
		return "a whole number"
	}
}

func rangeHint(err error) string {
	if errors.Is(err, strconv.ErrRange) {
		return "it does not fit 64 bits"
	}
	return ""
}
