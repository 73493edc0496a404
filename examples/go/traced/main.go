// Command traced compares runs of a program with replays of its trace. A master assigns each task
// to the worker that requests one first. The trace fixes the order in which workers requested tasks
// when it was recorded. On another machine the program would assign tasks in another order, but a
// replay does not.
package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"fabricast"
	"fabricast/experiment"
	"fabricast/mpi"
	"fabricast/replay"
	"fabricast/topology"
	"fabricast/trace"
	"fabricast/trace/formats"
)

// Number of tasks, and size of each result in bytes.
const (
	tasks  = 500
	result = 4 << 10
)

// Tags of messages.
const (
	tagResult = iota // result of a task; the first one of a worker means that it is ready
	tagTask
)

// noTask tells a worker that all tasks have been assigned.
const noTask = -1

func main() {
	if err := compare(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// machine is a simulated machine on which the program runs.
type machine struct {
	name string
	link fabricast.Rate
	slow int // factor by which every other worker computes longer
}

// machines lists the machines that are compared. The trace is recorded on the first one.
var machines = []machine{
	{"as recorded", 8 * fabricast.GBPerSecond, 1},
	{"links of a tenth", 8 * fabricast.GBPerSecond / 10, 1},
	{"every other worker takes twice as long", 8 * fabricast.GBPerSecond, 2},
	{"every other worker takes four times as long", 8 * fabricast.GBPerSecond, 4},
}

// compare prints, for each machine, the predicted time of a run and of a replay of the trace.
func compare(out io.Writer) error {
	folder, err := os.MkdirTemp("", "traced-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "trace.fbt")
	if err := record(&machines[0], path, folder); err != nil {
		return err
	}
	fmt.Fprintf(out, "%-45s %12s %12s %8s\n", "machine", "executed", "replayed", "error")
	for i := range machines {
		m := &machines[i]
		executed, err := m.executed().Run(context.Background())
		if err != nil {
			return err
		}
		replayed, err := m.replayed(path)
		if err != nil {
			return err
		}
		off := 100 * (float64(replayed)/float64(executed.SimulatedTime) - 1)
		fmt.Fprintf(out, "%-45s %12v %12v %+6.1f %%\n", m.name, executed.SimulatedTime, replayed, off)
	}
	return nil
}

// record runs the program on a machine and writes its trace to path.
func record(m *machine, path, folder string) error {
	recorder := replay.NewRecorder(path, folder, 0)
	defer recorder.Abandon()
	if _, err := m.executed().Run(context.Background(), fabricast.WrapPrograms(recorder.Wrap)); err != nil {
		return err
	}
	return recorder.Close()
}

// replayed returns the predicted time of a replay of the trace on the machine.
func (m *machine) replayed(path string) (fabricast.Time, error) {
	source, err := formats.Open(path, trace.Options{})
	if err != nil {
		return 0, err
	}
	scale := replay.Scale{Ranks: map[int]float64{}}
	for rank := range source.Ranks() {
		scale.Ranks[rank] = float64(m.slowness(rank))
	}
	job, err := replay.New(source, replay.Options{Scale: scale})
	if err != nil {
		return 0, err
	}
	e := m.experiment()
	e.Launch = job.Launcher()
	r, err := e.Run(context.Background())
	if err != nil {
		return 0, err
	}
	return r.SimulatedTime, nil
}

// slowness returns the factor by which a rank computes longer than on the first machine.
func (m *machine) slowness(rank int) int {
	if rank%2 == 1 {
		return m.slow
	}
	return 1
}

// experiment returns an experiment with a torus of 4x4x4 routers and no program.
func (m *machine) experiment() *fabricast.Experiment {
	e := &fabricast.Experiment{
		Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{4, 4, 4}}},
		Ranks:   64,
	}
	e.Network.Link.Bandwidth, e.Network.HostLink.Bandwidth = m.link, m.link
	return e
}

// executed returns the experiment with the program. Rank 0 is the master.
func (m *machine) executed() *fabricast.Experiment {
	e := m.experiment()
	e.Program = func(rank *mpi.Rank) {
		if rank.Rank() == 0 {
			master(rank)
		} else {
			work(rank, mpi.Duration(m.slowness(rank.Rank())))
		}
	}
	return e
}

// master answers every result with the next task, until no task is left.
func master(rank *mpi.Rank) {
	next := int64(0)
	for busy := rank.Size() - 1; busy > 0; {
		worker := rank.Recv(mpi.Size(result), mpi.AnySource, tagResult).Source
		task := int64(noTask)
		if next < tasks {
			task = next
			next++
		} else {
			busy--
		}
		rank.Send(mpi.Data(binary.LittleEndian.AppendUint64(nil, uint64(task))), worker, tagTask)
	}
}

// work does tasks until the master sends noTask.
func work(rank *mpi.Rank, slowness mpi.Duration) {
	message := make([]byte, 8)
	for {
		rank.Send(mpi.Size(result), 0, tagResult)
		rank.Recv(mpi.Data(message), 0, tagTask)
		task := int64(binary.LittleEndian.Uint64(message))
		if task == noTask {
			return
		}
		rank.Compute(slowness * duration(task))
	}
}

// duration returns the compute time of a task: 20 to 83 us, varying irregularly from task to task.
func duration(task int64) mpi.Duration {
	return mpi.Duration(20+task*37%64) * mpi.Microsecond
}
