package experiment

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"

	"github.com/goccy/go-yaml"

	"fabricast/ethernet/control"
	"fabricast/ethernet/paths"
	"fabricast/internal/config"
	"fabricast/internal/option"
	"fabricast/routing"
	"fabricast/topology"
)

// A topology or a routing algorithm is an interface value that holds a struct with the options of
// its kind, which packages topology and routing describe. The functions below read them from files,
// fill in their defaults and write them.

// variantsIn returns the kinds of topology, routing, congestion control and choice of paths that a
// file may contain. If the file names
// no routing algorithm, the default is that of its topology.
func variantsIn(file *config.Node) []config.Variants {
	kind := KindTorus
	if n := config.Get(file, "network.topology.kind"); n != nil && n.Kind == config.Scalar {
		kind = n.Text
	}
	usual := RoutingDOR
	if topology.FindKind(kind) != nil {
		usual = DefaultRouting(kind)
	}
	return []config.Variants{
		{
			Interface: specType, Key: "kind", Part: "a field",
			Words: topology.KindNames(), Default: KindTorus,
			New: func(word string) any {
				if k := topology.FindKind(word); k != nil {
					return k.New()
				}
				return nil
			},
		},
		{
			Interface: reflect.TypeFor[routing.Spec](), Key: "algorithm", Part: "an option", Short: true,
			Words: routing.KindNames(), Default: usual,
			New: func(word string) any {
				if k := routing.FindKind(word); k != nil {
					return k.New()
				}
				return nil
			},
		},
		{
			Interface: reflect.TypeFor[control.Spec](), Key: "algorithm", Part: "an option", Short: true,
			Words: control.KindNames(), Default: ControlNone,
			New: func(word string) any {
				if k := control.FindKind(word); k != nil {
					return k.New()
				}
				return nil
			},
		},
		{
			Interface: reflect.TypeFor[paths.Spec](), Key: "algorithm", Part: "an option", Short: true,
			Words: paths.KindNames(), Default: PathsECMP,
			New: func(word string) any {
				if k := paths.FindKind(word); k != nil {
					return k.New()
				}
				return nil
			},
		},
	}
}

// namesOf returns the names of the options in list.
func namesOf(list []option.Option) []string {
	names := make([]string, len(list))
	for i, o := range list {
		names[i] = o.Name
	}
	return names
}

// partOf returns the topology in option o of another topology, or nil if it is not given.
func partOf(options any, o option.Option) topology.Spec {
	part, _ := reflect.Indirect(reflect.ValueOf(options)).Field(o.Index).Interface().(topology.Spec)
	return part
}

// cloned returns a pointer to a copy of options, which is a struct or a pointer to one.
func cloned(options any) any {
	v := reflect.Indirect(reflect.ValueOf(options))
	c := reflect.New(v.Type())
	c.Elem().Set(v)
	return c.Interface()
}

// take sets options that were not given to the values in defaults, and records that these are
// defaults.
func (f filler) take(path string, list []option.Option, defaults, options any) {
	from, into := reflect.ValueOf(defaults).Elem(), reflect.ValueOf(options).Elem()
	for _, o := range list {
		value, to, at := from.Field(o.Index), into.Field(o.Index), path+"."+o.Name
		if o.Type == specType || !to.IsZero() || value.IsZero() || f.e.positions.Has(at) {
			continue
		}
		to.Set(value)
		if f.e.defaults != nil {
			f.e.defaults[at] = fmt.Sprint(written(to))
		}
	}
}

// fill sets those options that are zero and have a default text for the given kind.
func (f filler) fill(path, kind string, list []option.Option, options any) {
	for _, o := range list {
		to, at := reflect.ValueOf(options).Elem().Field(o.Index), path+"."+o.Name
		if !o.FillsOn(kind) || !to.IsZero() || f.e.positions.Has(at) {
			continue
		}
		if err := setText(to, o.Fill); err != nil {
			panic(fmt.Sprintf("the default of %s: %v", at, err)) // the default is in a struct tag
		}
		if f.e.defaults != nil {
			f.e.defaults[at] = fmt.Sprint(written(to))
		}
	}
}

// setText parses text as if it were a value in a file.
func setText(to reflect.Value, text string) error {
	switch t := to.Addr().Interface().(type) {
	case config.Setter:
		return t.Set(text)
	case encoding.TextUnmarshaler:
		return t.UnmarshalText([]byte(text))
	}
	return yaml.Unmarshal([]byte(text), to.Addr().Interface())
}

// aliased is implemented by word types that accept other texts for some of their words. Aliases
// returns pairs of an alias and its word.
type aliased interface{ Aliases() [][2]string }

// wordsOf returns the words and aliases of an option's type, or nil if the type accepts any text.
func wordsOf(t reflect.Type) []string {
	words := slices.Clone(option.Words(t))
	if a, ok := reflect.New(t).Interface().(aliased); ok {
		for _, pair := range a.Aliases() {
			words = append(words, pair[0])
		}
	}
	return words
}

// optionsYAML returns options in their form in files, after a first field key with value word,
// which names their kind. needed reports whether an option is written even though it is zero.
func optionsYAML(
	key, word string, list []option.Option, options any, needed func(o option.Option) bool,
	part func(spec topology.Spec, o option.Option) any,
) any {
	type entry struct {
		name  string
		value any
	}
	entries := []entry{{key, word}}
	from := reflect.Indirect(reflect.ValueOf(options))
	for _, o := range list {
		switch f := from.Field(o.Index); {
		case f.IsZero() && !needed(o):
		case o.Type == specType:
			entries = append(entries, entry{o.Name, part(partOf(options, o), o)})
		default:
			entries = append(entries, entry{o.Name, written(f)})
		}
	}
	// a struct, because YAML cannot write lists in maps in flow style
	fields := make([]reflect.StructField, len(entries))
	for i, e := range entries {
		tag := e.name
		if reflect.TypeOf(e.value).Kind() == reflect.Slice {
			tag += ",flow"
		}
		fields[i] = reflect.StructField{
			Name: fmt.Sprintf("F%d", i), Type: reflect.TypeOf(e.value),
			Tag: reflect.StructTag(fmt.Sprintf("yaml:%q", tag)),
		}
	}
	form := reflect.New(reflect.StructOf(fields)).Elem()
	for i, e := range entries {
		form.Field(i).Set(reflect.ValueOf(e.value))
	}
	return form.Interface()
}

// written returns the value of an option in its form in files.
func written(v reflect.Value) any {
	switch words := option.Words(v.Type()); {
	case words != nil && v.CanUint() && int(v.Uint()) < len(words):
		return words[v.Uint()]
	case v.Kind() == reflect.Slice && v.Type().Elem().Implements(reflect.TypeFor[fmt.Stringer]()):
		texts := make([]string, v.Len())
		for i := range texts {
			texts[i] = fmt.Sprint(v.Index(i).Interface())
		}
		return texts
	}
	if text, ok := v.Interface().(fmt.Stringer); ok && v.Kind() == reflect.Struct {
		return text.String()
	}
	return v.Interface()
}

// filesOf lists those options of a topology or routing algorithm that name files. get returns the
// options, and set replaces them.
func filesOf(at string, list []option.Option, get func() any, set func(options any)) (files []fileField) {
	value := func(o option.Option) reflect.Value {
		return reflect.Indirect(reflect.ValueOf(get())).Field(o.Index)
	}
	for _, o := range list {
		replace := func(v any) {
			options := cloned(get())
			reflect.ValueOf(options).Elem().Field(o.Index).Set(reflect.ValueOf(v))
			set(reflect.ValueOf(options).Elem().Interface())
		}
		switch {
		case o.Name == "file" && o.Type.Kind() == reflect.String:
			files = append(files, fileField{
				path: value(o).String(), fields: []string{at + ".file"},
				set: func(path string) { replace(path) },
			})
		case o.Type == specType:
			if k := topology.KindOf(partOf(get(), o)); k != nil {
				files = append(files, filesOf(at+"."+o.Name, k.Options, value(o).Interface, replace)...)
			}
		}
	}
	return files
}

// mistake records a mistake that a topology or a routing algorithm found in one of its options.
func (v *validator) mistake(path string, m topology.Mistake) {
	field := path + "." + m.Field
	if m.Found == "0" && v.e.positions != nil && !v.e.positions.Has(field) {
		m.Found = ""
	}
	v.problem(field, m.Found, m.Expected, m.Hint)
}

// Key returns a text that, together with the numbers of virtual channels and NICs, determines all
// routes of a resolved network. ok is false if the routes also depend on a file or on Go code.
func (n *Network) Key() (key string, ok bool) {
	for _, file := range n.files() {
		if file.path != "" {
			return "", false
		}
	}
	ok = describedByKinds(n.Topology) && routing.KindOf(n.Routing) != nil
	return fmt.Sprintf("%#v %#v", n.Topology, n.Routing), ok
}

// describedByKinds reports whether a topology and all its parts are of named kinds.
func describedByKinds(s topology.Spec) bool {
	k := topology.KindOf(s)
	return k != nil && !slices.ContainsFunc(k.Options, func(o option.Option) bool {
		return o.Type == specType && (partOf(s, o) != nil || o.Default == "") && !describedByKinds(partOf(s, o))
	})
}
