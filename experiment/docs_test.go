package experiment

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fabricast/ethernet/control"
	"fabricast/ethernet/paths"
	"fabricast/fabric"
	"fabricast/internal/option"
	"fabricast/routing"
	"fabricast/topology"
)

// TestDocumentationShowsTheKinds compares the tables in the documentation with what topologies and
// algorithms say of themselves. With -rewrite it writes the former.
func TestDocumentationShowsTheKinds(t *testing.T) {
	documented(t, "topologies.md", "kinds", topologyTable())
	documented(t, "routing.md", "kinds", routingTable())
	documented(t, "congestion.md", "control", controlTable())
	documented(t, "congestion.md", "paths", pathsTable())
}

// documented demands that a page of docs has a text between the marks of a name.
func documented(t *testing.T, page, mark, want string) {
	t.Helper()
	begin, end := "<!-- "+mark+" -->\n", "<!-- end of "+mark+" -->"
	name := filepath.Join("..", "docs", page)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	shown, after, ends := strings.Cut(rest, end)
	if !found || !ends {
		t.Fatalf("%s: no lines %q and %q", name, begin, end)
	}
	switch {
	case shown == want:
	case !*rewrite:
		t.Errorf("%s shows others; run: go test ./experiment -rewrite", name)
	default:
		if err := os.WriteFile(name, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func topologyTable() string {
	var b strings.Builder
	b.WriteString("| kind | description | fields | routers | hosts | links per router | diameter |\n")
	b.WriteString("|---|---|---|---|---|---|---|\n")
	for _, k := range topology.Kinds() {
		m := k.Manual
		fmt.Fprintf(
			&b, "| [`%s`](#%s) | %s | %s | %s | %s | %s | %s |\n",
			k.Name, m.Section, k.Summary, optionList(k.Options), m.Routers, m.Hosts, m.Links, m.Diameter,
		)
	}
	return b.String()
}

func routingTable() string {
	var b strings.Builder
	b.WriteString("| `algorithm` | options | networks | routes | VCs needed | source |\n")
	b.WriteString("|---|---|---|---|---|---|\n")
	for _, k := range routing.Kinds() {
		m := k.Manual
		networks := m.Networks
		if networks == "" {
			networks = k.Networks
		}
		row := fmt.Sprintf(
			"| ['%s'](#%s) | %s | %s | %s | %s | %s |\n",
			k.Name, m.Section, optionList(k.Options), networks, m.Routes, m.VCs, m.Source,
		)
		b.WriteString(quotes.Replace(row))
	}
	return b.String()
}

func controlTable() string {
	var b strings.Builder
	b.WriteString("| `algorithm` | description | limits | learns from | source |\n|---|---|---|---|---|\n")
	for _, k := range control.Kinds() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", k.Name, k.Summary, k.Limits, k.Signals, k.Source)
	}
	var kinds []option.Kind
	for _, k := range control.Kinds() {
		kinds = append(kinds, option.Kind{Name: k.Name, Options: k.Options})
	}
	return b.String() + optionRows("node.transport.control", kinds)
}

func pathsTable() string {
	var b strings.Builder
	b.WriteString("| `algorithm` | description | source |\n|---|---|---|\n")
	var kinds []option.Kind
	for _, k := range paths.Kinds() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Name, k.Summary, k.Source)
		kinds = append(kinds, option.Kind{Name: k.Name, Options: k.Options})
	}
	return b.String() + optionRows("node.transport.paths", kinds)
}

// optionRows is a table of the options of all kinds, by their names.
func optionRows(path string, kinds []option.Kind) string {
	rows := strings.ReplaceAll(option.Table(path, kinds), "| `"+path+".", "| `")
	return "\n| option | meaning | default |\n|---|---|---|\n" + rows
}

// quotes are those of Markdown for those of descriptions, but for genitives.
var quotes = strings.NewReplacer("'s ", "'s ", "'", "`")

func optionList(list []option.Option) string {
	if len(list) == 0 {
		return ""
	}
	return "`" + strings.Join(namesOf(list), "`, `") + "`"
}

// TestKindsDescribeThemselves demands of every topology and algorithm what help, documentation and
// tests need, and that the texts of its tags are right.
func TestKindsDescribeThemselves(t *testing.T) {
	check := func(name, summary string, options []option.Option, examples []string) {
		t.Helper()
		if summary == "" || strings.Contains(summary, "\n") || len(examples) == 0 {
			t.Errorf("%s: summary %q, examples %q", name, summary, examples)
		}
		for _, o := range options {
			if o.Help == "" || o.Default == "" && o.Fill != "" {
				t.Errorf("%s: %+v", name, o)
			}
			if o.Fill == "" {
				continue
			}
			if words := option.Words(o.Type); words != nil && !slices.Contains(words, o.Fill) {
				t.Errorf("%s: %s is none of the words %q of %s", name, o.Fill, words, o.Name)
			} else if err := setText(reflect.New(o.Type).Elem(), o.Fill); err != nil {
				t.Errorf("%s: %s: %v", name, o.Name, err)
			}
		}
	}
	for _, k := range topology.Kinds() {
		check(k.Name, k.Summary, k.Options, k.Examples)
		if k.Routing != "" && routing.FindKind(k.Routing) == nil {
			t.Errorf("%s: there is no routing %s", k.Name, k.Routing)
		}
	}
	for _, k := range routing.Kinds() {
		check(k.Name, k.Summary, k.Options, k.Examples)
	}
	for _, k := range control.Kinds() {
		check(k.Name, k.Summary, k.Options, k.Examples)
	}
	for _, k := range paths.Kinds() {
		check(k.Name, k.Summary, k.Options, k.Examples)
	}
}

// TestWords: every type of fixed words reads each of them, and refuses others.
func TestWords(t *testing.T) {
	types := map[reflect.Type]bool{}
	for _, lists := range [][][]option.Option{topologyOptions(), routingOptions(), controlOptions(), pathsOptions()} {
		for _, list := range lists {
			for _, o := range list {
				types[o.Type] = true
			}
		}
	}
	for _, v := range []any{
		fabric.Arbiter(0), fabric.Queues(0), fabric.Allocation(0), fabric.Allocator(0), fabric.Injection(0),
	} {
		types[reflect.TypeOf(v)] = true
	}
	worded := 0
	for of := range types {
		words := option.Words(of)
		if words == nil {
			continue
		}
		worded++
		for i, word := range words {
			v := reflect.New(of)
			if err := v.Interface().(option.Worded).UnmarshalText([]byte(word)); err != nil {
				t.Errorf("%s: %v", of, err)
			}
			if e := v.Elem(); e.CanUint() && e.Uint() != uint64(i) ||
				e.Kind() == reflect.String && e.String() != word {
				t.Errorf("%s: %s is %v", of, word, e)
			}
		}
		if of == reflect.TypeFor[topology.Arrangement]() {
			continue // checks of networks refuse others
		}
		if err := reflect.New(of).Interface().(option.Worded).UnmarshalText([]byte("neither")); err == nil {
			t.Errorf("%s reads a word that it does not have", of)
		}
	}
	if worded < 12 {
		t.Errorf("found %d types of words", worded)
	}
}
