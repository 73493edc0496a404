//go:build cgo && linux && amd64

package cmpi_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fabricast/cmpi"
	"fabricast/internal/producttest"
	"fabricast/mpi"
	"fabricast/rdma"
)

// TestFolders demands that a rank that goes to another folder takes no other with it, whatever
// worker runs it.
func TestFolders(t *testing.T) {
	program := compileText(t, `#include <unistd.h>
#include <string.h>
#include <sys/stat.h>
int main(int argc, char **argv) {
  int rank, size;
  char name[64], before[4096], after[4096], line[64] = "none";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  getcwd(before, sizeof before);
  sprintf(name, "%s/rank%d", argv[1], rank);
  mkdir(name, 0700);
  for (int round = 0; round < 3; round++) {
    if (rank % 2 && chdir(round ? "." : name)) return 1;
    MPI_Barrier(MPI_COMM_WORLD);
    getcwd(after, sizeof after);
    if (strcmp(after, rank % 2 ? name : before)) return 2;
  }
  sprintf(line, "file%d", rank);
  FILE *f = rank % 2 ? fopen(line, "w") : 0;
  if (f) fclose(f);
  MPI_Finalize();
  printf("%d in %s\n", rank, rank % 2 ? strrchr(after, '/') : "");
  return 0;
}`)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 3} {
		dir := t.TempDir()
		lines, _, err := run(t, torus(6), program, workers, dir)
		if want := []string{"0 in ", "1 in /rank1", "2 in ", "3 in /rank3", "4 in ", "5 in /rank5"}; err != nil ||
			!slices.Equal(lines, want) {
			t.Errorf("%d workers: found %q and error %v, expected %q", workers, lines, err, want)
		}
		for rank, name := range map[string]string{"rank1": "file1", "rank3": "file3", "rank5": "file5"} {
			if _, err := os.Stat(filepath.Join(dir, rank, name)); err != nil {
				t.Errorf("%d workers: %v", workers, err)
			}
		}
		if now, err := os.Getwd(); err != nil || now != here {
			t.Errorf("%d workers: found the simulator in %s, expected %s: %v", workers, now, here, err)
		}
	}
}

// TestAlarms demands that alarms go off in simulated time: in a sleep, in a wait, again and again,
// and not at all once they are off.
func TestAlarms(t *testing.T) {
	program := compileText(t, `#include <signal.h>
#include <unistd.h>
#include <errno.h>
#include <time.h>
#include <sys/time.h>
static volatile int rung;
static double at[16];
static void ring(int signal) { at[rung++] = MPI_Wtime(); }
int main(int argc, char **argv) {
  int rank, x;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  signal(SIGALRM, ring);
  if (rank == 0) {
    alarm(10), alarm(0);
    sleep(20);
    printf("off %d %.0f\n", rung, MPI_Wtime());
    alarm(3);
    unsigned left = sleep(10);
    printf("slept %d %u %.0f\n", rung, left, MPI_Wtime());
    struct itimerval every = {{0, 500000}, {1, 0}}, now;
    setitimer(ITIMER_REAL, &every, 0);
    getitimer(ITIMER_REAL, &now);
    for (int i = 0; i < 3; i++) pause();
    printf("every %d %.1f %.1f %.1f, first in %ld s\n", rung, at[1], at[2], at[3], (long)now.it_value.tv_sec);
    ualarm(0, 0);
    struct timespec t = {1, 0}, rest;
    alarm(1);
    if (!nanosleep(&t, &rest)) printf("whole\n");
    alarm(5);
    MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("waited %d, until %.0f\n", rung, at[rung - 1]);
    printf("%u left\n", alarm(7) + alarm(0));
  } else {
    sleep(100);
    MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}`)
	lines, _, err := run(t, torus(2), program, 2)
	want := []string{
		"7 left",
		"every 4 24.0 24.5 25.0, first in 1 s",
		"off 0 20",
		"slept 1 7 23",
		"waited 6, until 100",
		"whole",
	}
	if err != nil || !slices.Equal(lines, want) {
		t.Errorf("found %q and error %v, expected %q", lines, err, want)
	}
}

// TestEndWithoutFinalize demands a warning of a program that ends well without MPI_Finalize, and an
// error if that is asked for or it does not end well.
func TestEndWithoutFinalize(t *testing.T) {
	program := compileText(t, `
int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (!rank) MPI_Finalize();
  return atoi(argv[1]);
}`)
	for _, test := range []struct {
		strict  bool
		code    string
		err     string
		warning string
	}{
		{false, "0", "", "2 ranks, the first of them rank 1, ended without calling MPI_Finalize"},
		{true, "0", "1 of the warnings are errors, as the run is strict", "2 ranks, the first of them rank 1, ended without calling MPI_Finalize"},
		{false, "3", "rank 1 failed at .*the program ended with exit code 3 without calling MPI_Finalize", ""},
	} {
		e := torus(3)
		job, err := cmpi.Load(program, []string{test.code}, cmpi.Options{Ranks: 3, Strict: test.strict})
		if err != nil {
			t.Fatal(err)
		}
		e.Launch = job.Launcher()
		_, err = e.Run(t.Context())
		if err == nil {
			err = job.Err()
		}
		if !matches(err, test.err) || strings.Join(job.Warnings(), "\n") != test.warning {
			t.Errorf(
				"strict %v, code %s: found error %v and warnings %q, expected %s and %q",
				test.strict, test.code, err, job.Warnings(), test.err, test.warning,
			)
		}
	}
}

// TestGetOfMgen compares gets of NSIM-ACE's programs with those of package rdma.
func TestGetOfMgen(t *testing.T) {
	const n, bytes = 8, 30000
	program := compileMgen(t, `#include <mgen.h>
int MGEN_Main(int argc, char **argv) {
  int me, n;
  MGEN_Comm_rank(MGEN_COMM_WORLD, &me);
  MGEN_Comm_size(MGEN_COMM_WORLD, &n);
  for (int k = 1; k < n; k++) {
    MGEN_acp_handle get = MGEN_rdma_get((me + k) % n, 30000), other = MGEN_rdma_get((me + 1) % n, 8);
    MGEN_acp_complete(other);
    MGEN_acp_complete(get);
  }
  return 0;
}`)
	_, ofC, err := run(t, fatTree(n), program, 2)
	if err != nil {
		t.Fatal(err)
	}
	inGo := fatTree(n)
	inGo.Program = func(r *mpi.Rank) {
		nic := rdma.Open(r)
		for k := 1; k < n; k++ {
			get, other := nic.Get(mpi.Size(bytes), rdma.At((r.Rank()+k)%n)), nic.Get(
				mpi.Size(8), rdma.At((r.Rank()+1)%n),
			)
			nic.Complete(other)
			nic.Complete(get)
		}
	}
	want := predict(t, inGo)
	same(t, "C and Go", ofC, want)
	if ofC.Hash != want.Hash {
		t.Errorf("found hash %s, expected %s", ofC.Hash, want.Hash)
	}
	for call, wrong := range map[string]string{"MGEN_rdma_get(8, 1)": "found rank 8, expected 0 to 7", "MGEN_rdma_get(0, -1)": "found -1 bytes, expected 0 or more"} {
		_, _, err := run(
			t,
			fatTree(n),
			compileMgen(t, "#include <mgen.h>\nint MGEN_Main(int c, char **v) { "+call+"; return 0; }"),
			1,
		)
		if !matches(err, wrong) {
			t.Errorf("%s: found %v, expected %s", call, err, wrong)
		}
	}
}

// compileMgen is compile for a program in the test that includes what it needs.
func compileMgen(t *testing.T, text string) string {
	t.Helper()
	source := filepath.Join(t.TempDir(), "program.c")
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return compile(t, source)
}

// TestNewerFunctions demands that a program with functions of a newer MPI is told so by the
// wrapper, whatever language it is in and whether the compiler or the linker finds out; and one
// that fails for other reasons is not.
func TestNewerFunctions(t *testing.T) {
	dir, err := bin()
	if err != nil {
		t.Fatal(err)
	}
	for i, test := range []struct {
		compiler, name, text string
		said                 []string
	}{
		{"mpicc", "p.c", "#include <mpi.h>\nint main(void) { MPI_Request q; return MPI_Isendrecv(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, &q); }", []string{"MPI_Isendrecv is of MPI 4.0"}},
		{"mpicc", "p.c", "#include <mpi.h>\nint main(void) { return PMPI_Send_c(0, 0, 0, 0, 0, 0) + MPI_Type_get_value_index(); }", []string{"MPI_Send_c is of MPI 4.0", "MPI_Type_get_value_index is of MPI 4.1"}},
		{"mpicxx", "p.cc", "#include <mpi.h>\nint main() { MPI_Session s; return MPI_Session_init(0, 0, &s); }", []string{"MPI_Session is of MPI 4.0", "MPI_Session_init is of MPI 4.0"}},
		{"mpifort", "p.f90", "program p\nuse mpi\ninteger q\nexternal MPI_Pready\ncall MPI_Pready(1, q)\nend program", []string{"MPI_Pready is of MPI 4.0"}},
		{"mpicc", "p.c", "#include <mpi.h>\nint main(void) { return MPI_Sendd(1); }", nil},
		{"mpicc", "p.c", "int main(void) { return 1", nil},
	} {
		if !producttest.Turn(t, i, 2) { // compilers that fail run twice
			continue
		}
		source := filepath.Join(t.TempDir(), test.name)
		if err := os.WriteFile(source, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(
			filepath.Join(dir, test.compiler), "-w", "-o", filepath.Join(t.TempDir(), "p"), source,
		)
		out, err := cmd.CombinedOutput()
		if err == nil || strings.Count(string(out), " is of MPI ") != len(test.said) {
			t.Errorf("%s: found error %v and\n%s\nexpected %q", test.text, err, out, test.said)
		}
		for _, said := range test.said {
			if !strings.Contains(string(out), test.compiler+": "+said+", expected functions up to MPI 3.1") {
				t.Errorf("%s: found\n%s\nexpected %s", test.text, out, said)
			}
		}
	}
}

// TestWrappersBeforeFortran demands that wrappers made before there is a compiler of Fortran make
// its modules when there is one.
func TestWrappersBeforeFortran(t *testing.T) {
	if !producttest.Turn(t, 0, 3) {
		t.Skip("not the turn of this commit: a second installation takes long")
	}
	t.Setenv("FABRICAST_FC", "no-such-compiler")
	dir := t.TempDir()
	if _, err := cmpi.Install(dir); err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(dir, "p.f90")
	if err := os.WriteFile(source, []byte("program p\nuse mpi_f08\ncall MPI_Init()\ncall MPI_Finalize()\nend program\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	build := func() ([]byte, error) {
		cmd := exec.Command(filepath.Join(dir, "mpifort"), "-o", filepath.Join(dir, "p"), source)
		cmd.Dir = dir
		return cmd.CombinedOutput()
	}
	if out, err := build(); err == nil ||
		!strings.Contains(
			string(out),
			"found no no-such-compiler, expected it to be installed (FABRICAST_FC may name another)",
		) {
		t.Errorf("found %v and %s, expected that the compiler is missing", err, out)
	}
	t.Setenv("FABRICAST_FC", "gfortran")
	if out, err := build(); err != nil {
		t.Errorf("found %v and\n%s\nexpected the modules to be made now", err, out)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "fabricast-mpi/include/modules.*")); len(left) > 0 {
		t.Errorf("found %q left", left)
	}
}
