// Package built is for tests of the command as it is built for use: without checks of the model's
// invariants, and with what is known of its profile.
package built

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Command returns the path of the command: FABRICAST_COMMAND, as scripts/test sets it once it has built
// the command, or it is built now.
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
