package fabricast

import (
	"os"
	"runtime/debug"

	"fabricast/internal/cluster"
	"fabricast/internal/cluster/transport"
	"fabricast/internal/run"
)

// Processes are the processes that a launcher (mpirun, srun) has started together. They share the
// runs that have the option Across: each simulates a part of the network, and the result is that of
// one process. See docs/long-runs.md.
//
// All processes must call the same methods and run the same experiments in the same order. A nil
// Processes is one process by itself.
type Processes struct {
	mpi      *transport.MPI
	launcher transport.Launcher
}

// JoinProcesses joins this process to the others of its launcher, by the MPI library that is there.
// It returns nil if no launcher has started the process, or if it has started only one. A process
// can join once. End must be called at last.
//
// Processes share a run for more memory. So they collect garbage when a quarter has been added, not
// as much again, unless the variable GOGC of the environment says otherwise.
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

// garbage is how much garbage there may be, in percent of the memory in use.
const garbage = 25

// Across shares a run with the other processes. The result is complete in the first process, which
// also records it and reports progress. In the others it has what is summed up over all ranks and
// links only.
func Across(p *Processes) Option { return run.Across(p.group()) }

func (p *Processes) group() cluster.Group {
	if p == nil {
		return nil
	}
	return p.mpi
}

// Rank is the number of this process, from 0.
func (p *Processes) Rank() int {
	if p == nil {
		return 0
	}
	return p.mpi.Rank()
}

// Size is the number of processes.
func (p *Processes) Size() int {
	if p == nil {
		return 1
	}
	return p.mpi.Size()
}

// First reports whether this is the process that speaks for all.
func (p *Processes) First() bool { return p.Rank() == 0 }

// Workers is the number of workers of each process that uses the cores of this machine, which
// processes of the launcher share.
func (p *Processes) Workers() int {
	if p == nil {
		return 0
	}
	return p.launcher.Workers()
}

// Gather returns what each process has passed as data, by process.
func (p *Processes) Gather(data []byte) [][]byte {
	if p == nil {
		return [][]byte{data}
	}
	return cluster.Gather(p.mpi, data)
}

// Least replaces each value by the least that any process has in its place.
func (p *Processes) Least(values []int64) {
	if p != nil {
		p.mpi.Least(values)
	}
}

// Exchange sends to[q] to process q, for each q for which that is not empty, and returns what the
// processes have sent to this one, valid until the next Exchange. So Processes are what
// replay.Recorder.Across takes.
func (p *Processes) Exchange(to [][]byte) [][]byte {
	if p == nil {
		return to
	}
	return p.mpi.Exchange(to)
}

// Swap does what Exchange does where each process sends something to each other one.
func (p *Processes) Swap(to [][]byte) [][]byte {
	if p == nil {
		return to
	}
	return p.mpi.Swap(to)
}

// Settle makes an error of any process one of all. It returns err if it is not nil, and otherwise,
// if another process has an error, a *ProcessError.
func (p *Processes) Settle(err error) error { return run.Settle(err, Across(p)) }

// Abort ends all processes at once, with an exit code, because this one cannot go on.
func (p *Processes) Abort(code int) {
	if p != nil {
		p.mpi.Abort(code)
	}
}

// End ends the use of MPI. All processes must call it, after the last run.
func (p *Processes) End() {
	if p != nil {
		p.mpi.End()
	}
}
