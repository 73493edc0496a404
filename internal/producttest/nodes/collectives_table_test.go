package nodes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fabricast"
)

// TestCollectivesByTable demands that a collective by name takes its algorithm from the table,
// unless it names one.
func TestCollectivesByTable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rules.txt")
	if err := os.WriteFile(file, []byte("alltoall pairwise bytes>100\nalltoall ring"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := func(collectives, workload, want string) {
		t.Helper()
		text := "network: {topology: {kind: torus, dims: [4, 4]}}\nworkload: {program: alltoall, " + workload + "}\ncollectives: " + collectives
		e, err := fabricast.Parse("test.yaml", text)
		switch {
		case err != nil:
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: found %v, expected %s", collectives, err, want)
			}
		case e.Workload.Algorithm != want:
			t.Errorf("%s: found algorithm %s, expected %s", collectives, e.Workload.Algorithm, want)
		}
	}
	f("", "size: 1MiB", "bruck")
	f("mpich", "size: 1MiB", "pairwise")
	f("mpich", "size: 1MiB, algorithm: ring", "ring")
	f(file, "size: 100B", "ring")
	f(file, "size: 101B", "pairwise")
	f("{table: openmpi, alltoall: butterfly}", "size: 1MiB", "butterfly")
	f("{alltoall: binomial}", "size: 1MiB", "collectives.alltoall: found binomial, expected one of bruck")
	f("mpch", "size: 1MiB", "default, mpich, mpich-4.0, mpich-4.3, nccl, nccl-2.30, openmpi, openmpi-4.0, openmpi-4.1, openmpi-5.0, or the name of a file")
}
