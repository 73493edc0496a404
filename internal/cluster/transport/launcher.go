package transport

import (
	"os"
	"runtime"
	"strconv"
)

// Launcher describes how this process was started beside others.
type Launcher struct {
	Name  string // for people
	Rank  int
	Size  int // processes that it has started, at least 2
	Local int // of these, on this machine; 0 if it does not say
	kind  kind
}

// kind is what a launcher offers to an MPI library.
type kind int

const (
	openMPI kind = iota // mpirun of Open MPI
	hydra               // mpirun of MPICH and of libraries made from it; srun --mpi=pmi2
	slurm               // srun with another interface
)

// Variables of the environment by which launchers number processes: those of Open MPI
// come before those of Slurm, because its mpirun may itself use srun.
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

// Launched returns the launcher that has started this process with others. It returns false if
// there is none, or if it has started one process only.
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

// number returns the number in a variable of the environment.
func number(variable string) (int, bool) {
	n, err := strconv.Atoi(os.Getenv(variable))
	return n, err == nil && n >= 0
}

// Joins reports whether processes of the launcher can begin the use of MPI where they may have
// none: with srun some libraries would end them.
func (l Launcher) Joins() bool { return l.kind != slurm }

// Workers is the number of workers for each process, so that those on this machine use its cores
// once. What the launcher has bound the process to counts, not what the machine has.
func (l Launcher) Workers() int {
	return max(1, runtime.GOMAXPROCS(0)/max(1, l.Local))
}
