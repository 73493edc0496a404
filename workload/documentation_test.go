package workload_test

import (
	"os"
	"strings"
	"testing"

	"fabricast/collective"
	"fabricast/workload"
)

func TestDocumentationListsEverything(t *testing.T) {
	for _, p := range workload.Programs() {
		mentions(t, "../docs/workloads.md", p.Name)
		for _, param := range p.Params {
			if param.Name != "seed" {
				mentions(t, "../docs/workloads.md", param.Name)
			}
		}
	}
	for _, k := range collective.Kinds() {
		for _, name := range append(collective.Names(k), string(k)) {
			mentions(t, "../docs/collectives.md", name)
		}
	}
}

func mentions(t *testing.T, file, name string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "`"+name+"`") {
		t.Errorf("%s does not mention `%s`", file, name)
	}
}
