package config

import (
	"fmt"
	"strings"
	"testing"

	"fabricast/internal/units"
)

type pipe struct {
	Bandwidth units.Rate `yaml:"bandwidth"`
	Latency   units.Time `yaml:"latency"`
}

type choice struct {
	Name string `yaml:"name" scalar:"true"`
	Tie  string `yaml:"tie"`
}

type sample struct {
	Pipe   pipe   `yaml:"pipe"`
	Spare  pipe   `yaml:"spare"`
	Choice choice `yaml:"choice"`
	Dims   []int  `yaml:"dims"`
	Wrap   []bool `yaml:"wrap"`
	Pair   []int  `yaml:"pair"`
	Seed   uint64 `yaml:"seed"`
	Ranks  int    `yaml:"ranks"`
	Hidden int    `yaml:"-"`

	Named map[string]pipe `yaml:"named"`
	Inner *sample         `yaml:"inner"`
}

// read decodes a text with assignments laid over it.
func read(t *testing.T, text string, sets ...string) (sample, Positions, error) {
	t.Helper()
	var s sample
	root, err := Parse(&Source{Name: "x.yaml", Text: text})
	for _, set := range sets {
		if err == nil {
			root, err = Set(root, set)
		}
	}
	if err != nil {
		return s, nil, err
	}
	positions, problems := Decode(root, &s)
	return s, positions, problems.OrNil()
}

func TestDecode(t *testing.T) {
	s, positions, err := read(t, `
pipe: {bandwidth: 8GB/s, latency: 100ns}
choice: dor
dims: [4, 3]
wrap:
  - true
  - false
pair: [0, 5]
seed: 18446744073709551615
ranks:   # nothing: keeps its default
named: {a: {latency: 7ns}, b/c:}
inner: {inner: {dims: [9]}}
`)
	if err != nil {
		t.Fatal(err)
	}
	if s.Pipe != (pipe{8e9, 100_000}) || s.Choice.Name != "dor" || len(s.Dims) != 2 || s.Dims[1] != 3 ||
		!s.Wrap[0] || s.Wrap[1] || s.Pair[1] != 5 || s.Seed != 1<<64-1 {
		t.Errorf("decoded %+v", s)
	}
	if s.Named["a"].Latency != 7000 || len(s.Named) != 2 || s.Inner.Inner.Dims[0] != 9 {
		t.Errorf("decoded %+v", s)
	}
	if !positions.Has("named.a.latency") || !positions.Has("named.b/c") ||
		!positions.Has("inner.inner.dims[0]") {
		t.Errorf("positions %v", positions)
	}
	if at := positions["pipe.latency"]; at.String() != "x.yaml:2:35" || at.Width != 5 {
		t.Errorf("pipe.latency is at %s, %d wide", at, at.Width)
	}
	if positions.Has("ranks") || !positions.Has("dims[1]") {
		t.Errorf("positions %v", positions)
	}
}

func TestAlias(t *testing.T) {
	s, _, err := read(t, "pipe: &p {bandwidth: 8GB/s, latency: 1ns}\nspare: *p\n", "spare.latency=2ns")
	if err != nil {
		t.Fatal(err)
	}
	if s.Spare != (pipe{8e9, 2000}) || s.Pipe.Latency != 1000 {
		t.Errorf("decoded %+v: an assignment to an alias must leave the anchored value alone", s)
	}
}

func TestSet(t *testing.T) {
	s, positions, err := read(
		t,
		"pipe: {latency: 1ns}\n",
		"pipe.latency=5ns",
		"dims=[2, 2]",
		"choice.tie=up",
		"choice.name=x",
	)
	if err != nil {
		t.Fatal(err)
	}
	if s.Pipe.Latency != 5000 || len(s.Dims) != 2 || s.Choice != (choice{"x", "up"}) {
		t.Errorf("decoded %+v", s)
	}
	if got := positions["pipe.latency"].String(); got != "--set pipe.latency=5ns" {
		t.Errorf("position of an assigned field: %s", got)
	}
}

func TestProblems(t *testing.T) {
	f := func(text string, sets []string, want ...string) {
		t.Helper()
		_, _, err := read(t, text, sets...)
		if err == nil {
			t.Errorf("%q: no error", text)
			return
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q: message lacks %q:\n%s", text, w, err)
			}
		}
	}
	f(
		"pipe:\n  bandwidth: 8gb/s\n",
		nil,
		"x.yaml:2:14: pipe.bandwidth: found 8gb/s, expected a rate such as 8GB/s (did you mean 8GB/s or 8Gb/s?)",
		"   2 |   bandwidth: 8gb/s\n     |              ^^^^^",
	)
	f(
		"pipe: {lattency: 5ns}",
		nil,
		`x.yaml:1:8: pipe.lattency: found unknown field "lattency", expected one of bandwidth, latency (did you mean latency?)`,
	)
	f("bandwidth: 8GB/s", nil, "x.yaml:1:1: bandwidth: found unknown field", "(did you mean pipe.bandwidth or")
	f("pipe: {ranks: 2}", nil, "pipe.ranks: found unknown field", "(did you mean ranks?)")
	f("seed: -1\nranks: 1.5\npair: \"{\"\n", nil,
		"x.yaml:1:7: seed: found -1, expected a whole number, not negative",
		"x.yaml:2:8: ranks: found 1.5, expected a whole number",
		"x.yaml:3:7: pair: found {, expected a list such as [8, 8, 8]")
	f("ranks: 99999999999999999999", nil, "it does not fit 64 bits")
	f("dims: 5", nil, "x.yaml:1:7: dims: found 5, expected a list such as [8, 8, 8]")
	f("dims: [1, two]", nil, "x.yaml:1:11: dims[1]: found two, expected a whole number")
	f("dims: [1, ]\nwrap: [yes]", nil, "wrap[0]: found yes, expected true or false")
	f("dims:\n- 1\n-\n", nil, "dims[1]: found nothing, expected a value")
	f("pipe: 7", nil, "x.yaml:1:7: pipe: found 7, expected a mapping with bandwidth, latency")
	f("pipe: {latency: [1]}", nil, "found a list, expected a time such as 100ns")
	f("ranks: {a: 1}", nil, "found a mapping, expected a whole number")
	f("named: 1", nil, "named: found 1, expected a mapping of names")
	f("named: {a: {late: 1ns}}", nil, `named.a.late: found unknown field "late"`)
	f("hidden: 1", nil, `unknown field "hidden"`)
	f("pipe: {latency: 5ns", nil, "x.yaml:1:", "expected well-formed YAML")
	f(
		"ranks: 1\nranks: 2\n",
		nil,
		"x.yaml:2:1: ranks: found ranks a second time, expected each field once (the first is in line 1)",
	)
	f(
		"inner: {pipe: {latency: 1ns, latency: 2ns}}",
		nil,
		"x.yaml:1:30: inner.pipe.latency: found latency a second time",
	)
	f("ranks: 1\n---\nranks: 2\n", nil, "x.yaml:3:1: found a second document")
	f(
		"pipe:\n\tlatency: 1ns",
		nil,
		"x.yaml:2:1: found a mistake of syntax, expected well-formed YAML (indent with spaces, not with tabs)",
	)
	f(
		"pipe: {latency: 1ns\nranks: 2",
		nil,
		"found a mistake of syntax, expected well-formed YAML (a comma or a } is missing before this)",
	)
	f("pipe: {", nil, "found a mistake of syntax, expected well-formed YAML (")
	f("[1, 2]", nil, "found a list, expected a mapping of fields")
	f("pipe: *p", nil, "found *p, expected an anchor that was defined above")
	f("pipe: &p {x: *p}", nil, "found *p")
	f("<<: {ranks: 1}", nil, "found a merge key")
	f("ranks: !!int 5", nil, "found a YAML tag")
	f("? ranks\n: 5", nil, "found a question mark before the name of a field")
	f("ranks: \xff", nil, "bytes that are not UTF-8")
	f(
		"",
		[]string{"pipe.latency=8NS"},
		"--set pipe.latency=8NS: pipe.latency: found 8NS",
		"     |              ^^^",
	)
	f(
		"",
		[]string{"pipe.lat.x=1"},
		`--set pipe.lat.x=1: pipe.lat: found unknown field "lat"`,
		"     |      ^^^",
	)
	f("", []string{"pipe"}, "found pipe, expected an assignment such as")
	f("", []string{"=5"}, "expected an assignment")
	f("", []string{"ranks="}, "--set ranks=: ranks: found nothing, expected a value, or null for the default")
}

func TestLocateNearest(t *testing.T) {
	_, positions, err := read(t, "pipe: {latency: 1ns}\n")
	if err != nil {
		t.Fatal(err)
	}
	problems := Problems{{Field: "pipe.bandwidth", Found: "nothing", Expected: "a rate"}, {Field: "dims[2]"}}
	positions.Locate(problems)
	if got := problems[0].Position.String(); got != "x.yaml:1:7" {
		t.Errorf("a field that is not written is placed at %s", got)
	}
	if got := problems[1].Position.String(); got != "x.yaml:1:1" {
		t.Errorf("a field of nothing is placed at %s", got)
	}
}

func TestSuggest(t *testing.T) {
	known := []string{"latency", "bandwidth", "vcs", "buffer"}
	f := func(word, want string) {
		t.Helper()
		if got := Suggest(word, known); got != want {
			t.Errorf("Suggest(%q) = %q, want %q", word, got, want)
		}
	}
	f("latencies", "latency")
	f("vc", "vcs")
	f("VCS", "vcs")
	f("bufer", "buffer")
	f("colour", "")
	known = []string{"node", "ranks", "copies", "seed"}
	f("sede", "seed")
	f("rnaks", "ranks")
	f("copy", "copies")
	known = []string{"abcx", "abdc"}
	f("abcd", "abdc") // one exchange, and the same letters
}

func TestByteOrderMark(t *testing.T) {
	s, positions, err := read(t, "\ufeffranks: 5\n")
	if err != nil || s.Ranks != 5 || positions["ranks"].String() != "x.yaml:1:8" {
		t.Errorf("decoded %+v, at %s: %v", s, positions["ranks"], err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("pipe: {bandwidth: 8GB/s}\n", "pipe.latency=1ns")
	f.Add("a: &x [1]\nb: *x\n", "a.b.c={d: 1}")
	f.Add("- 1\n- |\n text\n", "=")
	f.Fuzz(func(t *testing.T, text, set string) {
		root, err := Parse(&Source{Name: "x.yaml", Text: text})
		if err == nil {
			root, err = Set(root, set)
		}
		if err != nil {
			_ = err.Error() // an excerpt must be printable whatever the position
			return
		}
		var s sample
		_, problems := Decode(root, &s)
		_ = problems.Error()
	})
}

// TestManyFields demands that documents are refused if and only if a mapping has too many fields,
// whatever is around it and however it is written.
func TestManyFields(t *testing.T) {
	f := func(n int, style, around string) {
		t.Helper()
		_, err := Parse(&Source{Name: "x", Text: manyFields(n, style, around)})
		if (err != nil) != (n > maxFields) ||
			err != nil && !strings.Contains(err.Error(), "expected at most 1,000") {
			t.Errorf("%d fields as %q in %q: %v", n, style, around, err)
		}
	}
	for _, style := range []string{"%s: 1", "%s:", `"%s": [1, {a: 1}]`, "%s: # none", "%s:\n@  x: 1\n@  y: 2", "%s:\n@- z: 1\n@- z: 2"} {
		for _, around := range []string{"", "m:\n", "m:\n  k:\n", "m:\n- ", "m:\n  - ", "m:\n- - "} {
			f(maxFields, style, around)
			f(maxFields+1, style, around)
		}
	}
	f(20*maxFields, "%s: 1", "")
	f(20*maxFields, "%s: 1", "m:\n")
}

// manyFields is a document with a mapping of n fields, each written in a style in which @ stands
// for its indentation, after the lines around it.
func manyFields(n int, style, around string) string {
	last := around[strings.LastIndexByte(around, '\n')+1:]
	first, indent := last, strings.Repeat(" ", len(last))
	if last == "" {
		indent = strings.Repeat("  ", strings.Count(around, "\n"))
		first = indent
	}
	var b strings.Builder
	b.WriteString(strings.TrimSuffix(around, last))
	for i := range n {
		b.WriteString(
			first + strings.ReplaceAll(fmt.Sprintf(style, fmt.Sprintf("f%d", i)), "@", indent) + "\n",
		)
		first = indent
	}
	if around != "" {
		b.WriteString("after: {a: {b: 1}}\n")
	}
	return b.String()
}
