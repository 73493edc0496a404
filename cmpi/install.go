package cmpi

import (
	"fabricast/cmpi/internal/host"
	"fabricast/cmpi/internal/wrappers"
)

// Use describes a function of MPI, and whether it is implemented.
type Use = wrappers.Use

// Install writes the wrapper compilers, such as mpicc and mpicxx, into a folder, and returns their
// names. It needs gcc.
func Install(folder string) ([]string, error) { return wrappers.Install(folder) }

// Missing returns an error that says why this build cannot run programs in C; nil if it can.
func Missing() error { return host.Missing() }

// Functions lists the functions of MPI 3.1.
func Functions() []Use { return wrappers.All() }

// FunctionsOf lists the functions of MPI that an object file or program calls.
func FunctionsOf(path string) ([]Use, error) { return wrappers.UsedBy(path) }
