package experiment

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fabricast/internal/schema"
)

var rewrite = flag.Bool("rewrite", false, "write the table of fields into docs/formats/experiment.md")

// documentedFields returns the table of fields without those that have pages of their own: the options
// of topologies, routing and congestion algorithms and traffic patterns, parameters of networks without
// packets, pacing and training.
func documentedFields() string {
	var b strings.Builder
	for line := range strings.Lines(FieldTable()) {
		field, _, _ := strings.Cut(strings.TrimPrefix(line, "| `"), "`")
		option := filepath.Ext(field)
		switch strings.TrimSuffix(field, option) {
		case "network.topology":
			if option != ".kind" {
				continue
			}
		case "network.routing":
			if option != ".algorithm" {
				continue
			}
		case "node.transport.control", "node.transport.paths":
			if option != ".control" && option != ".paths" {
				continue
			}
		case "traffic.pattern", "traffic.pattern.parts[]":
			if option != ".name" {
				continue
			}
		case "network.parameters", "workload.pacing", "workload.model", "workload.parallel", "workload.accelerator",
			"workload.times", "workload.routing", "workload.arrivals", "workload.batching", "workload.pools", "workload.slo":
			continue
		}
		b.WriteString(line)
	}
	return b.String()
}

// TestDocumentationShowsTheFields compares the table in the documentation with that which schemas
// quote. With -rewrite it writes the former.
func TestDocumentationShowsTheFields(t *testing.T) {
	const begin, end = "<!-- fields -->\n\n", "<!-- end of fields -->"
	name := filepath.Join("..", "docs", "formats", "experiment.md")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	shown, after, ends := strings.Cut(rest, end)
	if !found || !ends {
		t.Fatalf("%s: no lines %q and %q", name, begin, end)
	}
	if shown == documentedFields() {
		return
	}
	if !*rewrite {
		t.Fatalf("%s shows another table than fields.txt; run: go test ./experiment -rewrite", name)
	}
	if err := os.WriteFile(name, []byte(before+begin+documentedFields()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestFieldsAreDescribed demands help on every field of experiments, and a field for every row of
// the table.
func TestFieldsAreDescribed(t *testing.T) {
	s := Schema()
	var undescribed []string
	paths := map[string]bool{}
	each(s, s.Defs, "", func(path string, f *schema.Schema) {
		paths[path] = true
		if f.Description == "" && f.Properties == nil && f.Additional == nil && len(f.AnyOf) == 0 {
			undescribed = append(undescribed, path)
		}
	})
	if len(undescribed) > 0 {
		t.Errorf("no help on %v in experiment/fields.txt", undescribed)
	}
	for path := range fieldHelp() {
		if !paths[path] && !strings.HasSuffix(path, ".*") {
			t.Errorf("experiment/fields.txt has a row of %s, which is no field", path)
		}
	}
}

// each visits all fields below a schema, with their paths; types that contain themselves once.
func each(
	s *schema.Schema,
	defs map[string]*schema.Schema,
	path string,
	visit func(path string, f *schema.Schema),
) {
	for _, form := range append([]*schema.Schema{s}, s.AnyOf...) {
		if def := defs[strings.TrimPrefix(form.Ref, schema.Def)]; form.Ref != "" &&
			strings.Count(path, ".") < 2 {
			form = def
		}
		for name, f := range form.Properties {
			visit(strings.TrimPrefix(path+"."+name, "."), f)
			each(f, defs, strings.TrimPrefix(path+"."+name, "."), visit)
		}
		if form.Items != nil {
			each(form.Items, defs, path+"[]", visit)
		}
		if entry, ok := form.Additional.(*schema.Schema); ok {
			each(entry, defs, path+".NAME", visit)
		}
	}
}

// TestWordsAreOfFields demands that tables by path have no path that is not one of a field.
func TestWordsAreOfFields(t *testing.T) {
	paths := Schema().Paths()
	for path := range words {
		if !slices.Contains(paths, path) {
			t.Errorf("words of %s, which is no field", path)
		}
	}
	for path := range bounds {
		if !slices.Contains(paths, path) {
			t.Errorf("bounds of %s, which is no field", path)
		}
	}
}
