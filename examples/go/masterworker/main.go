// Command masterworker assigns each task to the worker that requests one first. The assignment
// depends on the times at which results reach the master, and therefore on congestion. Large
// results lead to another schedule than small ones, which a trace recorded with small results could
// not show.
package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"slices"

	"fabricast"
	"fabricast/experiment"
	"fabricast/mpi"
	"fabricast/topology"
)

// tasks is the number of tasks.
const tasks = 500

// Tags of messages.
const (
	tagResult = iota // result of a task; the first one of a worker means that it is ready
	tagTask
)

// noTask tells a worker that all tasks have been assigned.
const noTask = -1

func main() {
	for _, size := range []int{64, 64 << 10} {
		s := &schedule{result: size}
		result, err := s.experiment().Run(context.Background())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		n := s.tasksOf(result.Ranks)[1:]
		fmt.Printf("results of %6d bytes: %d tasks in %v, %d to %d for each worker\n",
			size, tasks, result.SimulatedTime, slices.Min(n), slices.Max(n))
	}
}

// schedule is a run of the program and its outcome.
type schedule struct {
	result int   // bytes of a task's result
	worker []int // by task: rank that did it; written only by the master
}

// experiment returns an experiment that runs the program on a torus of 4x4x4 routers, with rank 0
// as the master.
func (s *schedule) experiment() *fabricast.Experiment {
	return &fabricast.Experiment{
		Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{4, 4, 4}}},
		Program: func(rank *mpi.Rank) {
			if rank.Rank() == 0 {
				s.master(rank)
			} else {
				s.work(rank)
			}
		},
	}
}

// master answers every result with the next task, until no task is left.
func (s *schedule) master(rank *mpi.Rank) {
	s.worker = s.worker[:0]
	for busy := rank.Size() - 1; busy > 0; {
		worker := rank.Recv(mpi.Size(s.result), mpi.AnySource, tagResult).Source
		task := noTask
		if len(s.worker) < tasks {
			task = len(s.worker)
			s.worker = append(s.worker, worker)
		} else {
			busy--
		}
		message := binary.LittleEndian.AppendUint64(nil, uint64(task))
		rank.Send(mpi.Data(message), worker, tagTask)
	}
}

// work does tasks until the master sends noTask.
func (s *schedule) work(rank *mpi.Rank) {
	message := make([]byte, 8)
	for {
		rank.Send(mpi.Size(s.result), 0, tagResult)
		rank.Recv(mpi.Data(message), 0, tagTask)
		task := int64(binary.LittleEndian.Uint64(message))
		if task == noTask {
			return
		}
		rank.Compute(duration(task))
	}
}

// duration returns the compute time of a task: 20 to 83 us, varying irregularly from task to task.
func duration(task int64) mpi.Duration {
	return mpi.Duration(20+task*37%64) * mpi.Microsecond
}

// tasksOf returns the number of tasks that each rank did.
func (s *schedule) tasksOf(ranks int) []int {
	n := make([]int, ranks)
	for _, w := range s.worker {
		n[w]++
	}
	return n
}
