package experiment

import (
	"slices"
	"strings"
	"testing"

	"fabricast/internal/config"
)

// TestFieldsExplainThemselves demands a text and a kind of value of every field, that no field is
// missing, and that each example is read without a problem.
func TestFieldsExplainThemselves(t *testing.T) {
	var paths []string
	examples := 0
	for _, f := range Fields() {
		paths = append(paths, f.Path)
		if f.Value == "" {
			t.Errorf("%s: nothing on its values", f.Path)
		}
		if f.Text == "" && f.Default == "" && !strings.HasPrefix(f.Value, "a mapping") && !strings.HasPrefix(f.Value, "a list") &&
			!strings.Contains(f.Value, "a mapping") {
			t.Errorf("%s: no text", f.Path)
		}
		if f.Example == "" {
			continue
		}
		examples++
		root, err := config.Parse(&config.Source{Name: f.Path, Text: f.Example})
		if err != nil {
			t.Errorf("%s: %s: %v", f.Path, f.Example, err)
			continue
		}
		if _, problems := config.Decode(root, &Experiment{}, variantsIn(root)...); len(problems) > 0 {
			t.Errorf("%s: %s: %v", f.Path, f.Example, problems)
		}
		if f.Set == "" {
			continue
		}
		if _, err := Assign(&config.Node{Kind: config.Mapping}, f.Set); err != nil {
			t.Errorf("%s: %v", f.Set, err)
		}
	}
	for _, path := range Schema().Paths() {
		if path != "" && !slices.Contains(paths, path) && !strings.Contains(path, "topology.block") &&
			!strings.Contains(path, "topology.outer") {
			t.Errorf("%s is not explained", path)
		}
	}
	if slices.Sort(paths); len(slices.Compact(slices.Clone(paths))) != len(paths) {
		t.Errorf("a field is explained twice")
	}
	if examples < 150 {
		t.Errorf("only %d of %d fields have an example", examples, len(paths))
	}
}

func TestExplainedValues(t *testing.T) {
	byPath := map[string]Field{}
	for _, f := range Fields() {
		byPath[f.Path] = f
	}
	vcs := byPath["network.router.vcs"]
	if vcs.Value != "a whole number" || *vcs.Least != 1 || *vcs.Most != 32 || vcs.Set != "network.router.vcs=4" ||
		!strings.HasPrefix(vcs.Default, "2, or") || strings.Contains(vcs.Text, "](") {
		t.Errorf("%+v", vcs)
	}
	if l := byPath["network.link.latency"]; l.Unit != "time" || l.Example != "network: {link: {latency: 50ns}}" {
		t.Errorf("%+v", l)
	}
	if s := byPath["workload.size"]; s.Unit != "bytes" || len(s.Programs) < 5 || s.Programs[0].Text == "" {
		t.Errorf("%+v", s)
	}
	kind := byPath["network.topology.kind"]
	if len(kind.Words) < 5 || kind.Words[0].Word != "torus" || kind.Words[0].Text == "" || kind.Default != "torus" {
		t.Errorf("%+v", kind)
	}
}

// Of the fields of one row of the table, each has its own part of the text and its own default, if
// the row has as many.
func TestFieldsOfARow(t *testing.T) {
	want := map[string][2]string{
		"network.link.latency":   {"latency of the cable (of a link between two routers)", "100ns"},
		"network.link.bandwidth": {"bandwidth in each direction (of a link between two routers)", "8GB/s"},
		"mapping":                {"assigns ranks to hosts: linear", "linear"},
		"mapping.order":          {"assigns ranks to hosts: linear", "linear"},
		"noise.lose":             {"duration of a loss, at most half of that", ""},
		"faults.events[].to":     {"when the fault begins and ends", "never"},
	}
	for _, f := range Fields() {
		if w, ok := want[f.Path]; ok && (!strings.HasPrefix(f.Text, w[0]) || f.Default != w[1]) {
			t.Errorf("%s: %q, default %q; want %q", f.Path, f.Text, f.Default, w)
		}
		delete(want, f.Path)
	}
	if len(want) > 0 {
		t.Errorf("no such fields: %v", want)
	}
}
