package layers_test

import (
	"flag"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fabricast/internal/layers"
)

const module = "fabricast"

// elsewhere are folders that hold other modules or no packages of this one's library.
var elsewhere = []string{"tools", "examples", "web", "testdata", "bin", "out"}

// imports yields each import of a package of this module by files other than tests.
func imports(t *testing.T, yield func(file, from, to string)) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root &&
			(strings.HasPrefix(d.Name(), ".") || slices.Contains(elsewhere, d.Name())) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		from := filepath.ToSlash(filepath.Dir(name))
		yield(name, from, "")
		for _, i := range file.Imports {
			to, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			if to == module {
				yield(name, from, ".")
			} else if to, ours := strings.CutPrefix(to, module+"/"); ours {
				yield(name, from, to)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestImportsFollowTheLayers fails on a package that the table does not place, on an import that
// does not go down, and on what the table allows without need.
func TestImportsFollowTheLayers(t *testing.T) {
	level := map[string]int{}
	for i, layer := range layers.Table {
		for _, p := range layer.Packages {
			if _, twice := level[p]; twice {
				t.Errorf("package %s stands in two layers", p)
			}
			level[p] = i
		}
	}
	found, used := map[string]bool{}, map[[2]string]bool{}
	imports(t, func(file, from, to string) {
		found[from] = true
		if slices.Contains(layers.Tests, from) {
			return
		}
		own, placed := level[from]
		if !placed {
			t.Errorf("%s: package %s has no place in the table of layers", file, from)
			return
		}
		if to == "" {
			return
		}
		under, placed := level[to]
		switch {
		case slices.Contains(layers.Tests, to):
			t.Errorf("%s: %s imports %s, which is for tests", file, from, to)
		case !placed:
			t.Errorf("%s: %s imports %s, which has no place in the table of layers", file, from, to)
		case under == own && slices.Contains(layers.Table[own].Inside[from], to):
			used[[2]string{from, to}] = true
		case under <= own:
			t.Errorf("%s: %s (%s) imports %s (%s): only layers below its own are allowed",
				file, from, layers.Table[own].Name, to, layers.Table[under].Name)
		}
	})
	for _, layer := range layers.Table {
		for from, list := range layer.Inside {
			for _, to := range list {
				if !used[[2]string{from, to}] {
					t.Errorf("the table allows %s to import %s, which it does not", from, to)
				}
			}
		}
	}
	for p := range level {
		if !found[p] {
			t.Errorf("the table places %s, which does not exist", p)
		}
	}
}

// transport is what loads an MPI library and reads what a launcher has left in the environment.
const transport = "internal/cluster/transport"

// TestOnlyStartersImportMPI holds that all that simulates knows groups of processes only, and not how
// they communicate: the command and the facade join them.
func TestOnlyStartersImportMPI(t *testing.T) {
	found := map[string]bool{}
	imports(t, func(file, from, to string) {
		if to != transport {
			return
		}
		found[from] = true
		if from != "." && from != "internal/cli/runs" {
			t.Errorf("%s: %s imports %s, which is for who starts processes", file, from, to)
		}
	})
	if len(found) != 2 {
		t.Errorf("%v import %s", found, transport)
	}
}

var rewrite = flag.Bool("rewrite", false, "write the table of layers into docs/architecture.md")

// TestArchitectureShowsTheLayers compares the table in docs/architecture.md with the one in code.
// With -rewrite it writes the former.
func TestArchitectureShowsTheLayers(t *testing.T) {
	const begin, end = "<!-- layers -->\n", "<!-- end of layers -->"
	name := filepath.Join("..", "..", "docs", "architecture.md")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	shown, after, ends := strings.Cut(rest, end)
	if !found || !ends {
		t.Fatalf("%s: no lines %q and %q", name, begin, end)
	}
	if shown == layers.Markdown() {
		return
	}
	if !*rewrite {
		t.Fatalf("%s shows other layers than the table; run: go test ./internal/layers -rewrite", name)
	}
	if err := os.WriteFile(name, []byte(before+begin+layers.Markdown()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
