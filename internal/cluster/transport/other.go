//go:build !cgo || !linux || (!amd64 && !arm64)

package transport

import (
	"errors"
	"fmt"

	"fabricast/internal/cluster"
)

// LibraryVariable is the environment variable that names the MPI library to load.
const LibraryVariable = "FABRICAST_MPI"

// MPI is a group whose processes communicate by MPI. It is not available in this build.
type MPI struct{ cluster.Group }

// Join returns an error: MPI libraries can be loaded only on Linux, on amd64 and arm64. A command
// built without cgo cannot load any library.
func Join(l Launcher) (*MPI, error) {
	return nil, fmt.Errorf("%s has started %d processes: %w", l.Name, l.Size, errOther)
}

var errOther = errors.New("runs over several processes need Linux on amd64 or arm64, and a " +
	"command that was built with cgo (CGO_ENABLED=1); start one process")

// Library returns the name of the MPI library.
func (m *MPI) Library() string { return "" }

// Abort ends all processes.
func (m *MPI) Abort(int) {}

// End ends the use of MPI.
func (m *MPI) End() {}
