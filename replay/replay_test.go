package replay_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/mpi"
	"fabricast/replay"
	"fabricast/topology"
	"fabricast/trace"
	"fabricast/trace/formats"
)

// memory is a trace of records in memory.
type memory struct {
	groups [][]int32
	ranks  [][]trace.Record
	damage error // error after the last record of rank 0, if not nil
}

func (m *memory) Format() string    { return "memory" }
func (m *memory) Ranks() int        { return len(m.ranks) }
func (m *memory) Groups() [][]int32 { return m.groups }
func (m *memory) Open(rank int) (trace.Stream, error) {
	s := &memoryStream{records: m.ranks[rank]}
	if rank == 0 {
		s.damage = m.damage
	}
	return s, nil
}

type memoryStream struct {
	records []trace.Record
	at      int
	damage  error
}

func (s *memoryStream) Faults() trace.Faults { return trace.Faults{} }
func (s *memoryStream) Events() int64        { return int64(s.at) }
func (s *memoryStream) Recorded() int64      { return 0 }
func (s *memoryStream) Next(r *trace.Record) error {
	if s.at == len(s.records) {
		if s.damage != nil {
			return s.damage
		}
		return io.EOF
	}
	*r = s.records[s.at]
	s.at++
	return nil
}

// topologies returns a generator of topologies.
func topologies() *rapid.Generator[topology.Spec] {
	return rapid.SampledFrom([]topology.Spec{
		topology.TorusSpec{
			Dims: []int{4, 2, 2},
		}, topology.MeshSpec{Dims: []int{3, 6}}, topology.DragonflySpec{P: 2, A: 4, H: 2}, topology.KaryTreeSpec{K: 4, N: 2},
	})
}

// run runs an experiment, and returns its result hash.
func run(t interface{ Fatal(...any) }, e fabricast.Experiment, workers int) string {
	result, err := e.Run(context.Background(), fabricast.Workers(workers))
	if err != nil {
		t.Fatal(err)
	}
	return result.Hash
}

// program is a random program, available as a trace and as a program in Go. All ranks of a group
// perform the same steps, so that sends and receives match.
type program struct {
	ranks int
	even  []int32
	steps []step
}

type step struct {
	kind    int
	shift   int   // distance in ranks between partners
	size    int64 // bytes
	compute int64 // computation in ps, multiplied by rank + 1
	root    int
	even    bool // the collective is of the even ranks
}

func drawProgram(t *rapid.T) program {
	p := program{ranks: rapid.IntRange(2, 16).Draw(t, "ranks")}
	for r := int32(0); int(r) < p.ranks; r += 2 {
		p.even = append(p.even, r)
	}
	for range rapid.IntRange(1, 6).Draw(t, "steps") {
		s := step{
			kind: rapid.IntRange(0, 9).Draw(t, "kind"), shift: rapid.IntRange(1, p.ranks-1).Draw(t, "shift"),
			size: rapid.Int64Range(0, 40_000).
				Draw(t, "size"),
			compute: rapid.Int64Range(0, 1_000_000).Draw(t, "compute"),
			even:    rapid.Bool().Draw(t, "even"),
		}
		s.root = rapid.IntRange(0, len(p.even)-1).Draw(t, "root")
		p.steps = append(p.steps, s)
	}
	return p
}

// kinds holds the collectives of steps of kind 3 and above.
var kinds = []trace.CollectiveKind{
	trace.Barrier,
	trace.Broadcast,
	trace.Gather,
	trace.Allgather,
	trace.Alltoall,
	trace.Allreduce,
	trace.ReduceScatter,
}

// trace returns the program as a trace.
func (p *program) trace() *memory {
	m := &memory{groups: [][]int32{nil, p.even}, ranks: make([][]trace.Record, p.ranks)}
	for rank := range p.ranks {
		for i, s := range p.steps {
			m.ranks[rank] = append(m.ranks[rank], p.records(rank, i, s)...)
		}
	}
	return m
}

// records returns the records of step i of a rank.
func (p *program) records(rank, i int, s step) (list []trace.Record) {
	to, from := int32((rank+s.shift)%p.ranks), int32((rank+p.ranks-s.shift)%p.ranks)
	send := trace.Message{Peer: to, Tag: int32(i), Size: s.size, Request: uint64(2 * i)}
	receive := trace.Message{Receive: true, Peer: from, Tag: int32(i), Size: s.size, Request: uint64(2*i + 1)}
	list = append(list, trace.Record{Kind: trace.Compute, Duration: s.compute * int64(rank+1)})
	switch s.kind {
	case 0:
		return append(list, trace.Record{Kind: trace.Exchange, Message: send, Other: receive})
	case 1:
		return append(
			list,
			trace.Record{Kind: trace.Start, Message: receive},
			trace.Record{Kind: trace.Start, Message: send},
			trace.Record{Kind: trace.Wait, Requests: []uint64{receive.Request, send.Request}},
		)
	case 2:
		receive.Peer = trace.Any
		return append(
			list,
			trace.Record{Kind: trace.Start, Message: receive},
			trace.Record{Kind: trace.Send, Message: send},
			trace.Record{Kind: trace.Wait, Requests: []uint64{receive.Request}},
		)
	}
	o := trace.Operation{Kind: kinds[s.kind-3], Root: int32(s.root), Size: s.size}
	if s.even {
		o.Group = 1
		if rank%2 != 0 {
			return list
		}
	}
	return append(list, trace.Record{Kind: trace.Collective, Call: o})
}

// main runs the program on a rank.
func (p *program) main(r *mpi.Rank, groups *mpi.Groups) {
	me := r.Rank()
	even := groups.Comm(r, 1)
	for i, s := range p.steps {
		r.Compute(mpi.Duration(s.compute * int64(me+1)))
		to, from, buf := (me+s.shift)%p.ranks, (me+p.ranks-s.shift)%p.ranks, mpi.Size(int(s.size))
		switch s.kind {
		case 0:
			r.Sendrecv(buf, to, i, buf, from, i)
		case 1:
			in := r.Irecv(buf, from, i)
			r.WaitAll([]mpi.Request{in, r.Isend(buf, to, i)})
		case 2:
			in := r.Irecv(buf, mpi.AnySource, i)
			r.Send(buf, to, i)
			r.Wait(in)
		default:
			c := &r.Comm
			if s.even {
				if c = even; c == nil {
					continue
				}
			}
			call(c, kinds[s.kind-3], s)
		}
	}
}

// call calls a collective.
func call(c *mpi.Comm, kind trace.CollectiveKind, s step) {
	one, all := mpi.Size(int(s.size)), mpi.Size(int(s.size)*c.Size())
	const a = collective.Default
	switch kind {
	case trace.Barrier:
		c.Barrier(a)
	case trace.Broadcast:
		c.Broadcast(one, s.root, a)
	case trace.Gather:
		c.Gather(one, all, s.root, a)
	case trace.Allgather:
		c.Allgather(one, all, a)
	case trace.Alltoall:
		c.Alltoall(all, all, a)
	case trace.Allreduce:
		c.Allreduce(one, one, nil, a)
	case trace.ReduceScatter:
		c.ReduceScatter(all, one, nil, a)
	}
}

// TestProgram compares the replay of a trace with a program in Go that makes the same calls.
func TestProgram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t)
		e := fabricast.Experiment{
			Network: experiment.Network{Topology: topologies().Draw(t, "network")},
			Ranks:   p.ranks,
		}
		inGo := e
		groups := mpi.NewGroups([][]int32{nil, p.even}, nil)
		inGo.Program = func(r *mpi.Rank) { p.main(r, groups) }
		want := run(t, inGo, 1)
		workers := rapid.IntRange(1, 3).Draw(t, "workers")
		if got := run(t, replayed(t, e, p.trace(), replay.Options{}), workers); got != want {
			t.Fatalf("hash %s, the program's is %s", got, want)
		}
	})
}

// replayed returns an experiment that replays a trace.
func replayed(
	t interface{ Fatal(...any) },
	e fabricast.Experiment,
	s trace.Trace,
	o replay.Options,
) fabricast.Experiment {
	job, err := replay.New(s, o)
	if err != nil {
		t.Fatal(err)
	}
	e.Launch = job.Launcher()
	return e
}

// TestUneven replays uneven collectives, and checks that each data block is received, and nothing
// else.
func TestUneven(t *testing.T) {
	for _, kind := range []trace.CollectiveKind{trace.Gather, trace.Scatter, trace.Allgather, trace.Alltoall, trace.ReduceScatter} {
		const ranks = 5
		m, want := &memory{groups: [][]int32{nil}, ranks: make([][]trace.Record, ranks)}, int64(0)
		for rank := range ranks {
			o := trace.Operation{Kind: kind, Uneven: true, Root: 2, Size: int64(100 * (rank + 1))}
			switch kind {
			case trace.Gather:
				if rank != 2 {
					want += o.Size
				}
			case trace.Allgather:
				want += 4 * o.Size
			case trace.Scatter:
				if o.Blocks = blocks(ranks, 0); rank == 2 {
					want += 1 + 2 + 4 + 5
				}
			default:
				o.Blocks = blocks(ranks, int64(rank))
				for to, b := range o.Blocks {
					if to != rank {
						want += b
					}
				}
			}
			m.ranks[rank] = []trace.Record{{Kind: trace.Collective, Call: o}}
		}
		e := replayed(
			t,
			fabricast.Experiment{Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{5}}}},
			m,
			replay.Options{},
		)
		result, err := e.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := result.PayloadBytes; got != want {
			t.Errorf("%s: %d bytes, want %d", kind, got, want)
		}
	}
}

// blocks returns the data block sizes of a rank for n ranks.
func blocks(n int, rank int64) (list []int64) {
	for to := range int64(n) {
		list = append(list, 10*rank+to+1)
	}
	return list
}

// TestScan replays prefix reductions of 1 to 9 ranks, and checks that data of all lower ranks
// reaches each rank.
func TestScan(t *testing.T) {
	for ranks := 1; ranks <= 9; ranks++ {
		m, want := &memory{groups: [][]int32{nil}, ranks: make([][]trace.Record, ranks)}, int64(0)
		for d := 1; d < ranks; d *= 2 {
			want += int64(ranks - d)
		}
		for rank := range ranks {
			m.ranks[rank] = []trace.Record{
				{Kind: trace.Collective, Call: trace.Operation{Kind: trace.Scan, Size: 8}},
			}
		}
		e := replayed(
			t,
			fabricast.Experiment{
				Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{9}}},
				Ranks:   ranks,
			},
			m,
			replay.Options{},
		)
		result, err := e.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if result.Messages != want {
			t.Errorf("%d ranks: %d messages, want %d", ranks, result.Messages, want)
		}
	}
}

// TestComputeScales checks the factor of computation.
func TestComputeScales(t *testing.T) {
	m := &memory{groups: [][]int32{nil}, ranks: [][]trace.Record{{{Kind: trace.Compute, Duration: 1000}}}}
	e := replayed(
		t,
		fabricast.Experiment{
			Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{2}}},
			Ranks:   1,
		},
		m,
		replay.Options{Scale: replay.Scale{Compute: 2.5}},
	)
	result, err := e.Run(t.Context())
	if err != nil || result.SimulatedTime != 2500 {
		t.Errorf("%v after %d ps, want 2500", err, result.SimulatedTime)
	}
}

// TestDamage checks that a damaged trace is replayed up to the damage in a partial replay, and
// fails otherwise.
func TestDamage(t *testing.T) {
	damage := &trace.Error{File: "x.evt", Offset: 7, What: "record", Found: "nothing", Expected: "a record"}
	m := &memory{
		groups: [][]int32{nil},
		damage: damage,
		ranks:  [][]trace.Record{{{Kind: trace.Compute, Duration: 1000}}, {}},
	}
	e := fabricast.Experiment{Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{2}}}}
	whole := replayed(t, e, m, replay.Options{})
	if _, err := whole.Run(t.Context()); err == nil || !strings.Contains(err.Error(), damage.Error()) {
		t.Errorf("error %v, want %v", err, damage)
	}
	job, err := replay.New(m, replay.Options{Partial: true})
	if err != nil {
		t.Fatal(err)
	}
	e.Launch = job.Launcher()
	if result, err := e.Run(t.Context()); err != nil || result.SimulatedTime != 1000 {
		t.Errorf("in part: %v", err)
	}
	if r := job.Report(); len(r.Damage) != 1 || !errors.Is(r.Damage[0], damage) {
		t.Errorf("reported %v", r.Damage)
	}
}

// TestSamples replays traces of real programs, and checks that the result does not depend on the
// number of workers.
func TestSamples(t *testing.T) {
	for path, want := range map[string]int64{"otf2/stencil4d-32": 992, "ti/np32": 0, "ti/actions_waitall.txt": 3, "ti/actions_alltoall.txt": 6} {
		if testing.Short() && path == "ti/np32" { // takes ten seconds
			continue
		}
		source, err := formats.Open("../trace/testdata/"+path, trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e := fabricast.Experiment{
			Network: experiment.Network{Topology: topology.DragonflySpec{P: 2, A: 4, H: 2}},
			Ranks:   source.Ranks(),
		}
		one := replayed(t, e, source, replay.Options{})
		result, err := one.Run(t.Context(), fabricast.Workers(1))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if want != 0 && result.Messages != want {
			t.Errorf("%s: %d messages, want %d", path, result.Messages, want)
		}
		if hash := run(t, replayed(t, e, source, replay.Options{}), 3); hash != result.Hash {
			t.Errorf("%s: hash %s with three workers, %s with one", path, hash, result.Hash)
		}
	}
}

// TestScales checks the factors of regions, ranks and messages.
func TestScales(t *testing.T) {
	records := func() []trace.Record {
		return []trace.Record{
			{Kind: trace.Compute, Duration: 1000},
			{Kind: trace.Enter, Name: "solve"},
			{Kind: trace.Compute, Duration: 100},
			{Kind: trace.Enter, Name: "inner"},
			{Kind: trace.Compute, Duration: 10},
			{Kind: trace.Leave, Name: "inner"},
			{Kind: trace.Leave, Name: "solve"},
			{Kind: trace.Compute, Duration: 1},
		}
	}
	m := &memory{groups: [][]int32{nil}, ranks: [][]trace.Record{records(), records()}}
	e := fabricast.Experiment{Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{2}}}}
	for _, c := range []struct {
		scale replay.Scale
		want  fabricast.Time
	}{
		{replay.Scale{}, 1111},
		{replay.Scale{Regions: map[string]float64{"solve": 2, "inner": 3}}, 1000 + 200 + 60 + 1},
		{replay.Scale{Ranks: map[int]float64{1: 4}}, 4444},
		{replay.Scale{Compute: 2, Ranks: map[int]float64{0: 0.5}}, 2222},
	} {
		scaled := replayed(t, e, m, replay.Options{Scale: c.scale})
		if result, err := scaled.Run(t.Context()); err != nil || result.SimulatedTime != c.want {
			t.Errorf("%+v: %v after %d ps, want %d", c.scale, err, result.SimulatedTime, c.want)
		}
	}
	program := program{
		ranks: 2,
		even:  []int32{0},
		steps: []step{{kind: 1, shift: 1, size: 1000}, {kind: 7, size: 1000}},
	}
	bytes := func(t trace.Trace, s replay.Scale, fatal *testing.T) int64 {
		e := replayed(fatal, e, t, replay.Options{Scale: s})
		result, err := e.Run(fatal.Context())
		if err != nil {
			fatal.Fatal(err)
		}
		return result.PayloadBytes
	}
	for _, of := range []trace.Trace{program.trace(), chained(program.trace())} {
		if one, three := bytes(of, replay.Scale{}, t), bytes(of, replay.Scale{Messages: 3}, t); one == 0 ||
			three != 3*one {
			t.Errorf("%d bytes, with messages three times as large %d", one, three)
		}
	}
	if _, err := replay.New(m, replay.Options{Scale: replay.Scale{Messages: -1}}); err == nil {
		t.Error("a factor below 0 is accepted")
	}
}
