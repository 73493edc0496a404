package option_test

import (
	"encoding"
	"reflect"
	"strings"
	"testing"

	"fabricast/internal/option"
)

// hue is a type of words.
type hue uint8

var hues = []string{"red", "green"}

func (h *hue) Words() []string { return hues }

func (h *hue) UnmarshalText(text []byte) error { return option.Parse(h, text, hues) }

var (
	_ option.Worded            = (*hue)(nil)
	_ encoding.TextUnmarshaler = (*hue)(nil)
)

type shade struct {
	Hue    hue      `yaml:"hue" help:"'red' or 'green'" default:"'red'"`
	Depth  int      `yaml:"depth,omitempty"`
	Layers []hue    `yaml:"layers" help:"a|b" default:"-"`
	Hidden string   `yaml:"-"`
	Name   string   `yaml:"name" help:"its name" fill:"grey" on:"wall,floor"`
	Paths  []string `yaml:"paths" help:"where"`
}

func TestOptionsFollowFromTags(t *testing.T) {
	list := option.Of(reflect.TypeFor[shade](), map[string]string{"depth": "in 'mm'"})
	var names []string
	for _, o := range list {
		names = append(names, o.Name)
	}
	if got := strings.Join(names, " "); got != "hue depth layers name paths" {
		t.Fatal(got)
	}
	if name := list[3]; !name.FillsOn("wall") || name.FillsOn("roof") || list[0].FillsOn("wall") {
		t.Errorf("%+v", list)
	}
	more := []option.Option{{Name: "depth", Help: "in `mm`", Default: "2"}, {Name: "hue", Help: "any"}}
	got := option.Table("at", []option.Kind{{Name: "wall", Options: list}, {Name: "roof", Options: more}})
	want := "| `at.hue` | `wall`: `red` or `green`; `roof`: any | `red`; `roof`: *needed* |\n" +
		"| `at.depth` | `wall`, `roof`: in `mm` | *needed*; `roof`: 2 |\n" +
		"| `at.layers` | `wall`: a\\|b |  |\n" +
		"| `at.name` | `wall`: its name | *needed* |\n" +
		"| `at.paths` | `wall`: where | *needed* |\n"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestSet(t *testing.T) {
	var s shade
	f := func(to, from any, right bool) {
		t.Helper()
		err := option.Set(reflect.ValueOf(to).Elem(), reflect.ValueOf(from))
		if (err == nil) != right {
			t.Error(err)
		}
	}
	f(&s.Hue, "green", true)
	f(&s.Hue, "", true) // stays
	f(&s.Hue, "blue", false)
	f(&s.Layers, []string{"red", "green"}, true)
	f(&s.Layers, []string{"red", "blue"}, false)
	f(&s.Depth, 3, true)
	f(&s.Depth, "3", false)
	if s.Hue != 1 || s.Depth != 3 || !reflect.DeepEqual(s.Layers, []hue{0, 1}) {
		t.Errorf("%+v", s)
	}
}
