package replay_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/experiment"
	"fabricast/replay"
	"fabricast/topology"
	"fabricast/trace"
	"fabricast/trace/convert"
	"fabricast/trace/formats"
	"fabricast/trace/summary"
)

// TestConvert writes random programs in all formats and replays them. The native format and OTF2
// must give the same result as the program, the other formats the same messages, and both forms of
// GOAL the same result.
func TestConvert(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t)
		for i := range p.steps {
			s := &p.steps[i]
			s.even = false
			// time-independent traces cannot represent receives from any source and even
			// reduce-scatters
			switch {
			case s.kind == 2:
				s.kind = 1
			case s.kind > 2 && kinds[s.kind-3] == trace.ReduceScatter:
				s.kind = 0
			}
		}
		e := fabricast.Experiment{
			Network: experiment.Network{Topology: topologies().Draw(t, "network")},
			Ranks:   p.ranks,
		}
		original := replayed(t, e, p.trace(), replay.Options{})
		want, err := original.Run(t.Context(), fabricast.Workers(1))
		if err != nil {
			t.Fatal(err)
		}
		hashes := map[string]string{}
		for _, ending := range convert.Endings {
			path := filepath.Join(folder, "trace"+ending)
			if _, err := convert.Write(path, p.trace(), convert.Part{}); err != nil {
				t.Fatal(err)
			}
			source, err := formats.Open(path, trace.Options{})
			if err != nil {
				t.Fatal(err)
			}
			again := replayed(t, e, source, replay.Options{})
			got, err := again.Run(t.Context(), fabricast.Workers(1))
			if err != nil {
				t.Fatalf("%s: %v", ending, err)
			}
			if got.Messages != want.Messages || got.PayloadBytes != want.PayloadBytes ||
				(ending == convert.Native || ending == convert.OTF2) && got.Hash != want.Hash {
				t.Fatalf(
					"%s: %d messages, %d bytes, hash %s; want %d, %d, %s",
					ending, got.Messages, got.PayloadBytes, got.Hash, want.Messages,
					want.PayloadBytes, want.Hash,
				)
			}
			hashes[ending] = got.Hash
		}
		if text, binary := hashes[convert.GOAL], hashes[convert.GOALBinary]; text != binary {
			t.Fatalf("GOAL as text gives the result %s, binary %s", text, binary)
		}
	})
}

// TestCut converts only the records within a region.
func TestCut(t *testing.T) {
	compute := func(d int64) trace.Record { return trace.Record{Kind: trace.Compute, Duration: d} }
	enter, leave := trace.Record{
		Kind: trace.Enter,
		Name: "loop",
	}, trace.Record{
		Kind: trace.Leave,
		Name: "loop",
	}
	m := &memory{groups: [][]int32{nil}, ranks: [][]trace.Record{{
		compute(
			1,
		), enter, compute(10), enter, compute(100), leave, leave, compute(1000), enter, compute(10_000), leave, compute(100_000),
	}}}
	for iterations, want := range map[int]fabricast.Time{0: 10_110, 1: 110, 2: 10_110} {
		path := filepath.Join(t.TempDir(), "cut.fbt")
		if _, err := convert.Write(path, m, convert.Part{Region: "loop", Iterations: iterations}); err != nil {
			t.Fatal(err)
		}
		source, err := formats.Open(path, trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e := replayed(
			t,
			fabricast.Experiment{
				Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{2}}},
				Ranks:   1,
			},
			source,
			replay.Options{},
		)
		if result, err := e.Run(t.Context()); err != nil || result.SimulatedTime != want {
			t.Errorf("%d iterations: %v after %d ps, want %d", iterations, err, result.SimulatedTime, want)
		}
	}
}

// TestCutTime converts parts of programs between random times. The part must replay without a
// deadlock, with a matching send and receive for each message.
func TestCutTime(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t)
		for i := range p.steps {
			if s := &p.steps[i]; s.kind == 2 { // a receive from any source
				s.kind = 1
			}
		}
		whole := p.trace()
		longest := int64(0)
		for _, records := range whole.ranks {
			sum := int64(0)
			for _, r := range records {
				sum += r.Duration
			}
			longest = max(longest, sum)
		}
		part := convert.Part{
			From:   rapid.Int64Range(0, longest).Draw(t, "from"),
			Repeat: rapid.IntRange(1, 3).Draw(t, "repeat"),
		}
		part.To = part.From + rapid.Int64Range(1, longest+1).Draw(t, "length")
		e := fabricast.Experiment{
			Network: experiment.Network{Topology: topologies().Draw(t, "network")},
			Ranks:   p.ranks,
		}
		var sums []fabricast.Time
		for _, repeat := range []int{1, part.Repeat} {
			part.Repeat = repeat
			path := filepath.Join(folder, "cut"+rapid.SampledFrom([]string{".fbt", ".otf2"}).Draw(t, "format"))
			if _, err := convert.Write(path, whole, part); err != nil {
				t.Fatal(err)
			}
			source, err := formats.Open(path, trace.Options{})
			if err != nil {
				t.Fatal(err)
			}
			s, err := summary.Read(t.Context(), source, 1, 4)
			if err != nil {
				t.Fatal(err)
			}
			if s.Messages != s.Receives {
				t.Fatalf("%d messages and %d receives", s.Messages, s.Receives)
			}
			again := replayed(t, e, source, replay.Options{})
			if _, err := again.Run(t.Context(), fabricast.Workers(1)); err != nil {
				t.Fatal(err)
			}
			sums = append(sums, fabricast.Time(s.Compute))
		}
		if sums[1] != sums[0]*fabricast.Time(part.Repeat) {
			t.Fatalf("%d ps of computation, %d ps if it is repeated %d times", sums[0], sums[1], part.Repeat)
		}
	})
}

// TestConvertedTracesPredictTheSame checks that programs written as GOAL take as long on the model
// loggops as the programs themselves, and as LogGOPSim predicts for the schedules.
func TestConvertedTracesPredictTheSame(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t)
		for i := range p.steps {
			s := &p.steps[i]
			s.even, s.compute = false, s.compute*1000 // whole nanoseconds
			s.size = max(1, s.size)
		}
		_, network := drawLogGOPS(t)
		e := fabricast.Experiment{Network: network, Ranks: p.ranks}
		original := replayed(t, e, p.trace(), replay.Options{})
		want, err := original.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, ending := range []string{convert.Native, convert.GOAL, convert.GOALBinary} {
			path := filepath.Join(folder, "trace"+ending)
			if _, err := convert.Write(path, p.trace(), convert.Part{}); err != nil {
				t.Fatal(err)
			}
			source, err := formats.Open(path, trace.Options{})
			if err != nil {
				t.Fatal(err)
			}
			again := replayed(t, e, source, replay.Options{})
			got, err := again.Run(t.Context())
			if err != nil || got.SimulatedTime != want.SimulatedTime {
				t.Fatalf("%s: %v, %v, want %v", ending, got.SimulatedTime, err, want.SimulatedTime)
			}
		}
	})
}

// TestTasksAsNative checks that a trace of tasks written in the native format gives the same
// messages as the original trace, on every kind of network.
func TestTasksAsNative(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t, true)
		_, loggops := drawLogGOPS(t)
		network := rapid.SampledFrom([]experiment.Network{
			{Topology: topologies().Draw(t, "network")},
			{Topology: topologies().Draw(t, "network"), Model: experiment.ModelContentionFree},
			loggops,
		}).Draw(t, "model")
		e := fabricast.Experiment{Network: network, Ranks: g.Ranks()}
		o := replay.Options{Sets: rapid.Bool().Draw(t, "sets")}
		path := filepath.Join(folder, "tasks.fbt")
		if _, err := convert.Write(path, g, convert.Part{}); err != nil {
			t.Fatal(err)
		}
		source, err := formats.Open(path, trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		original, again := replayed(t, e, g, o), replayed(t, e, source, o)
		want, wrong := original.Run(t.Context())
		got, err := again.Run(t.Context())
		// If large messages wait for their receives (S), a collective between a send and its
		// receive deadlocks.
		if fmt.Sprint(err) != fmt.Sprint(wrong) {
			t.Fatalf("%v, want %v", err, wrong)
		}
		if err != nil {
			return
		}
		if got.Hash != want.Hash || got.SimulatedTime != want.SimulatedTime || got.Events != want.Events {
			t.Fatalf(
				"hash %s at %v after %d events, want %s at %v after %d", got.Hash, got.SimulatedTime, got.Events,
				want.Hash, want.SimulatedTime, want.Events,
			)
		}
	})
}

// TestTasksThatRequireLaterOnes checks that tasks that depend on later tasks are written as valid
// GOAL, and that dependencies on missing tasks are an error.
func TestTasksThatRequireLaterOnes(t *testing.T) {
	work := func(after ...int64) trace.Task { return trace.Task{Duration: 1000, After: after} }
	for _, c := range []struct {
		tasks []trace.Task
		holds bool
	}{
		{[]trace.Task{work(1), work(2), work()}, true},
		{[]trace.Task{{Duration: 1000, Started: []int64{1}}, work()}, true},
		{[]trace.Task{work(), work(7)}, false},
	} {
		path := filepath.Join(t.TempDir(), "tasks.goal")
		_, err := convert.Write(path, &graph{groups: [][]int32{nil}, ranks: [][]trace.Task{c.tasks}}, convert.Part{})
		if (err == nil) != c.holds {
			t.Errorf("%v: %v", c.tasks, err)
		}
		if err != nil {
			continue
		}
		source, err := formats.Open(path, trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e := fabricast.Experiment{Network: experiment.Network{Model: experiment.ModelLogGOPS}, Ranks: 1}
		e = replayed(t, e, source, replay.Options{})
		if got, err := e.Run(t.Context()); err != nil || got.SimulatedTime != fabricast.Time(len(c.tasks))*fabricast.Nanosecond {
			t.Errorf("%v: %v, %v", c.tasks, got.SimulatedTime, err)
		}
	}
}

// TestReceivesWithoutSizeAsGOAL checks that receives of unknown size get the size of their message,
// and that an error is returned if the message cannot be determined.
func TestReceivesWithoutSizeAsGOAL(t *testing.T) {
	receive := func(peer, tag int32, size int64) trace.Record {
		return trace.Record{Kind: trace.Receive, Message: trace.Message{Receive: true, Peer: peer, Tag: tag, Size: size}}
	}
	send := func(size int64) trace.Record {
		return trace.Record{Kind: trace.Send, Message: trace.Message{Peer: 1, Tag: 3, Size: size}}
	}
	barrier := trace.Record{Kind: trace.Collective, Call: trace.Operation{Kind: trace.Barrier}}
	const unknown = 1 << 40
	for _, c := range []struct {
		receives []trace.Record
		all      []trace.Record
		holds    bool
	}{
		{[]trace.Record{receive(0, 3, unknown), receive(0, 3, unknown)}, []trace.Record{barrier}, true},
		{[]trace.Record{receive(trace.Any, 3, 200), receive(0, 3, 200)}, []trace.Record{barrier}, true},
		{[]trace.Record{receive(0, trace.Any, 200), receive(0, 3, 200)}, nil, true},
		{[]trace.Record{receive(0, trace.Any, 200), receive(0, 3, 200)}, []trace.Record{barrier}, false},
		{[]trace.Record{receive(trace.Any, 3, 200), receive(0, 3, unknown)}, nil, false},
		{[]trace.Record{receive(trace.Any, 3, unknown), receive(0, 3, 200)}, nil, false},
	} {
		m := &memory{groups: [][]int32{nil}, ranks: [][]trace.Record{
			append([]trace.Record{send(100), send(200)}, c.all...), append(c.receives, c.all...),
		}}
		path := filepath.Join(t.TempDir(), "sizes.goal")
		if _, err := convert.Write(path, m, convert.Part{}); (err == nil) != c.holds {
			t.Errorf("%+v: %v", c.receives, err)
		}
		if !c.holds {
			continue
		}
		source, err := formats.Open(path, trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e := fabricast.Experiment{Network: experiment.Network{Model: experiment.ModelLogGOPS}, Ranks: 2}
		e = replayed(t, e, source, replay.Options{})
		if _, err := e.Run(t.Context()); err != nil {
			t.Errorf("%+v: %v", c.receives, err)
		}
	}
}
