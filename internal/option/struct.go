package option

import "reflect"

// Struct is the type of the options of a kind, as a value. S is what kinds of one concept have in
// common, and the options implement.
type Struct[S any] struct{ of reflect.Type }

// StructOf returns the type O of options. It panics if O does not implement S.
func StructOf[O, S any]() Struct[S] {
	t := reflect.TypeFor[O]()
	if !t.Implements(reflect.TypeFor[S]()) {
		panic(t.String() + " is no " + reflect.TypeFor[S]().String())
	}
	return Struct[S]{t}
}

// Fields returns the options, with the texts in `long`, by name, of those whose tag would be too
// long.
func (t Struct[S]) Fields(long map[string]string) []Option { return Of(t.of, long) }

// New returns a pointer to options of which none is set.
func (t Struct[S]) New() any { return reflect.New(t.of).Interface() }

// Spec returns what options, a pointer like that of New, describe.
func (t Struct[S]) Spec(options any) S { return reflect.ValueOf(options).Elem().Interface().(S) }

// Describes reports whether s is options of this type, or a pointer to such.
func (t Struct[S]) Describes(s S) bool {
	of := reflect.TypeOf(s)
	return of == t.of || of == reflect.PointerTo(t.of)
}

// Copy returns a pointer, like that of New, to a copy of s, which this type describes.
func (t Struct[S]) Copy(s S) any {
	c := reflect.New(t.of)
	c.Elem().Set(reflect.Indirect(reflect.ValueOf(s)))
	return c.Interface()
}
