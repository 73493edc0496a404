package transport

import (
	"os"
	"runtime"
	"strconv"
)

// Launcher describes the launcher that started this process together with others.
type Launcher struct {
	Name  string // for messages
	Rank  int
	Size  int // number of processes that it started, at least 2
	Local int // how many of these are on this machine; 0 if unknown
	kind  kind
}

// kind is the interface that a launcher offers to an MPI library.
type kind int

const (
	openMPI kind = iota // mpirun of Open MPI
	hydra               // mpirun of MPICH and of libraries derived from it; srun --mpi=pmi2
	slurm               // srun with another interface
)

// Environment variables in which launchers pass the ranks of processes. Those of Open MPI precede
// those of Slurm, because its mpirun may itself use srun.
var variables = []struct {
	kind              kind
	name              string
	rank, size, local string
}{
	{
		openMPI,
		"mpirun of Open MPI",
		"OMPI_COMM_WORLD_RANK",
		"OMPI_COMM_WORLD_SIZE",
		"OMPI_COMM_WORLD_LOCAL_SIZE",
	},
	{hydra, "mpirun", "PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"},
	{slurm, "srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", ""},
}

// Launched returns the launcher that started this process together with others. It returns false if
// there is none, or if it started only one process.
func Launched() (Launcher, bool) {
	for _, v := range variables {
		rank, known := number(v.rank)
		size, sized := number(v.size)
		if !known || !sized {
			continue
		}
		local, _ := number(v.local)
		return Launcher{v.name, rank, size, local, v.kind}, size > 1
	}
	return Launcher{}, false
}

// number returns the number in an environment variable.
func number(variable string) (int, bool) {
	n, err := strconv.Atoi(os.Getenv(variable))
	return n, err == nil && n >= 0
}

// Joins reports whether the launcher's processes can safely try to initialize MPI. With srun, some
// libraries would end processes that have no MPI.
func (l Launcher) Joins() bool { return l.kind != slurm }

// Workers returns the number of workers for each process, so that the processes on this machine
// together use each core once. It considers the cores to which the launcher has bound the process,
// not all cores of the machine.
func (l Launcher) Workers() int {
	return max(1, runtime.GOMAXPROCS(0)/max(1, l.Local))
}
