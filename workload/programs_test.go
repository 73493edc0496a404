package workload

import (
	"fmt"
	"strings"
	"testing"

	"fabricast/internal/units"

	"fabricast/collective"
	"fabricast/mpi"
	"fabricast/node"
	"fabricast/node/nodetest"
)

// run runs a program on a network on which a message takes 100 ns, plus 1 ps per byte, and an MPI
// call takes 1 ns.
func run(t *testing.T, ranks int, launch node.Launcher) *node.World {
	t.Helper()
	spec := node.Spec{
		Hosts:       ranks,
		NICsPerHost: 1,
		Overhead:    1000,
		Memory:      1e10,
		HostOf:      make([]int32, ranks),
	}
	for i := range spec.HostOf {
		spec.HostOf[i] = int32(i)
	}
	w, err := node.NewWorld(spec, launch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	network := &nodetest.Network{Latency: 100_000, ByteTime: 1}
	network.Run(w, ranks, 1)
	if err := w.Err(); err != nil {
		t.Fatal(err)
	}
	if n := w.Finished(); n != ranks {
		t.Fatalf("%d of %d ranks finished: %v", n, ranks, w.Deadlock())
	}
	if s := w.Stats(); s.Unmet > 0 {
		t.Fatalf("%d messages were not received", s.Unmet)
	}
	return w
}

// mustRun builds the program with the given name and runs it.
func mustRun(t *testing.T, name string, p Params, ranks int) *node.World {
	t.Helper()
	return run(t, ranks, mustLaunch(t, name, p, ranks))
}

func mustLaunch(t *testing.T, name string, p Params, ranks int) node.Launcher {
	t.Helper()
	launch, err := Launch(name, p, ranks, nil)
	if err != nil {
		t.Fatal(err)
	}
	return launch
}

func mustBuild(t *testing.T, name string, p Params, ranks int) *mpi.Loop {
	t.Helper()
	loop, err := Build(name, p, ranks)
	if err != nil {
		t.Fatal(err)
	}
	return loop
}

// sample returns valid values for all required parameters of a program.
func sample(t *testing.T, p *Program, ranks int) (s Params) {
	t.Helper()
	if p.Takes("size") {
		s.Size = 24
	}
	if p.NeedsFile() {
		s.File = writeRecording(t, sampleRecording(ranks))
	}
	return s
}

func TestEveryProgramEndsOnAnyNumberOfRanks(t *testing.T) {
	for _, p := range Programs() {
		for _, ranks := range []int{1, 2, 3, 5, 12, 64, 100} {
			if ranks >= p.MinRanks {
				t.Run(fmt.Sprintf("%s/%d", p.Name, ranks), func(t *testing.T) {
					mustRun(t, p.Name, sample(t, p, ranks), ranks)
				})
			}
		}
	}
}

func TestEveryAlgorithmOfEveryCollective(t *testing.T) {
	for _, kind := range collective.Kinds() {
		for _, info := range collective.OfRanks(kind) {
			p := sample(t, Find(string(kind)), 16)
			p.Algorithm = string(info.Name)
			p.Iterations = 2
			once := mustRun(t, string(kind), Params{Algorithm: p.Algorithm, Size: p.Size}, 16).Stats()
			twice := mustRun(t, string(kind), p, 16).Stats()
			if once.Messages == 0 || twice.Messages != 2*once.Messages || int64(twice.Bytes) != 2*int64(once.Bytes) {
				t.Errorf("%s %s: %d messages of %d bytes once, %d of %d twice", kind, info.Name,
					once.Messages, int64(once.Bytes), twice.Messages, int64(twice.Bytes))
			}
		}
	}
}

// With empty messages, every program ends, with sends and puts. Only its final reduction has
// payload. With messages of one byte there are at least as many messages, because some algorithms
// send no empty data blocks, and NCCL's do nothing without data, as NCCL itself.
func TestEveryProgramRunsWithoutPayload(t *testing.T) {
	for _, program := range Programs() {
		if !program.Takes("size") {
			continue
		}
		for _, algorithm := range algorithmsOf(program) {
			for _, ranks := range []int{1, 2, 6, 16} {
				p := sample(t, program, ranks)
				p.Algorithm, p.Size, p.Empty = algorithm, 0, true
				if _, problems := program.Resolve(p, ranks); len(problems) > 0 {
					continue
				}
				s := mustRun(t, program.Name, p, ranks).Stats()
				if program.Name == "stencil3d" {
					reduced := mustRun(t, "allreduce", Params{Algorithm: algorithm, Size: residual}, ranks)
					bytes := int64(reduced.Stats().Bytes) * int64(max(p.Iterations, 1))
					s.Bytes -= units.Bytes(bytes)
				}
				p.By = ByPut
				put := runByPut(t, ranks, mustBuild(t, program.Name, p, ranks).Programs()).Stats()
				p.By, p.Size, p.Empty = "", 1, false
				one := mustRun(t, program.Name, p, ranks).Stats()
				silent := strings.HasPrefix(string(algorithm), "nccl")
				if s.Bytes != 0 || s.Messages > one.Messages ||
					s.Messages == 0 && one.Messages > 0 && !silent ||
					put.Messages != s.Messages ||
					put.Unmet > 0 {
					t.Errorf(
						"%s %s, %d ranks: %d messages of %d bytes, by put %d, %d unmet; %d of one byte",
						program.Name, algorithm, ranks, s.Messages, int64(s.Bytes), put.Messages,
						put.Unmet, one.Messages,
					)
				}
			}
		}
	}
}

// The numbers of messages and bytes of each program match its description.
func TestProgramsSendWhatTheyPromise(t *testing.T) {
	f := func(name string, p Params, ranks int, messages, bytes int64) {
		t.Helper()
		s := mustRun(t, name, p, ranks).Stats()
		if s.Messages != messages || int64(s.Bytes) != bytes {
			t.Errorf("%s: %d messages of %d bytes, want %d of %d", name, s.Messages, int64(s.Bytes), messages, bytes)
		}
	}
	f("alltoall", Params{Algorithm: "bruck", Size: 4}, 64, 64*6, 64*6*32*4)
	f("pingpong", Params{Size: 10, Iterations: 7, Pair: []int{4, 2}}, 5, 14, 140)
	f("ring", Params{Size: 3, Iterations: 4}, 5, 20, 60)
	f("random-ring", Params{Size: 3, Iterations: 4}, 5, 40, 120)
	f("halo2d", Params{Size: 8, Iterations: 2}, 12, 2*12*4, 2*12*4*8)
	f("halo2d", Params{Size: 8, Grid: []int{1, 12}}, 12, 12*2, 12*2*8)
	f("halo3d", Params{Size: 8}, 27, 27*6, 27*6*8)
	f("stencil3d", Params{Size: 100, Iterations: 3}, 8, 3*(8*6+8*3), 3*(8*6*100+8*3*8))
	f("uniform", Params{Size: 5, Messages: 9, Window: 2}, 10, 90, 450)
}

func TestPingpongTakesItsTime(t *testing.T) {
	w := mustRun(t, "pingpong", Params{Size: 50, Iterations: 3, Pair: []int{1, 0}}, 3)
	const oneWay = 1000 + 100_000 + 50 + 1000
	if got := int64(w.Record(1).End); got != 6*oneWay {
		t.Errorf("rank 1 ends at %d ps, want %d", got, 6*oneWay)
	}
	if got := int64(w.Record(2).End); got != 0 {
		t.Errorf("rank 2 has no part, but ends at %d ps", got)
	}
}

func TestStencilComputes(t *testing.T) {
	w := mustRun(t, "stencil3d", Params{Size: 50, Iterations: 3, Compute: 777}, 8)
	if got := int64(w.Record(5).Compute); got != 3*777 {
		t.Errorf("%d ps of computation, want %d", got, 3*777)
	}
}

// The traffic of the random programs depends only on the seed.
func TestRandomProgramsFollowTheSeed(t *testing.T) {
	for _, name := range []string{"random-ring", "uniform"} {
		hash := func(seed uint64) [2]uint64 {
			return mustRun(t, name, Params{Size: 8, Seed: seed}, 50).Stats().Hash
		}
		first := hash(1)
		if hash(1) != first {
			t.Errorf("%s: the same seed gives different traffic", name)
		}
		if hash(2) == first {
			t.Errorf("%s: different seeds give the same traffic", name)
		}
	}
}

func TestWrongParametersAreNamed(t *testing.T) {
	f := func(name string, p Params, ranks int, want string) {
		t.Helper()
		_, err := Build(name, p, ranks)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
	f("alltoal", Params{}, 8, `program: found alltoal, expected one of alltoall, barrier`)
	f(
		"alltoall",
		Params{},
		8,
		"size: found nothing, expected a size such as 8KiB, or 0B for messages without payload",
	)
	f("ring", Params{Size: 4, Empty: true}, 8, "size: found 4, expected no size beside empty messages")
	f(
		"barrier",
		Params{Empty: true},
		8,
		"size: found 0, expected nothing: barrier takes algorithm, iterations and by",
	)
	f("ring", Params{Size: 1<<40 + 1}, 8, "expected a size of at most 1TiB")
	f("alltoall", Params{Size: -4}, 8, "size: found -4, expected a size such as 8KiB")
	f("alltoall", Params{Size: 4, Algorithm: "bruk"}, 8, "algorithm: found bruk, expected one of bruck, ring")
	f(
		"alltoall",
		Params{Size: 4, Algorithm: "pairwise"},
		6,
		"algorithm: found pairwise on 6 ranks, expected a number of ranks that is a power of two",
	)
	f("alltoall", Params{Size: 4, Iterations: -1}, 6, "iterations: found -1, expected a number of at least 1")
	f(
		"barrier",
		Params{Size: 4},
		6,
		"size: found 4, expected nothing: barrier takes algorithm, iterations and by",
	)
	f("broadcast", Params{Size: 4, Root: 6}, 6, "root: found 6, expected a rank, 0 to 5")
	f("pingpong", Params{Size: 4}, 1, "ranks: found 1, expected at least 2 for pingpong")
	f(
		"pingpong",
		Params{Size: 4, Pair: []int{3, 3}},
		6,
		"pair: found [3, 3], expected two different ranks, 0 to 5",
	)
	f("pingpong", Params{Size: 4, Pair: []int{0, 6}}, 6, "pair: found [0, 6]")
	f("pingpong", Params{Size: 4, Pair: []int{0}}, 6, "pair: found [0]")
	f(
		"halo2d",
		Params{Size: 4, Grid: []int{2, 2}},
		6,
		"grid: found [2, 2], expected 2 numbers whose product is the 6 ranks, such as [3, 2]",
	)
	f(
		"halo3d",
		Params{Size: 4, Grid: []int{1 << 40, 1 << 40, 1}},
		6,
		"3 numbers whose product is the 6 ranks, such as [3, 2, 1]",
	)
	f("halo2d", Params{Size: 4, Grid: []int{-2, -3}}, 6, "grid: found [-2, -3]")
	f("stencil3d", Params{Size: 4, Compute: -1}, 8, "compute: found -1, expected a time of at least 0ps")
	f("uniform", Params{Size: 4, Window: -1}, 8, "window: found -1, expected a number of at least 1")
	f(
		"uniform",
		Params{Size: 4, Pair: []int{0, 1}},
		8,
		"pair: found [0, 1], expected nothing: uniform takes size, messages, window and by",
	)
}

func TestResolveFillsInDefaultsAndFindsAllProblems(t *testing.T) {
	p, problems := Find("pingpong").Resolve(Params{Size: 4}, 6)
	if len(problems) > 0 || p.Iterations != 1 || list(p.Pair) != "[0, 1]" {
		t.Errorf("%+v, %v", p, problems)
	}
	p, _ = Find("stencil3d").Resolve(Params{Size: 4}, 128*64*64)
	if list(p.Grid) != "[128, 64, 64]" || p.Algorithm != "recursive-doubling" {
		t.Errorf("%+v", p)
	}
	_, problems = Find("reduce").Resolve(Params{Root: 9, Iterations: -2, Window: 3}, 6)
	if len(problems) != 4 {
		t.Errorf("found %v, want problems with window, iterations, size and root", problems)
	}
	// Resolve is idempotent.
	for _, program := range Programs() {
		p, _ := program.Resolve(sample(t, program, 12), 12)
		if again, problems := program.Resolve(p, 12); fmt.Sprint(again) != fmt.Sprint(p) ||
			len(problems) > 0 {
			t.Errorf("%s: %+v, then %+v, %v", program.Name, p, again, problems)
		}
	}
}

func TestProgramsDescribeThemselves(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Programs() {
		if seen[p.Name] || p.Summary == "" || p.MinRanks < 1 {
			t.Errorf("%+v", p)
		}
		seen[p.Name] = true
		for _, param := range p.Params {
			if param.Summary == "" || param.Default == "" && param.Name != "size" && param.Name != "file" {
				t.Errorf("%s: %+v", p.Name, param)
			}
		}
	}
}

// An alternative name of an algorithm is resolved to the name under which it is shown.
func TestOtherNamesOfAlgorithms(t *testing.T) {
	for _, kind := range collective.Kinds() {
		for _, info := range collective.OfRanks(kind) {
			if info.Alias == "" {
				continue
			}
			program := Find(string(kind))
			p := sample(t, program, 16)
			p.Algorithm = string(info.Alias)
			if got, problem := program.Resolve(p, 16); problem != nil || got.Algorithm != string(info.Name) {
				t.Errorf("%s %s resolves to %s, want %s; %v", kind, info.Alias, got.Algorithm, info.Name, problem)
			}
		}
	}
}
