package bench

import (
	"io"

	"fabricast"
	"fabricast/experiment"
	"fabricast/node"
	"fabricast/replay"
	"fabricast/topology"
	"fabricast/trace"
)

// traceCases returns an all-to-all as a built-in program, and the same messages as a trace of
// tasks, like those of GOAL.
func traceCases() []*Case {
	program := &Case{
		Name: "alltoall-1k", Title: "all-to-all of 512 bytes, all at once, on 1,024 nodes", Workers: 1,
		Full:  Size{Experiment: spread(16, 8, 8), Repeat: 1},
		Short: Size{Experiment: spread(8, 8, 4), Cut: "256 nodes", Repeat: 1},
	}
	tasks := &Case{
		Name: "alltoall-1k-tasks", Title: "the same, replayed from a trace of tasks", Workers: 1,
		Full:  Size{Experiment: asTasks(program.Full.Experiment), Repeat: 1},
		Short: Size{Experiment: asTasks(program.Short.Experiment), Cut: "256 nodes", Repeat: 1},
	}
	return []*Case{program, tasks}
}

// spread returns an all-to-all on a torus.
func spread(dims ...int) fabricast.Experiment {
	return onTorus(
		experiment.Workload{Program: "alltoall", Algorithm: "simple-spread", Size: 512}, dims...,
	)
}

// asTasks returns a replay of an experiment's all-to-all as tasks.
func asTasks(e fabricast.Experiment) fabricast.Experiment {
	ranks := 1
	for _, n := range e.Network.Topology.(topology.TorusSpec).Dims {
		ranks *= n
	}
	size := int64(e.Workload.Size)
	e.Workload, e.Ranks, e.TwoSided = experiment.Workload{}, ranks, true
	e.Launch = func(ranks int) func(rank int) node.Program {
		job, err := replay.New(allToAll{ranks, size}, replay.Options{})
		if err != nil {
			panic(err) // cannot fail without options
		}
		return job.Launcher()(ranks)
	}
	return e
}

// allToAll is a trace in which each rank posts a receive from every other rank and sends to it.
type allToAll struct {
	ranks int
	size  int64
}

// Format implements trace.Trace.
func (allToAll) Format() string { return "tasks" }

// Ranks implements trace.Trace.
func (a allToAll) Ranks() int { return a.ranks }

// Groups implements trace.Trace.
func (allToAll) Groups() [][]int32 { return [][]int32{nil} }

// OpenTasks implements trace.Graph.
func (a allToAll) OpenTasks(rank int) (trace.TaskStream, error) {
	return &allToAllTasks{allToAll: a, rank: rank}, nil
}

// allToAllTasks yields the tasks of a rank: first its receives, then its sends.
type allToAllTasks struct {
	allToAll
	rank, at int
}

// Next implements trace.TaskStream.
func (s *allToAllTasks) Next(t *trace.Task) error {
	others := s.ranks - 1
	if s.at == 2*others {
		return io.EOF
	}
	*t = trace.Task{Kind: trace.TaskReceive, Message: trace.Message{Size: s.size}}
	distance := s.at%others + 1
	t.Message.Peer = int32((s.rank + s.ranks - distance) % s.ranks)
	if s.at >= others {
		t.Kind = trace.TaskSend
		t.Message.Peer = int32((s.rank + distance) % s.ranks)
	}
	s.at++
	return nil
}

// Faults implements trace.TaskStream.
func (s *allToAllTasks) Faults() trace.Faults { return trace.Faults{} }

// Recorded implements trace.TaskStream.
func (s *allToAllTasks) Recorded() int64 { return 0 }

// Events implements trace.TaskStream.
func (s *allToAllTasks) Events() int64 { return int64(s.at) }
