package fabricast_test

import (
	"os"
	"strings"
	"testing"

	"fabricast"
	"fabricast/internal/producttest"
	"fabricast/report"
)

// TestReadme holds the result that README.md shows against what the command
// prints now, up to the figures that depend on the machine.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	e, err := fabricast.Load("examples/quickstart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := report.Text(&text, producttest.Run(t, e)); err != nil {
		t.Fatal(err)
	}
	prediction, _, found := strings.Cut(text.String(), "simulated in")
	if !found {
		t.Fatalf("the text has no line of effort:\n%s", text.String())
	}
	for line := range strings.Lines(prediction) {
		if !strings.Contains(string(readme), "    "+line) {
			t.Errorf("README.md lacks the line %q", line)
		}
	}
}
