package fabricast_test

import (
	"os"
	"strings"
	"testing"

	"fabricast"
)

// TestTopologiesAreDocumented demands that the examples of the documentation are right.
func TestTopologiesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("docs/topologies.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := 0
	for line := range strings.Lines(string(text)) {
		if shape, ok := strings.CutPrefix(line, "    topology: {"); ok {
			examples++
			e, err := fabricast.Parse(
				"docs/topologies.md",
				"network: {topology: {"+strings.TrimSpace(shape)+"\n}\nworkload: {program: barrier}\n",
			)
			if err != nil {
				t.Error(err)
			} else if _, err := e.Layout(); err != nil {
				t.Error(err)
			}
		}
	}
	if examples < 8 {
		t.Errorf("found %d examples", examples)
	}
}
