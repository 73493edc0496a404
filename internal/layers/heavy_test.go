package layers_test

import (
	"os/exec"
	"strings"
	"testing"
)

// heavy are packages that the command did without, and why: each makes the first build slower.
var heavy = map[string]string{
	"html/template": "the report's page is filled in by report/page",
	"go/types":      "for tools only",
	"testing":       "for tests only",
}

// TestCommandStaysLight fails on a package that makes the first build of the command much slower.
func TestCommandStaysLight(t *testing.T) {
	list, err := exec.Command("go", "list", "-deps", "../../cmd/fabricast").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(list))
	for _, p := range packages {
		if why := heavy[p]; why != "" {
			t.Errorf("fabricast links %s: %s", p, why)
		}
	}
	if len(packages) < 100 {
		t.Errorf("%d packages are linked", len(packages))
	}
}
