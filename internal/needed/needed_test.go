package needed

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestMissing runs itself once more with and without CI, where what it needs is missing.
func TestMissing(t *testing.T) {
	if os.Getenv("FABRICAST_MISSING") != "" {
		Missing(t, "a program")
	}
	f := func(ci, want string, fails bool) {
		t.Helper()
		c := exec.Command(os.Args[0], "-test.run=^TestMissing$", "-test.v")
		c.Env = append(os.Environ(), "FABRICAST_MISSING=yes", "CI="+ci)
		out, err := c.CombinedOutput()
		if (err != nil) != fails || !strings.Contains(string(out), want) ||
			!strings.Contains(string(out), "a program") {
			t.Errorf("CI %q: %v\n%s", ci, err, out)
		}
	}
	f("", "--- SKIP", false)
	f("1", "--- FAIL", true)
}
