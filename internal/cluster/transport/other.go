//go:build !cgo || !linux || (!amd64 && !arm64)

package transport

import (
	"errors"
	"fmt"
)

// LibraryVariable is the variable of the environment that names the MPI library to load.
const LibraryVariable = "FABRICAST_MPI"

// MPI is a group whose processes communicate by MPI. In this build there is none.
type MPI struct{ Group }

// Join returns an error: MPI libraries are loaded on Linux only, on amd64 and arm64, and not by a
// command built without cgo, which does not load libraries at all.
func Join(l Launcher) (*MPI, error) {
	return nil, fmt.Errorf("%s has started %d processes: %w", l.Name, l.Size, errOther)
}

var errOther = errors.New("runs over several processes need Linux on amd64 or arm64, and a " +
	"command that was built with cgo (CGO_ENABLED=1); start one process")

// Library is the name of the MPI library.
func (m *MPI) Library() string { return "" }

// Abort ends all processes.
func (m *MPI) Abort(int) {}

// End ends the use of MPI.
func (m *MPI) End() {}
