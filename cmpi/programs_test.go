//go:build cgo && linux && amd64

package cmpi_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"fabricast"
	"fabricast/cmpi"
	"fabricast/experiment"
	"fabricast/internal/draws"
	"fabricast/internal/needed"
	"fabricast/mpi"
	"fabricast/topology"
)

// bin has the compilers, which are installed once.
var bin = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "cmpi")
	if err != nil {
		return "", err
	}
	_, err = cmpi.Install(dir)
	return dir, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := bin(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// compiled are the programs that have been built, by source and flags, or by their text.
var compiled = map[string]string{}

// compile builds a source of testdata, once, or another one, for the simulator.
func compile(t testing.TB, source string, flags ...string) string {
	t.Helper()
	if filepath.IsAbs(source) {
		return compileTo(t, t.TempDir(), source, flags...)
	}
	key := strings.Join(append([]string{source}, flags...), " ")
	if compiled[key] == "" {
		dir, err := bin()
		if err != nil {
			t.Fatal(err)
		}
		if dir, err = os.MkdirTemp(dir, "program"); err != nil {
			t.Fatal(err)
		}
		compiled[key] = compileTo(t, dir, source, append([]string{optimization(source)}, flags...)...)
	}
	return compiled[key]
}

// optimization is the compiler's flag for a program of testdata/programs: a few of them for each commit are optimized,
// which takes longer.
func optimization(source string) string {
	hash := fnv.New32()
	hash.Write([]byte(filepath.Base(source)))
	if draws.Long() || (uint64(hash.Sum32())+draws.Round())%4 == 0 || !strings.Contains(source, "testdata/programs/") {
		return "-O1"
	}
	return "-O0"
}

// compileTo builds a source in a folder.
func compileTo(t testing.TB, folder, source string, flags ...string) string {
	t.Helper()
	dir, err := bin()
	if err != nil {
		t.Fatal(err)
	}
	compiler := "mpicc"
	switch filepath.Ext(source) {
	case ".cc":
		compiler = "mpicxx"
	case ".f90":
		compiler = "mpifort"
	}
	if source, err = filepath.Abs(source); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, "program")
	flags = append([]string{"-O1", "-w", "-o", program, source}, flags...)
	cmd := exec.Command(filepath.Join(dir, compiler), flags...)
	cmd.Dir = filepath.Dir(program) // where Fortran leaves its modules
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", source, err, out)
	}
	return program
}

// compileText is compile for a program in the test. Each text is compiled once.
func compileText(t testing.TB, text string) string {
	t.Helper()
	if compiled[text] == "" {
		dir, err := bin()
		if err != nil {
			t.Fatal(err)
		}
		if dir, err = os.MkdirTemp(dir, "program"); err != nil {
			t.Fatal(err)
		}
		source := filepath.Join(dir, "program.c")
		if err := os.WriteFile(source, []byte("#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
		compiled[text] = compileTo(t, dir, source)
	}
	return compiled[text]
}

// torus is the network that programs of tests run on.
func torus(ranks int) *fabricast.Experiment {
	return &fabricast.Experiment{
		Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{4, 4, 4}}},
		Ranks:   ranks,
	}
}

// run runs a program and returns its lines in order, and the result.
func run(
	t *testing.T,
	e *fabricast.Experiment,
	program string,
	workers int,
	args ...string,
) ([]string, *fabricast.Result, error) {
	t.Helper()
	return runBy(t, e, program, []fabricast.Option{fabricast.Workers(workers)}, args...)
}

// runBy is run with options of the run.
func runBy(
	t *testing.T,
	e *fabricast.Experiment,
	program string,
	options []fabricast.Option,
	args ...string,
) ([]string, *fabricast.Result, error) {
	t.Helper()
	return runOf(t, e, program, cmpi.Options{Types: cmpi.TypesFail}, options, args...)
}

// runOf is run with options of the program and of the run.
func runOf(
	t *testing.T,
	e *fabricast.Experiment,
	program string,
	o cmpi.Options,
	options []fabricast.Option,
	args ...string,
) ([]string, *fabricast.Result, error) {
	t.Helper()
	output, err := os.Create(filepath.Join(t.TempDir(), "output"))
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	o.Ranks, o.Output = e.Ranks, output
	job, err := cmpi.Load(program, args, o)
	if err != nil {
		return nil, nil, err
	}
	e.Launch = job.Launcher()
	result, err := e.Run(context.Background(), options...)
	if err == nil {
		err = job.Err()
	}
	text, readErr := os.ReadFile(output.Name())
	if readErr != nil {
		t.Fatal(readErr)
	}
	return sorted(string(text)), result, err
}

func sorted(text string) []string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	slices.Sort(lines)
	return lines
}

// TestPrograms compares what programs print, one a chapter of MPI, with what they print under a
// real MPI: MPICH 4.0.2 has written the files. In the last run ranks, with their stacks, move between
// workers at random.
func TestPrograms(t *testing.T) {
	sources, err := filepath.Glob("testdata/programs/*.[cf]*")
	if err != nil || len(sources) == 0 {
		t.Fatal("no programs", err)
	}
	moves := 0
	for _, source := range sources {
		name := strings.TrimSuffix(filepath.Base(source), filepath.Ext(source))
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile("testdata/programs/" + name + ".want")
			if err != nil {
				t.Fatal(err)
			}
			program := compile(t, source)
			var first *fabricast.Result
			for i, options := range [][]fabricast.Option{
				{fabricast.Workers(1)}, {fabricast.Workers(2)}, {fabricast.Workers(3), restlessly(&moves)},
			} {
				got, result, err := runBy(t, torus(4), program, options)
				if err != nil {
					t.Fatal(err)
				}
				if expected := sorted(string(want)); !slices.Equal(got, expected) {
					t.Errorf(
						"run %d: found\n%s\nexpected\n%s",
						i, strings.Join(got, "\n"), strings.Join(expected, "\n"),
					)
				}
				if first == nil {
					first = result
				} else if result.Hash != first.Hash || result.SimulatedTime != first.SimulatedTime {
					t.Errorf("found hash %s in run %d, expected %s", result.Hash, i, first.Hash)
				}
			}
		})
	}
	if moves < len(sources) {
		t.Errorf("ranks of %d programs moved %d times", len(sources), moves)
	}
}

// TestOtherRanks compares some of the programs with MPICH on numbers of ranks that are no powers of two: with what
// MPICH 4.0.2 has printed. Long tests compare that with MPICH again, whose ranks wait busily.
func TestOtherRanks(t *testing.T) {
	for _, test := range []struct {
		name  string
		ranks int
	}{{"p2p", 6}, {"collectives", 7}, {"communicators", 6}} {
		file := fmt.Sprintf("testdata/mpich/%s-%d.want", test.name, test.ranks)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source := "testdata/programs/" + test.name + ".c"
		want := sorted(string(text))
		got, _, err := run(t, torus(test.ranks), compile(t, source), 2)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf(
				"%s on %d ranks: found\n%s\nexpected\n%s",
				test.name, test.ranks, strings.Join(got, "\n"), strings.Join(want, "\n"),
			)
		}
		if !draws.Long() {
			continue
		}
		if printed := sorted(byMPICH(t, source, test.ranks)); !slices.Equal(printed, want) {
			t.Errorf("%s: MPICH prints\n%s", file, strings.Join(printed, "\n"))
		}
	}
}

// byMPICH returns what a program prints that MPICH has compiled.
func byMPICH(t *testing.T, source string, ranks int) string {
	t.Helper()
	mpicc, err := exec.LookPath("mpicc.mpich")
	if err != nil {
		needed.Missing(t, "found no MPICH (Debian: apt-get install mpich)")
	}
	program := filepath.Join(t.TempDir(), "reference")
	if out, err := exec.Command(mpicc, "-w", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := exec.Command("mpirun.mpich", "-n", fmt.Sprint(ranks), program).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const pingpong = `
int main(int argc, char **argv) {
  int rank, n = atoi(argv[1]);
  char b[8] = "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < n && rank < 2; i++)
    for (int k = 0; k < 2; k++)
      if (rank == k)
        MPI_Send(b, 8, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD);
      else
        MPI_Recv(b, 8, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}`

// TestSamePrediction demands the same time and messages of a ping-pong in C, in Go and by name.
func TestSamePrediction(t *testing.T) {
	const rounds = 50
	named := torus(2)
	named.Workload = experiment.Workload{Program: "pingpong", Size: 8, Iterations: rounds, Pair: []int{0, 1}}
	want, err := named.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	inGo := torus(2)
	inGo.Program = func(r *mpi.Rank) {
		for range rounds {
			for k := range 2 {
				if r.Rank() == k {
					r.Send(mpi.Size(8), 1-k, 0)
				} else {
					r.Recv(mpi.Size(8), k, 0)
				}
			}
		}
	}
	ofGo, err := inGo.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	_, ofC, err := run(t, torus(2), compileText(t, pingpong), 1, fmt.Sprint(rounds))
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]*fabricast.Result{"Go": ofGo, "C": ofC} {
		if got.SimulatedTime != want.SimulatedTime || got.Hash != want.Hash {
			t.Errorf(
				"%s: found %s and %s, expected %s and %s",
				name, got.SimulatedTime, got.Hash, want.SimulatedTime, want.Hash,
			)
		}
	}
}

// failure is a program with a mistake, and what its error says.
type failure struct{ name, text, want string }

const (
	headOfFailure = "int main(int argc, char **argv) { int rank, x[2] = {0}; MPI_Init(&argc, &argv); MPI_Comm_rank(MPI_COMM_WORLD, &rank);"
	tailOfFailure = " MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); return 0; }"
)

// checkFailures runs programs on four ranks.
func checkFailures(t *testing.T, list []failure) {
	t.Helper()
	texts := make([]string, len(list))
	for i, test := range list {
		texts[i] = test.text
	}
	program := compileCases(t, texts...)
	for i, test := range list {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := run(t, torus(4), program, 1, fmt.Sprint(i))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("found error %v, expected %s", err, test.want)
			}
		})
	}
}

// TestFailures demands that the mistakes of programs are explained.
func TestFailures(t *testing.T) {
	const head, tail = headOfFailure, tailOfFailure
	checkFailures(t, []failure{
		{"segmentation fault", head + "MPI_Barrier(MPI_COMM_WORLD); if (rank == 2) *(volatile int *)16 = 1;" + tail, "rank 2 failed at 2.234 us of simulated time: segmentation fault at address 0x10 (the last call was MPI_Barrier)"},
		{"division", head + "volatile int zero = 0; if (rank == 1) zero = 7 / zero;" + tail, "rank 1 failed at 0 ps of simulated time: arithmetic exception (the last call was MPI_Comm_rank)"},
		{"stack", "int down(int n) { volatile char b[4096]; b[0] = n; return down(n + 1) + b[0]; }" + head + "if (rank == 3) down(0);" + tail, "stack overflow"},
		{"abort", head + "if (rank == 3) abort();" + tail, "rank 3 failed at 0 ps of simulated time: the program called abort()"},
		{"fork", "#include <unistd.h>\n" + head + "if (rank == 1) fork();" + tail, "rank 1 failed at 0 ps of simulated time: the program called fork()"},
		{"MPI_Abort", head + "if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 9);" + tail, "MPI_Abort was called with code 9"},
		{"exit code", head + "MPI_Finalize(); return rank == 2 ? 5 : 0; }", "rank 2 exited with code 5"},
		{"no MPI_Finalize", head + "return 4; }", "ended with exit code 4 without calling MPI_Finalize"},
		{"no MPI_Init", "int main() { MPI_Barrier(MPI_COMM_WORLD); }", "MPI_Barrier: called before MPI_Init"},
		{"truncation", head + "if (rank == 0) MPI_Send(x, 2, MPI_INT, 1, 4, MPI_COMM_WORLD); else if (rank == 1) MPI_Recv(x, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);" + tail, "MPI_Recv: message truncated: 8 bytes from rank 0 with tag 4 do not fit into a buffer of 4"},
		{"rank", head + "MPI_Send(x, 1, MPI_INT, 4, 0, MPI_COMM_WORLD);" + tail, "MPI_Send: wrong rank: found rank 4, expected 0 to 3"},
		{"type", head + "MPI_Bcast(x, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);" + tail, "MPI_Bcast: wrong datatype: the datatype is null"},
		{"operation", head + "double d = 1, e; MPI_Allreduce(&d, &e, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD);" + tail, "MPI_BAND is not defined for MPI_DOUBLE"},
		{"own part", head + "MPI_Gather(x, 2, MPI_INT, x, 1, MPI_INT, 0, MPI_COMM_SELF);" + tail, "MPI_Gather: wrong buffer"},
		{"counts", head + "int y[4]; MPI_Gather(x, 2, MPI_INT, y, 1, MPI_INT, 0, MPI_COMM_SELF);" + tail, "MPI_Gather: message truncated: the rank sends itself 8 bytes, but expects 4"},
		{"full buffer", head + "char b[4]; MPI_Buffer_attach(b, 4); MPI_Bsend(x, 2, MPI_INT, 0, 0, MPI_COMM_WORLD);" + tail, "MPI_Bsend: wrong buffer: 8 bytes do not fit into a buffer of 4 for such sends, of which 0 are in use"},
		{"missing function", head + "MPI_File f; MPI_File_open(MPI_COMM_WORLD, \"x\", 0, MPI_INFO_NULL, &f);" + tail, "MPI_File_open: the function is not part of Fabricast"},
		{"crash in an operation", "void bad(void *in, void *out, int *n, MPI_Datatype *t) { *(volatile int *)32 = 1; }" + head + "MPI_Op op; int y; MPI_Op_create(bad, 1, &op); MPI_Allreduce(x, &y, 1, MPI_INT, op, MPI_COMM_WORLD);" + tail, "segmentation fault at address 0x20 (the last call was MPI_Allreduce)"},
		{"communication in an operation", "void call(void *in, void *out, int *n, MPI_Datatype *t) { MPI_Barrier(MPI_COMM_SELF); MPI_Barrier(MPI_COMM_WORLD); }" + head + "MPI_Op op; int y; MPI_Request q; MPI_Op_create(call, 1, &op); MPI_Iallreduce(x, &y, 1, MPI_INT, op, MPI_COMM_WORLD, &q); MPI_Wait(&q, MPI_STATUS_IGNORE);" + tail, "MPI_Barrier: was called by the operation of a reduction"},
		{"deadlock", head + "MPI_Recv(x, 1, MPI_INT, (rank + 1) % 4, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);" + tail, "rank 0 at 0 ps in MPI_Recv waits for a message from rank 1 with tag 7"},
		{"protocol", "#include <fabricast.h>\n" + head + "Fabricast_Options o = {.protocol = 99}; Fabricast_Send_with(x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &o);" + tail, "Fabricast_Send_with: wrong argument: found protocol 99, expected FABRICAST_EAGER (1) to FABRICAST_SYNCHRONOUS (4), or 0"},
		{"copies", "#include <fabricast.h>\n" + head + "Fabricast_Options o = {.copies = 99}; Fabricast_Sends(&o);" + tail, "Fabricast_Sends: wrong argument: found copies 99, expected FABRICAST_ZERO_COPY (1) or FABRICAST_ONE_COPY (2), or 0"},
		{"copies of a rendezvous", "#include <fabricast.h>\n" + head + "MPI_Request q; Fabricast_Options o = {.protocol = FABRICAST_RENDEZVOUS, .copies = FABRICAST_ONE_COPY}; Fabricast_Isend_with(x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &o, &q);" + tail, "Fabricast_Isend_with: wrong argument: found FABRICAST_ONE_COPY with protocol 2, expected FABRICAST_EAGER or 0"},
		{"mismatched collectives", head + "if (rank == 0) MPI_Barrier(MPI_COMM_WORLD);" + tail, "deadlock"},
	})
	var abort *cmpi.AbortError
	_, _, err := run(t, torus(4), compileText(t, head+"MPI_Abort(MPI_COMM_WORLD, 9);"+tail), 2)
	if !errors.As(err, &abort) || abort.ExitCode() != 9 {
		t.Errorf("found %v, expected the code of MPI_Abort", err)
	}
}

// TestFailuresOfRDMA does the same for NSIM-ACE's and ACP's functions.
func TestFailuresOfRDMA(t *testing.T) {
	const head, tail = headOfFailure, tailOfFailure
	checkFailures(t, []failure{
		{"size of a put", "#include <mgen.h>\n" + head + "MGEN_rdma_put(0, -12, 1);" + tail, "MGEN_rdma_put: found -12 bytes, expected 0 or more"},
		{"handle of nothing", head + "MGEN_acp_complete(77);" + tail, "MGEN_acp_complete: found handle 77, expected one of an operation that this rank has started: there is none"},
		{"handle", head + "long h = MGEN_rdma_put(0, 1, 1); MGEN_rdma_poll(1); MGEN_acp_complete(h); MGEN_acp_complete(h); MGEN_acp_complete(h + 1);" + tail, "MGEN_acp_complete: found handle 2, expected 1 to 1, those of the operations that this rank has started"},
		{"handle of ACP", "#include <acp.h>\n" + head + "acp_init(&argc, &argv); acp_complete(77);" + tail, "acp_complete: found handle 77"},
	})
}

// TestMachineOfAFile runs a program on what a file describes, whatever that file itself says to
// run.
func TestMachineOfAFile(t *testing.T) {
	program := compileText(t, pingpong)
	for _, example := range []string{"quickstart", "uniform-torus"} {
		e, err := fabricast.LoadMachine("../examples/"+example+".yaml", "ranks=2")
		if err != nil {
			t.Fatal(err)
		}
		if _, result, err := run(t, e, program, 1, "3"); err != nil || result.Ranks != 2 ||
			result.Messages != 6 {
			t.Errorf("%s: %+v %v", example, result, err)
		}
	}
	late, err := fabricast.LoadMachine("../examples/quickstart.yaml", "ranks=2", "imbalance.width=4%")
	if err != nil {
		t.Fatal(err)
	}
	var wrong *fabricast.ConfigError
	if _, _, err := run(t, late, program, 1, "3"); !errors.As(err, &wrong) ||
		!strings.Contains(err.Error(), "imbalance.of") {
		t.Errorf("found %v, expected that a share of an unknown time is refused", err)
	}
}

// TestCoverage demands that missing functions are named before a program runs.
func TestCoverage(t *testing.T) {
	program := compileText(
		t,
		"int main() { MPI_Init(0, 0); MPI_File f; MPI_File_open(MPI_COMM_WORLD, \"\", 0, 0, &f); PMPI_Barrier(MPI_COMM_WORLD); }",
	)
	list, err := cmpi.FunctionsOf(program)
	if err != nil {
		t.Fatal(err)
	}
	want := []cmpi.Use{
		{Name: "MPI_Barrier", Here: true},
		{Name: "MPI_File_open"},
		{Name: "MPI_Init", Here: true},
	}
	if !slices.Equal(list, want) {
		t.Errorf("found %v, expected %v", list, want)
	}
	list, err = cmpi.FunctionsOf(compile(t, "testdata/programs/fortran08.f90"))
	if err != nil || !slices.Contains(list, cmpi.Use{Name: "MPI_Mprobe", Here: true}) {
		t.Errorf("found %v %v in a program in Fortran, expected MPI_Mprobe among them", list, err)
	}
	if all := cmpi.Functions(); len(all) < 380 {
		t.Errorf("found %d functions of MPI 3.1", len(all))
	}
}

// TestNoProgram demands that what is not a program of ours is refused.
func TestNoProgram(t *testing.T) {
	for path, want := range map[string]string{
		"/nonexistent": "no such file", "doc.go": "found no program for x86-64", "/bin/sh": "expected a program built by the mpicc",
	} {
		if _, err := cmpi.Load(path, nil, cmpi.Options{Ranks: 1}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: found %v, expected %s", path, err, want)
		}
	}
}
