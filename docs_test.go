package fabricast_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// files lists the repository's files with an ending, but not those of hidden
// folders and of other modules.
func files(t *testing.T, ending string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != "." &&
			(strings.HasPrefix(name, ".") || name == "tools" || name == "testdata" || name == "bin" || name == "out" || name == "node_modules") {
			return fs.SkipDir
		}
		if strings.HasSuffix(name, ending) {
			list = append(list, path)
		}
		return nil
	})
	if err != nil || len(list) == 0 {
		t.Fatalf("%d files, %v", len(list), err)
	}
	return list
}

// TestLinks demands that links of the documentation lead somewhere.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)\)`)
	for _, file := range files(t, ".md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range link.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), match[1])); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", file, match[1])
			}
		}
	}
}

// TestPackagesAreDocumented demands a package comment of every package.
func TestPackagesAreDocumented(t *testing.T) {
	documented := map[string]bool{}
	for _, file := range files(t, ".go") {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		syntax, err := parser.ParseFile(
			token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments,
		)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Dir(file)
		documented[folder] = documented[folder] || syntax.Doc != nil
	}
	for folder, ok := range documented {
		if !ok {
			t.Errorf("the package in %s has no comment", folder)
		}
	}
}
