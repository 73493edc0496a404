package fabric

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// optional are the parts that only some blocks have.
var optional = map[reflect.Type]bool{
	reflect.TypeFor[ioBuses](): true, reflect.TypeFor[general](): true, reflect.TypeFor[observer](): true,
}

// partsOf are the parts of a type, its fields that are structs of this package, by their places.
func partsOf(t *testing.T, whole reflect.Type) map[reflect.Type]int {
	parts := map[reflect.Type]int{}
	for i := range whole.NumField() {
		f := whole.Field(i).Type
		if f.Kind() == reflect.Pointer && optional[f.Elem()] {
			f = f.Elem()
		}
		if f.Kind() == reflect.Struct && f.PkgPath() == whole.PkgPath() && !whole.Field(i).Anonymous {
			parts[f] = i
		}
	}
	if len(parts) < 10 {
		t.Fatalf("%s: found %d parts", whole, len(parts))
	}
	return parts
}

// TestPartsUseOnlyPartsBeforeThem holds docs/engine.md to its word: a part knows neither the block
// nor general as a whole, and of the other parts only those that come before it.
func TestPartsUseOnlyPartsBeforeThem(t *testing.T) {
	block, path := reflect.TypeFor[Block](), reflect.TypeFor[general]()
	readers := map[reflect.Type]bool{
		reflect.TypeFor[loader](): true, reflect.TypeFor[observer](): true, path: true,
	}
	for _, whole := range []reflect.Type{block, path} {
		parts := partsOf(t, whole)
		for part, at := range parts {
			for i := range part.NumField() {
				f := part.Field(i).Type
				if f.Kind() != reflect.Pointer || part == path {
					continue
				}
				switch other, ok := parts[f.Elem()]; {
				case f.Elem() == block, f.Elem() == path && !readers[part]:
					t.Errorf("part %s has the whole %s", part, f.Elem())
				case ok && other >= at && !readers[part]:
					t.Errorf("part %s uses %s, which does not come before it", part, f.Elem())
				}
			}
		}
	}
}

// TestMapOfPartsIsInTheirOrder compares the tables of docs/engine.md with the types.
func TestMapOfPartsIsInTheirOrder(t *testing.T) {
	page, err := os.ReadFile("../docs/engine.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "## The parts of a block")
	both := strings.SplitN(text, "### On the general path", 2)
	if len(both) != 2 {
		t.Fatal("docs/engine.md has no two tables of parts")
	}
	both[1], _, _ = strings.Cut(both[1], "\n## ")
	for i, whole := range []reflect.Type{reflect.TypeFor[Block](), reflect.TypeFor[general]()} {
		rows := regexp.MustCompile("(?m)^\\| `(\\w+)` \\| ([^|]*)\\|").FindAllStringSubmatch(both[i], -1)
		if len(rows) < 10 {
			t.Errorf("%s: found %d rows", whole, len(rows))
		}
		last := -1
		for _, row := range rows {
			f, ok := whole.FieldByName(row[1])
			if !ok || f.Index[0] <= last {
				t.Errorf("%s is no part of %s, or not in its place", row[1], whole)
				continue
			}
			last = f.Index[0]
			for _, file := range regexp.MustCompile("`(\\w+\\.go)`").FindAllStringSubmatch(row[2], -1) {
				if _, err := os.Stat(file[1]); err != nil {
					t.Errorf("%s: %v", row[1], err)
				}
			}
		}
	}
}

// TestNoTypeGrowsPastReading bounds the methods of a type.
func TestNoTypeGrowsPastReading(t *testing.T) {
	const most = 60
	methods := map[string]int{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
				of := fn.Recv.List[0].Type
				if p, ok := of.(*ast.StarExpr); ok {
					of = p.X
				}
				if name, ok := of.(*ast.Ident); ok {
					methods[name.Name]++
				}
			}
		}
	}
	if len(methods) < 20 {
		t.Errorf("found methods of %d types", len(methods))
	}
	for name, n := range methods {
		if n > most {
			t.Errorf("%s has %d methods, more than %d", name, n, most)
		}
	}
}
