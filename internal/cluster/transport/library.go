//go:build cgo && linux && (amd64 || arm64)

package transport

import (
	"fmt"
	"os"
	"strings"

	"fabricast/internal/sharedlib"
)

// LibraryVariable is the environment variable that names the MPI library to load, by its path or by
// a name that the system's loader finds. It replaces the names that are tried by default.
const LibraryVariable = "FABRICAST_MPI"

// Names of MPI libraries, in versions with the same binary interface: the standard interface of MPI
// 5, that of MPICH (also of Intel MPI, MVAPICH and Cray MPICH), and that of Open MPI.
var (
	standardNames = []string{"libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi_abi.so"}
	mpichNames    = []string{"libmpich.so.12", "libmpi.so.12", "libmpi_cray.so.12"}
	openMPINames  = []string{"libmpi.so.40"}
)

// candidates returns the names of libraries that match a launcher, the best first. Processes
// started by Open MPI's mpirun need Open MPI's library; with another they could not connect.
func (l *Launcher) candidates() []string {
	if name := os.Getenv(LibraryVariable); name != "" {
		return []string{name}
	}
	switch l.kind {
	case openMPI:
		return append(append([]string{}, openMPINames...), standardNames...)
	case hydra:
		return append(append([]string{}, standardNames...), mpichNames...)
	}
	return append(append(append([]string{}, standardNames...), mpichNames...), openMPINames...)
}

// library is a loaded MPI library.
type library struct {
	name string
	abi
	initThread, finalize, abort, size, rank uintptr
	isend, irecv, iprobe, getCount, test    uintptr
	iallreduce, ireduceScatterBlock         uintptr
}

// abi holds the constants of a binary interface of MPI, and the offset of the source in a status.
type abi struct {
	world, bytes, int64s, least, sum uintptr
	anySource                        uintptr
	ignore                           uintptr // MPI_STATUS_IGNORE
	source                           int     // offset of MPI_SOURCE in MPI_Status
}

// negative returns a negative int argument.
func negative(n int) uintptr { return uintptr(n) }

var standardABI = abi{
	world: 0x101, bytes: 0x247, int64s: 0x258, least: 0x22, sum: 0x21, anySource: negative(-1),
}

var mpichABI = abi{
	world: 0x44000000, bytes: 0x4c00010d, int64s: 0x4c000809, least: 0x58000002, sum: 0x58000003,
	anySource: negative(-2), ignore: 1, source: 8,
}

// openMPIABI returns the interface of Open MPI, whose constants are addresses.
func openMPIABI(lib *sharedlib.Library) (a abi, err error) {
	a.anySource = negative(-1)
	return a, lib.Find(map[string]*uintptr{
		openMPIWorld: &a.world, "ompi_mpi_byte": &a.bytes, "ompi_mpi_long_long_int": &a.int64s,
		"ompi_mpi_op_min": &a.least, "ompi_mpi_op_sum": &a.sum,
	})
}

// openMPIWorld is a symbol that only Open MPI's library defines.
const openMPIWorld = "ompi_mpi_comm_world"

// load loads the first of the libraries that is installed.
func load(l *Launcher) (*library, error) {
	lib, err := sharedlib.Open(true, l.candidates()...)
	if err != nil {
		return nil, fmt.Errorf(
			"%s has started %d processes, but no MPI library that fits it can be loaded (%s names "+
				"another):\n  %s",
			l.Name, l.Size, LibraryVariable, strings.ReplaceAll(err.Error(), "\n", "\n  "),
		)
	}
	return newLibrary(lib)
}

// newLibrary finds the functions of a library.
func newLibrary(lib *sharedlib.Library) (*library, error) {
	l := &library{name: lib.Name}
	switch {
	case strings.Contains(lib.Name, "mpi_abi"):
		l.abi = standardABI
	case lib.Has(openMPIWorld):
		var err error
		if l.abi, err = openMPIABI(lib); err != nil {
			return nil, err
		}
	default:
		l.abi = mpichABI
	}
	err := lib.Find(map[string]*uintptr{
		"MPI_Init_thread": &l.initThread, "MPI_Finalize": &l.finalize, "MPI_Abort": &l.abort,
		"MPI_Comm_size": &l.size, "MPI_Comm_rank": &l.rank,
		"MPI_Isend": &l.isend, "MPI_Irecv": &l.irecv, "MPI_Iprobe": &l.iprobe,
		"MPI_Get_count": &l.getCount, "MPI_Test": &l.test,
		"MPI_Iallreduce": &l.iallreduce, "MPI_Ireduce_scatter_block": &l.ireduceScatterBlock,
	})
	if err != nil {
		return nil, fmt.Errorf("%s lacks a function of MPI 3: %w", lib.Name, err)
	}
	return l, nil
}
