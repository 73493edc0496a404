// Package built is for tests of the command in its production build: without checks of the model's
// invariants. In long tests it is built with profile-guided optimization, as for use.
package built

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Command returns the path of the command. It is FABRICAST_COMMAND, which scripts/test sets after
// it has built the command, or is built now.
func Command(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("FABRICAST_COMMAND"); path != "" {
		return path
	}
	path := filepath.Join(t.TempDir(), "fabricast")
	if out, err := exec.Command("go", "build", "-o", path, "fabricast/cmd/fabricast").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}
