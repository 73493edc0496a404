package layers_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// named is a function or method of a package, or a field of experiments, in backquotes.
var named = regexp.MustCompile("`([a-z]+)\\.(\\w+(?:\\.\\w+)?)`")

// TestWaysNameFunctions holds the ways of fields in docs/architecture.md against the code: every
// step names a function, and all functions and types named there exist.
func TestWaysNameFunctions(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## The ways of three fields\n")
	section, _, _ = strings.Cut(section, "\n## ")
	ways := strings.Split(section, "\n**`")[1:]
	if len(ways) != 3 {
		t.Fatalf("found %d ways, expected 3", len(ways))
	}
	declared := map[string]map[string]bool{}
	for _, way := range ways {
		field, steps, _ := strings.Cut(way, "`**")
		for step := range strings.SplitSeq(steps, ";\n") {
			functions := 0
			for _, n := range named.FindAllStringSubmatch(step, -1) {
				if n[1] == "network" { // a field
					continue
				}
				functions++
				if declared[n[1]] == nil {
					declared[n[1]] = declarations(t, n[1])
				}
				if !declared[n[1]][n[2]] {
					t.Errorf("%s: package %s has no %s", field, n[1], n[2])
				}
			}
			if functions == 0 {
				t.Errorf("%s: a step without a function: %s", field, step)
			}
		}
	}
}

// declarations are the functions, methods and types of a package of this module.
func declarations(t *testing.T, name string) map[string]bool {
	t.Helper()
	var files []string
	for _, folder := range []string{"internal", "", "fabric/internal"} {
		found, err := filepath.Glob(filepath.Join("..", "..", folder, name, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	list := map[string]bool{}
	for _, file := range files {
		syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				list[receiver(d)+d.Name.Name] = true
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						list[s.Name.Name] = true
					}
				}
			}
		}
	}
	return list
}

// receiver is the type of a method with a dot; of a function "".
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	of := d.Recv.List[0].Type
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	if name, ok := of.(*ast.Ident); ok {
		return name.Name + "."
	}
	return ""
}
