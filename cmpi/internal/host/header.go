package host

import (
	_ "embed"
	"strings"
)

// Header and Functions are the files mpi.h and fabricast_mpi_functions.h, which programs are compiled with.
var (
	//go:embed mpi.h
	Header string
	//go:embed fabricast_mpi_functions.h
	Functions string
	//go:embed implemented.h
	implemented string
)

// Prototype is a function of MPI.
type Prototype struct {
	Name      string // MPI_...
	Result    string
	Arguments string // in parentheses
	Here      bool   // it is implemented
}

// Prototypes lists all functions of MPI 3.1.
func Prototypes() []Prototype {
	here := map[string]bool{}
	for line := range strings.Lines(implemented) {
		if name, found := strings.CutPrefix(strings.TrimSpace(line), "FC_IMPLEMENTED("); found {
			here[strings.TrimSuffix(name, ")")] = true
		}
	}
	var list []Prototype
	for line := range strings.Lines(Functions) {
		rest, found := strings.CutPrefix(strings.TrimSpace(line), "FABRICAST_MPI_FUNCTION(")
		if !found {
			continue
		}
		parts := strings.SplitN(strings.TrimSuffix(rest, ")"), ", ", 3)
		list = append(list, Prototype{Name: "MPI_" + parts[1], Result: parts[0], Arguments: parts[2], Here: here[parts[1]]})
	}
	return list
}
