//go:build invariants || race

package panics

import "os"

// Provoked is the environment variable that makes the named goroutines panic when they start, for
// tests.
const Provoked = "FABRICAST_PANIC"

// Provoke panics if a test has requested it for the named goroutine.
func Provoke(name string) {
	if os.Getenv(Provoked) == name {
		panic("provoked for " + name)
	}
}
