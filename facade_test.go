package fabricast_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// elsewhere are exported names of packages behind the facade that package experiment has too, or that
// are WorkForecast here; those of the ways of lone messages are for packages whatif and place, Fork and UnsaveableError for atlas.
var elsewhere = []string{
	"run.EngineOptimistic", "run.EngineOptimisticCheck", "predict.Work", "predict.Alone", "predict.Passing",
	"predict.Prices", "predict.Way", "predict.AnyRoute", "run.Fork", "run.UnsaveableError",
}

// TestFacadeIsComplete demands that all types and constants of the packages behind the facade, with
// which users read results or find out errors, have their names here too.
func TestFacadeIsComplete(t *testing.T) {
	public := exportedNames(t, ".")
	for _, name := range []string{"predict", "run", "failure"} {
		list := exportedNames(t, filepath.Join("internal", name))
		if len(list) == 0 {
			t.Errorf("package %s has no names", name)
		}
		for _, n := range list {
			if !slices.Contains(public, n) && !slices.Contains(elsewhere, name+"."+n) {
				t.Errorf("%s.%s has no name in package fabricast", name, n)
			}
		}
	}
}

// exportedNames are the types and constants of a package.
func exportedNames(t *testing.T, folder string) (list []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range syntax.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok == token.VAR {
				continue
			}
			for _, s := range g.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					list = append(list, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						list = append(list, n.Name)
					}
				}
			}
		}
	}
	return slices.DeleteFunc(list, func(n string) bool { return !ast.IsExported(n) })
}
