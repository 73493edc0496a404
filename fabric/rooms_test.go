package fabric

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoRoomGrowsPastReading bounds the files of a room, and the methods of a type.
func TestNoRoomGrowsPastReading(t *testing.T) {
	const mostFiles, mostMethods = 30, 60
	rooms, err := filepath.Glob("internal/*")
	if err != nil || len(rooms) < 5 {
		t.Fatalf("found rooms %v: %v", rooms, err)
	}
	for _, room := range append(rooms, ".", "model") {
		names, err := filepath.Glob(filepath.Join(room, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		files, methods := 0, map[string]int{}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			files++
			countMethods(t, name, methods)
		}
		if files == 0 || files > mostFiles {
			t.Errorf("%s has %d files, not 1 to %d", room, files, mostFiles)
		}
		for name, n := range methods {
			if n > mostMethods {
				t.Errorf("%s: %s has %d methods, more than %d", room, name, n, mostMethods)
			}
		}
	}
}

// countMethods adds the methods in a file to those of their types.
func countMethods(t *testing.T, file string, methods map[string]int) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv == nil {
			continue
		}
		of := fn.Recv.List[0].Type
		if p, ok := of.(*ast.StarExpr); ok {
			of = p.X
		}
		if name, ok := of.(*ast.Ident); ok {
			methods[name.Name]++
		}
	}
}
