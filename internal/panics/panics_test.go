package panics_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// elsewhere are folders that are no part of the command.
var elsewhere = []string{
	"tools",
	"examples",
	"testdata",
	"bin",
	"out",
	"web",
	"internal/longrun",
	"internal/panics",
	"internal/ctxwait",
}

// TestGoroutinesAreGuarded fails on a goroutine of the command whose panics would end the process
// in Go's way: on a go statement, and on what starts goroutines with a function that is not
// Guarded.
func TestGoroutinesAreGuarded(t *testing.T) {
	root := filepath.Join("..", "..")
	guarded := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		if d.IsDir() && path != root &&
			(strings.HasPrefix(d.Name(), ".") || slices.Contains(elsewhere, filepath.ToSlash(name))) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		for n := range ast.Preorder(file) {
			if safe, starts := starter(n); starts && !safe {
				t.Errorf(
					"%s: a goroutine whose panics nobody catches: start it with panics.Go or give it panics.Guarded",
					files.Position(n.Pos()),
				)
			} else if starts {
				guarded++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if guarded < 15 {
		t.Errorf("only %d goroutines found", guarded)
	}
}

// starter tells whether something starts a goroutine, and whether its panics are caught.
func starter(n ast.Node) (safe, starts bool) {
	if _, ok := n.(*ast.GoStmt); ok {
		return false, true
	}
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return false, false
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != "Go" && f.Sel.Name != "AfterFunc" {
		return false, false
	}
	if is(call.Fun, "Go") {
		return true, true
	}
	last, ok := call.Args[len(call.Args)-1].(*ast.CallExpr)
	return ok && is(last.Fun, "Guarded"), true
}

// is tells whether an expression is a function of package panics.
func is(e ast.Expr, function string) bool {
	f, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	p, ok := f.X.(*ast.Ident)
	return ok && p.Name == "panics" && f.Sel.Name == function
}
