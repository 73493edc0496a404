package fabricast

import (
	"os"
	"strings"
	"testing"
)

// TestTopologiesAreDocumented demands a row with its fields for every kind, and
// that the examples of the documentation are right.
func TestTopologiesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("docs/topologies.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	examples := 0
	for line := range strings.Lines(string(text)) {
		if name, rest, ok := strings.Cut(line, "`]("); ok && strings.HasPrefix(name, "| [`") {
			rows[strings.TrimPrefix(name, "| [`")] = rest
		}
		if shape, ok := strings.CutPrefix(line, "    topology: {"); ok {
			examples++
			e, err := Parse("docs/topologies.md", "network: {topology: {"+strings.TrimSpace(shape)+"\n}\nworkload: {program: barrier}\n")
			if err != nil {
				t.Error(err)
			} else if _, err := e.Layout(); err != nil {
				t.Error(err)
			}
		}
	}
	for _, k := range topologyKinds {
		for _, field := range k.fields {
			if !strings.Contains(rows[k.name], "`"+field+"`") {
				t.Errorf("the row of %s lacks %s: %q", k.name, field, rows[k.name])
			}
		}
	}
	if examples < 8 {
		t.Errorf("found %d examples", examples)
	}
}
