package setup

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var rewrite = flag.Bool("update", false, "write the files in schema")

// TestSchemaFiles compares the files in the folder schema with the output of the command. With
// -update it writes them.
func TestSchemaFiles(t *testing.T) {
	for kind, make := range schemas {
		want, err := make().JSON()
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join("..", "..", "..", "schema", kind+".json")
		if *rewrite {
			if err := os.WriteFile(name, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if found, err := os.ReadFile(name); err != nil || string(found) != string(want) {
			t.Errorf(
				"%s is not what fabricast schema %s prints (%v); run: go test ./internal/cli/setup -run SchemaFiles -update",
				name, kind, err,
			)
		}
	}
}
