//go:build !unix

package cli

import "os"

// warnings lists the signals by which batch systems warn a job of its end: none on this system.
func warnings() []os.Signal { return nil }

// failOverLimit does nothing: there is no such limit on this system.
func failOverLimit() {}
