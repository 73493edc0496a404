//go:build cgo && linux && amd64

package cmpi_test

import (
	"path/filepath"
	"testing"

	"fabricast"
	"fabricast/internal/producttest"
)

// TestProgramsAreExplained: what programs record explains each of their picoseconds, also of one-sided
// communication, of which many messages are sent at once.
func TestProgramsAreExplained(t *testing.T) {
	for _, name := range []string{"windows", "p2p", "collectives"} {
		for _, kind := range []string{"causes", "causes=full"} {
			e := torus(4)
			e.Record.Set(kind)
			e.Record.Set("messages")
			folder := filepath.Join(t.TempDir(), "run")
			options := []fabricast.Option{fabricast.Workers(2), fabricast.Record(folder)}
			_, result, err := runBy(t, e, compile(t, "testdata/programs/"+name+".c"), options)
			if err != nil {
				t.Fatal(err)
			}
			if err := producttest.Explained(e, result, folder); err != nil {
				t.Errorf("%s, %s: %v", name, kind, err)
			}
		}
	}
}
