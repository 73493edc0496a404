// Package needed is for tests that need something not every machine has: a program, a library, a
// feature of the system.
package needed

import (
	"os"
	"testing"
)

// Missing ends a test whose needs are not met. It skips the test on a developer's machine. It fails
// the test if the environment variable CI is set, as scripts/test does, because there a skipped
// test would go unnoticed.
func Missing(t testing.TB, reason ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(append([]any{"CI is set, so nothing may be missing: "}, reason...)...)
	}
	t.Skip(reason...)
}
