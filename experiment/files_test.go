package experiment

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"fabricast/internal/config"
)

// TestPathsAreRelativeToWhereTheyAreWritten looks at every field that names a file, as found in the
// types: written in the experiment it is relative to that file's folder, in an assignment to the
// current one, and laid over it by a file of another folder to that one.
func TestPathsAreRelativeToWhereTheyAreWritten(t *testing.T) {
	here := t.TempDir()
	t.Chdir(here)
	if err := os.Mkdir("other", 0o777); err != nil {
		t.Fatal(err)
	}
	paths := append(
		filePaths(reflect.TypeFor[Experiment](), "", 0), "mapping", "mapping.order", "collectives",
		"collectives.table",
	)
	if len(paths) < 10 {
		t.Fatalf("found only %d fields that name files: %q", len(paths), paths)
	}
	for _, path := range paths {
		value := "a/b.txt"
		if strings.HasPrefix(path, "mapping") && !strings.HasSuffix(path, ".file") {
			value = filePrefix + value
		}
		empty := parsed(t, filepath.Join("there", "e.yaml"), "{seed: 1}")
		written := config.Put(empty, path, config.Get(parsed(t, "there/e.yaml", "v: "+value), "v"))
		moveTo(written, empty.Position.Source)
		assigned, err := Assign(empty, path+"="+value)
		if err != nil {
			t.Fatal(err)
		}
		laid := config.Put(empty, path, config.Get(parsed(t, "other/sweep.yaml", "v: "+value), "v"))
		for want, root := range map[string]*config.Node{"there": written, ".": assigned, "other": laid} {
			if got, want := locatedFile(t, root), filepath.Join(here, want, "a", "b.txt"); got != want {
				t.Errorf("%s: got %s, want %s", path, got, want)
			}
		}
	}
}

// filePaths are the dotted paths of fields of a type that are named file, one level into topologies
// of topologies.
func filePaths(of reflect.Type, at string, depth int) (paths []string) {
	for i := range of.NumField() {
		f := of.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		path := strings.TrimPrefix(at+"."+name, ".")
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case name == "" || name == "-":
		case name == "file":
			paths = append(paths, path)
		case inner.Kind() == reflect.Struct && depth < 4:
			paths = append(paths, filePaths(inner, path, depth+1)...)
		}
	}
	return paths
}

func parsed(t *testing.T, name, text string) *config.Node {
	t.Helper()
	root, err := config.Parse(&config.Source{Name: name, Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// moveTo makes a tree one that was read from a single source.
func moveTo(n *config.Node, source *config.Source) {
	n.Position.Source = source
	for _, f := range n.Fields {
		moveTo(f.Value, source)
	}
}

// locatedFile is the only file that an experiment of the folder there names.
func locatedFile(t *testing.T, root *config.Node) string {
	t.Helper()
	e := &Experiment{}
	positions, problems := config.Decode(root, e, variantsIn(root)...)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	e.positions = positions
	e.normalize()
	if err := e.locateFiles(root.Position.Source, "there"); err != nil {
		t.Fatal(err)
	}
	found := ""
	for _, f := range e.files() {
		if f.path != "" {
			if found != "" {
				t.Errorf("both %s and %s", found, f.path)
			}
			found = f.path
		}
	}
	return found
}
