package fabricast

import (
	"os"
	"runtime/debug"

	"fabricast/internal/cluster"
	"fabricast/internal/cluster/transport"
	"fabricast/internal/run"
)

// Processes is a group of processes started together by a launcher (mpirun, srun). They share runs
// that have the option Across: each process simulates a part of the network, and the result equals
// that of a single process. See docs/long-runs.md.
//
// All processes must call the same methods and run the same experiments in the same order. A nil
// *Processes stands for a single process.
type Processes struct {
	mpi      *transport.MPI
	launcher transport.Launcher
}

// JoinProcesses connects this process to the others of its launcher, through the installed MPI
// library. It returns nil if the process was not started by a launcher or is the only one. A
// process can join once, and must call End at the end.
//
// Processes share a run to have more memory. JoinProcesses therefore lowers the garbage collection
// target (GOGC) to 25 percent, unless the environment variable GOGC is set.
func JoinProcesses() (*Processes, error) {
	launcher, launched := transport.Launched()
	if !launched {
		return nil, nil
	}
	mpi, err := transport.Join(launcher)
	if err != nil {
		return nil, err
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	return &Processes{mpi, launcher}, nil
}

// garbage is the GOGC value of joined processes, in percent of the live heap.
const garbage = 25

// Across shares a run among the processes. The first process has the complete result, records it
// and reports progress. The results of the others have only the values summed over all ranks and
// links.
func Across(p *Processes) Option { return run.Across(p.group()) }

func (p *Processes) group() cluster.Group {
	if p == nil {
		return nil
	}
	return p.mpi
}

// Rank returns the rank of this process among the processes, from 0.
func (p *Processes) Rank() int {
	if p == nil {
		return 0
	}
	return p.mpi.Rank()
}

// Size returns the number of processes.
func (p *Processes) Size() int {
	if p == nil {
		return 1
	}
	return p.mpi.Size()
}

// First reports whether this is the first process, which reports for all.
func (p *Processes) First() bool { return p.Rank() == 0 }

// Workers returns the number of workers each process should have so that the processes on this
// machine use all its cores.
func (p *Processes) Workers() int {
	if p == nil {
		return 0
	}
	return p.launcher.Workers()
}

// Gather returns the data passed by every process, indexed by process.
func (p *Processes) Gather(data []byte) [][]byte {
	if p == nil {
		return [][]byte{data}
	}
	return cluster.Gather(p.mpi, data)
}

// Least replaces each value by its minimum over all processes.
func (p *Processes) Least(values []int64) {
	if p != nil {
		p.mpi.Least(values)
	}
}

// Exchange sends to[q] to each process q for which it is not empty. It returns the data received
// from each process, valid until the next Exchange. This makes Processes usable for
// replay.Recorder.Across.
func (p *Processes) Exchange(to [][]byte) [][]byte {
	if p == nil {
		return to
	}
	return p.mpi.Exchange(to)
}

// Swap is like Exchange, but for the case that each process sends data to every other one.
func (p *Processes) Swap(to [][]byte) [][]byte {
	if p == nil {
		return to
	}
	return p.mpi.Swap(to)
}

// Settle makes all processes agree on whether there was an error. It returns err if that is not
// nil. Otherwise it returns a *ProcessError if another process has an error, and nil if none has.
func (p *Processes) Settle(err error) error { return run.Settle(err, Across(p)) }

// Abort ends all processes at once with the given exit code, because this one cannot continue.
func (p *Processes) Abort(code int) {
	if p != nil {
		p.mpi.Abort(code)
	}
}

// End shuts down MPI. All processes must call it, after the last run.
func (p *Processes) End() {
	if p != nil {
		p.mpi.End()
	}
}
