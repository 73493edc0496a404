package replay_test

import (
	"io"
	"path/filepath"
	"runtime"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/replay"
	"fabricast/topology"
	"fabricast/trace"
	"fabricast/trace/convert"
	"fabricast/trace/formats"
)

// steps is a trace of two ranks that exchange a message in each of the given number of steps.
type steps int

func (n steps) Format() string    { return "memory" }
func (n steps) Ranks() int        { return 2 }
func (n steps) Groups() [][]int32 { return [][]int32{nil} }
func (n steps) Open(rank int) (trace.Stream, error) {
	return &stepStream{peer: int32(1 - rank), left: int(n)}, nil
}

type stepStream struct {
	memoryStream
	peer       int32
	left, part int
	request    uint64
}

func (s *stepStream) Next(r *trace.Record) error {
	if s.left == 0 {
		return io.EOF
	}
	*r = trace.Record{Kind: trace.Compute, Duration: 1_000_000}
	if s.part > 0 {
		*r = trace.Record{Kind: trace.Start, Message: trace.Message{Receive: s.part == 1, Peer: s.peer, Size: 64}}
		s.request++
		r.Message.Request = s.request
	}
	if s.part++; s.part == 4 {
		*r = trace.Record{Kind: trace.Wait, Requests: []uint64{s.request - 1, s.request - 2}}
		s.part = 0
		s.left--
	}
	return nil
}

// watched measures the memory in use at regular numbers of records or tasks of rank 0.
type watched struct {
	seen int
	most uint64
}

func (w *watched) look() {
	const every = 4000
	if w.seen++; w.seen%every != 0 {
		return
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	w.most = max(w.most, m.HeapAlloc)
}

type watchedSource struct {
	trace.Source
	*watched
}

func (w watchedSource) Open(rank int) (trace.Stream, error) {
	s, err := w.Source.Open(rank)
	if rank == 0 && err == nil {
		s = watchedStream{s, w.watched}
	}
	return s, err
}

type watchedStream struct {
	trace.Stream
	*watched
}

func (w watchedStream) Next(r *trace.Record) error { w.look(); return w.Stream.Next(r) }

type watchedGraph struct {
	trace.Graph
	*watched
}

func (w watchedGraph) OpenTasks(rank int) (trace.TaskStream, error) {
	s, err := w.Graph.OpenTasks(rank)
	if rank == 0 && err == nil {
		s = watchedTasks{s, w.watched}
	}
	return s, err
}

type watchedTasks struct {
	trace.TaskStream
	*watched
}

func (w watchedTasks) Next(t *trace.Task) error { w.look(); return w.TaskStream.Next(t) }

// TestLength checks that the memory of a replay does not grow with the length of the trace.
func TestLength(t *testing.T) {
	e := fabricast.Experiment{
		Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{2}}},
		Ranks:   2,
	}
	for _, ending := range convert.Endings {
		var most []uint64
		for _, n := range []steps{2_000, 10_000} {
			path := filepath.Join(t.TempDir(), "a"+ending)
			if _, err := convert.Write(path, n, convert.Part{}); err != nil {
				t.Fatal(err)
			}
			opened, err := formats.Open(path, trace.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var w watched
			switch s := opened.(type) {
			case trace.Source:
				opened = watchedSource{s, &w}
			case trace.Graph:
				opened = watchedGraph{s, &w}
			}
			run(t, replayed(t, e, opened, replay.Options{}), 1)
			most = append(most, w.most)
		}
		const slack = 1 << 20
		if most[0] == 0 || most[1] > most[0]+slack {
			t.Errorf("%s: %d bytes with 2,000 steps, %d with 10,000", ending, most[0], most[1])
		}
	}
}
