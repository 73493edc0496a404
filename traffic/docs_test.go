package traffic

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the table of patterns into docs/traffic.md")

// TestDocumentationShowsThePatterns compares the table of patterns in the documentation with Kinds.
// With -rewrite, it updates the table.
func TestDocumentationShowsThePatterns(t *testing.T) {
	const begin, end = "<!-- patterns -->\n", "<!-- end of patterns -->"
	name := filepath.Join("..", "docs", "traffic.md")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	shown, after, ends := strings.Cut(rest, end)
	if !found || !ends {
		t.Fatalf("%s: no lines %q and %q", name, begin, end)
	}
	if shown == markdown() {
		return
	}
	if !*rewrite {
		t.Fatalf("%s shows other patterns than the kinds; run: go test ./traffic -rewrite", name)
	}
	if err := os.WriteFile(name, []byte(before+begin+markdown()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// markdown returns the table of patterns.
func markdown() string {
	var b strings.Builder
	b.WriteString("| pattern | destination of host s among N | source |\n|---|---|---|\n")
	for _, k := range Kinds() {
		destination := k.Destination
		if destination == "" {
			destination = k.Summary
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Name, destination, k.Source)
	}
	return b.String()
}
