package host

import (
	_ "embed"
	"strings"
)

// The header files that programs are compiled with, and lists of functions.
var (
	//go:embed mpi.h
	Header string
	//go:embed fabricast_mpi_functions.h
	Functions string
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
	//go:embed fortran_written.h
	written string
	//go:embed fortran_attributes.h
	fortranAttributes string
	//go:embed fortran_sizeof.h
	sizes string
	//go:embed implemented.h
	implemented string
)

//go:generate env CGO_ENABLED=0 go run ./fortran

// FortranName returns the linker's name of a function called from Fortran.
func FortranName(name string) string { return strings.ToLower(name) + "_" }

// SectionSuffix is the end of the names of functions for Fortran that receive descriptors of their
// buffers.
const SectionSuffix = "_section_"

// FortranNames lists the linker's names of all functions for Fortran.
func FortranNames() []string {
	names := Written()
	known := map[string]bool{}
	for _, name := range names {
		known[name] = true
	}
	for _, p := range Prototypes() {
		if name := FortranName(p.Name); !known[name] {
			names = append(names, name, strings.TrimSuffix(name, "_")+SectionSuffix)
		}
	}
	return names
}

// Written lists the functions for Fortran that are written by hand rather than derived from C
// functions.
func Written() []string {
	var names []string
	for _, of := range lists(written+fortranAttributes, "FC_WRITTEN") {
		names = append(names, of[0])
	}
	for _, name := range Sizeofs() {
		names = append(names, "mpi_sizeof_"+name+"_")
	}
	return names
}

// Sizeofs lists the kinds of numbers that MPI_Sizeof supports.
func Sizeofs() []string {
	var names []string
	for _, of := range lists(sizes, "SIZEOF") {
		names = append(names, of[0])
	}
	return names
}

// lists returns the arguments of each use of a C macro, one use per line.
func lists(text, macro string) [][]string {
	var list [][]string
	for line := range strings.Lines(text) {
		if rest, found := strings.CutPrefix(strings.TrimSpace(line), macro+"("); found {
			list = append(list, strings.SplitN(strings.TrimSuffix(rest, ")"), ", ", 3))
		}
	}
	return list
}

// Prototype is the C declaration of a function of MPI.
type Prototype struct {
	Name      string // MPI_...
	Result    string
	Arguments string // in parentheses
	Here      bool   // it is implemented
}

// Prototypes lists all functions of MPI 3.1.
func Prototypes() []Prototype {
	here := map[string]bool{}
	for _, of := range lists(implemented, "FC_IMPLEMENTED") {
		here[of[0]] = true
	}
	var list []Prototype
	for _, of := range lists(Functions, "FABRICAST_MPI_FUNCTION") {
		list = append(
			list,
			Prototype{Name: "MPI_" + of[1], Result: of[0], Arguments: of[2], Here: here[of[1]]},
		)
	}
	return list
}
