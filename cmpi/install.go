package cmpi

import "fabricast/cmpi/internal/wrappers"

// Use is a function of MPI, and whether it is implemented.
type Use = wrappers.Use

// Install leaves mpicc and mpicxx in a folder, and returns their names. It needs gcc.
func Install(folder string) ([]string, error) { return wrappers.Install(folder) }

// Functions lists the functions of MPI 3.1.
func Functions() []Use { return wrappers.All() }

// FunctionsOf lists the functions of MPI that an object file or program calls.
func FunctionsOf(path string) ([]Use, error) { return wrappers.UsedBy(path) }
