package host

import (
	_ "embed"
	"strings"
)

// The files that programs are compiled with.
var (
	//go:embed mpi.h
	Header string
	//go:embed fabricast_mpi_functions.h
	Functions string
	//go:embed mpif.h
	Include string // for Fortran
	//go:embed fabricast.h
	Extras string
	//go:embed mgen.h
	Mgen string // for NSIM-ACE's programs
	//go:embed mgen-mpi.h
	MgenMPI string // for NSIM's programs
	//go:embed acp.h
	ACP string
	//go:embed extensions.h
	extensions string
	//go:embed fortran.c
	glue string
	//go:embed implemented.h
	implemented string
)

//go:generate env CGO_ENABLED=0 go run ./fortran

// FortranNames lists the functions that Fortran calls.
func FortranNames() []string {
	names := []string{
		"mpi_init_", "mpi_init_thread_", "mpi_pcontrol_", "mpi_waitany_", "mpi_testany_", "mpi_waitsome_", "mpi_testsome_", "mpi_type_extent_",
		"mpi_type_hvector_", "mpi_type_hindexed_", "mpi_type_struct_", "mpi_comm_get_attr_", "mpi_attr_get_", "mpi_wtime_", "mpi_wtick_",
	}
	for line := range strings.Lines(glue) {
		if name, found := strings.CutPrefix(strings.TrimSpace(line), "FC_FORTRAN("); found {
			names = append(names, strings.TrimSuffix(name, ")"))
		}
	}
	return names
}

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
