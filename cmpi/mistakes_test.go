//go:build cgo && linux && amd64

package cmpi_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fabricast"
	"fabricast/node"
)

// mistakes are what ranks do wrong with their memory, and what the error of the rank says. Those
// with two ranks named may end as an error of either.
var mistakes = []struct{ name, body, want string }{
	{
		"frame beyond the guard",
		`if (rank == 1) use(atol("20000000"));`,
		`rank 1 .*stack overflow: more than 8192 KiB .*at program.c:\d+ \(the last call was MPI_Comm_rank\)`,
	},
	{"endless recursion", `if (rank == 2) x[0] = recurse(1);`, `rank 2 .*stack overflow: more than 8192 KiB`},
	{
		"own code",
		`if (rank == 1) *(int *)gone = 3;`,
		`rank 1 .*segmentation fault at address 0x[0-9a-f]+000 at program.c:\d+ \(the last call was MPI_Comm_rank\)`,
	},
	{
		"the library's code",
		`if (rank == 1) x[0] = strlen(gone);`,
		`rank 1 .*segmentation fault at address 0x[0-9a-f]+000 \(the last call was MPI_Comm_rank\)`,
	},
	{
		"an operation of its own",
		`MPI_Op op; MPI_Op_create(wild, 1, &op); MPI_Allreduce(x, y, 8, MPI_INT, op, MPI_COMM_WORLD);`,
		`segmentation fault at address 0x[0-9a-f]+000`,
	},
	{
		"a count larger than the buffer, to all",
		`MPI_Bcast(rank ? x : closed - 64, rank ? 64 : 1 << 20, MPI_INT, 0, MPI_COMM_WORLD);`,
		`rank 0 .*MPI_Bcast: found no memory to read at address 0x[0-9a-f]+000, expected 4194304 bytes`,
	},
	{
		"a count larger than any memory",
		`MPI_Allreduce(x, y, 2000000000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);`,
		`MPI_Allreduce: found no memory to read at address 0x[0-9a-f]+000, expected 16000000000 bytes`,
	},
	{
		"a count that overflows",
		`MPI_Datatype huge, more; MPI_Type_contiguous(2000000000, MPI_DOUBLE, &huge); MPI_Type_contiguous(1000000000, huge, &more); MPI_Type_commit(&more);
		MPI_Send(x, 2000000000, more, rank, 0, MPI_COMM_WORLD);`,
		`MPI_Type_contiguous: found 1000000000 elements of 16000000000 bytes each, expected what a datatype can hold`,
	},
	{
		"a receive beyond its buffer", `if (rank == 0) MPI_Send(big, 4096, MPI_INT, 1, 0, MPI_COMM_WORLD);
		if (rank == 1) MPI_Recv(closed - 64, 4096, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);`,
		`rank 1 .*MPI_Recv: found no usable memory at address 0x[0-9a-f]+000, expected memory of the program to receive 16384 bytes into, from 0x[0-9a-f]+fc0 on`,
	},
	{
		"memory that goes before its synchronous send is complete",
		`char *p = map(); MPI_Request q; if (rank == 0) MPI_Issend(p, 1024, MPI_INT, 1, 0, MPI_COMM_WORLD, &q); MPI_Barrier(MPI_COMM_WORLD);
		munmap(p, 4096); MPI_Barrier(MPI_COMM_WORLD); if (rank == 1) MPI_Recv(big, 1024, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank == 0) MPI_Wait(&q, MPI_STATUS_IGNORE);`,
		`rank 0 .*found no usable memory at address 0x[0-9a-f]+, expected memory of the program to send 4096 bytes, until the send is complete, from 0x[0-9a-f]+000 on`,
	},
	{"a receive into constants", `if (rank == 0) MPI_Send(x, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
		if (rank == 1) MPI_Recv(constant, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);`, `rank 1 .*MPI_Recv: found no usable memory`},
	{
		"a receive into memory that has gone",
		`MPI_Request q; char *p = map(); MPI_Irecv(p, 4, MPI_INT, (rank + 1) % 3, 0, MPI_COMM_WORLD, &q); munmap(p, 4096);
		MPI_Barrier(MPI_COMM_WORLD); MPI_Send(x, 4, MPI_INT, (rank + 2) % 3, 0, MPI_COMM_WORLD); MPI_Wait(&q, MPI_STATUS_IGNORE);`,
		`MPI_(Wait|Send|Barrier): found no usable memory .*to receive 16 bytes into`,
	},
	{
		"a collective in memory that has gone",
		`MPI_Request q; char *p = map(); MPI_Iallgather(x, 256, MPI_INT, p, 256, MPI_INT, MPI_COMM_WORLD, &q); munmap(p, 4096); MPI_Wait(&q, MPI_STATUS_IGNORE);`,
		`found no usable memory`,
	},
	{
		"a reduction in memory that has gone",
		`MPI_Request q; char *p = map(); MPI_Iallreduce(x, p, 100, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q); munmap(p, 4096); MPI_Wait(&q, MPI_STATUS_IGNORE);`,
		`found no usable memory`,
	},
	{
		"a window over nothing",
		`MPI_Win w; MPI_Win_create(gone, 100, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);`,
		`MPI_Win_create: found no memory in parts of the 100 bytes from address 0x[0-9a-f]+000 on`,
	},
	{
		"a window larger than its memory",
		`MPI_Win w; MPI_Win_create(x, 1l << 40, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);`,
		`MPI_Win_create: found .* 1099511627776 bytes .*expected memory of the program`,
	},
	{
		"a put into a window that has gone",
		window + `if (rank == 0) MPI_Put(x, 4, MPI_INT, 1, 0, 4, MPI_INT, w); MPI_Win_fence(0, w);`,
		`rank 1 .*found no usable memory .*to put 16 bytes into`,
	},
	{
		"a get from a window that has gone",
		window + `if (rank == 0) MPI_Get(x, 4, MPI_INT, 1, 0, 4, MPI_INT, w); MPI_Win_fence(0, w);`,
		`rank 1 .*found no usable memory .*to fetch 16 bytes from`,
	},
	{
		"an accumulate on a window that has gone",
		window + `if (rank == 0) MPI_Accumulate(x, 4, MPI_INT, 1, 0, 4, MPI_INT, MPI_SUM, w); MPI_Win_fence(0, w);`,
		`rank 1 .*found no usable memory .*to change 16 bytes of`,
	},
	{
		"an accumulate with gaps on a window that has gone",
		window + `MPI_Datatype v; MPI_Type_vector(4, 1, 2, MPI_INT, &v); MPI_Type_commit(&v);
		if (rank == 0) MPI_Accumulate(x, 4, MPI_INT, 1, 0, 1, v, MPI_SUM, w); MPI_Win_fence(0, w);`,
		`rank 1 .*found no usable memory .*to change 16 bytes of`,
	},
	{
		"a get with gaps from a window that has gone",
		window + `MPI_Datatype v; MPI_Type_vector(4, 1, 2, MPI_INT, &v); MPI_Type_commit(&v);
		if (rank == 0) MPI_Get(x, 4, MPI_INT, 1, 0, 1, v, w); MPI_Win_fence(0, w);`,
		`rank 1 .*found no usable memory .*to fetch 16 bytes from`,
	},
	{
		"a swap in a window that has gone",
		window + `if (rank == 0) MPI_Compare_and_swap(x, y, y, MPI_INT, 1, 0, w); MPI_Win_fence(0, w);`,
		`rank 1 .*found no usable memory`,
	},
	{
		"memory of the simulator",
		`MPI_Recv((void *)0xc000000000, 4, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);`,
		`MPI_Recv: found address 0xc000000000 for 1 bytes to write, where the simulator's own memory is`,
	},
	{
		"a bad name of shared memory",
		`if (rank == 0) Fabricast_Shared_malloc(10, gone); Fabricast_Shared_malloc(10, "name");`,
		`rank 0 .*segmentation fault`,
	},
	{
		"an alarm without a handler",
		`if (rank == 1) { alarm(2); sleep(5); }`,
		`rank 1 failed at 2 s.*the program raised signal 14`,
	},
}

// window makes a window whose memory is gone on rank 1.
const window = `MPI_Win w; char *p = map(); MPI_Win_create(p, 4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w); MPI_Win_fence(0, w); if (rank == 1) munmap(p, 4096); `

const mistaken = `#include <mpi.h>
#include <fabricast.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static char *gone, *closed, *constant;
static int x[1024], y[1024], big[4096];
static char *map(void) { return mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
__attribute__((noinline)) static int use(long n) { volatile char frame[n]; frame[0] = 1; return frame[0]; }
__attribute__((noinline)) static int recurse(int n) { volatile int a[50]; a[n %% 50] = n; return recurse(n + 1) + a[n %% 50]; }
static void wild(void *a, void *b, int *n, MPI_Datatype *t) { *(int *)gone = 1; }
int main(int argc, char **argv) {
  int rank;
  gone = mmap(0, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), closed = gone + 2 * 4096, constant = map();
  munmap(gone, 4096), mprotect(closed, 4096, PROT_NONE), mprotect(constant, 4096, PROT_READ);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  (void)use, (void)recurse, (void)wild, (void)big, (void)y;
  switch (atoi(argv[1])) {
%s  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
`

// TestMistakes demands that whatever a rank does wrong with its memory ends as an error of that
// rank that says what, whoever finds it: the program's code, what is done on its behalf, or the
// simulated network when a message comes.
func TestMistakes(t *testing.T) {
	var cases strings.Builder
	for i, m := range mistakes {
		fmt.Fprintf(&cases, "    case %d: { %s break; }\n", i, m.body)
	}
	source := filepath.Join(t.TempDir(), "program.c")
	if err := os.WriteFile(source, fmt.Appendf(nil, mistaken, cases.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	program := compileWith(t, source, "-g")
	for i, m := range mistakes {
		first := ""
		for _, workers := range []int{1, 2, 3} {
			_, _, err := run(t, torus(3), program, workers, fmt.Sprint(i))
			var failed *fabricast.RunError
			var panicked node.PanicError
			if !errors.As(err, &failed) || errors.As(err, &panicked) ||
				!regexp.MustCompile(m.want).MatchString(err.Error()) {
				t.Errorf("%s, %d workers: found %v, expected %s", m.name, workers, err, m.want)
				break
			}
			at := fmt.Sprint(failed.Rank, failed.Time)
			if first != "" && at != first {
				t.Errorf(
					"%s: found rank and time %s with %d workers, expected %s",
					m.name, at, workers, first,
				)
			}
			first = at
		}
	}
}

// TestFortranStack demands that arrays of Fortran that are on the stack are noticed when they do
// not fit.
func TestFortranStack(t *testing.T) {
	source := filepath.Join(t.TempDir(), "program.f90")
	text := `program p
  use mpi
  integer :: ierr
  call MPI_Init(ierr)
  call work(4000000)
  call MPI_Finalize(ierr)
contains
  subroutine work(n)
    integer, intent(in) :: n
    double precision :: a(n)
    a(n/2:) = 1
    print *, sum(a(n-3:))
  end subroutine
end program
`
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := run(t, torus(2), compileWith(t, source, "-fstack-arrays"), 1)
	if err == nil ||
		!strings.Contains(
			err.Error(),
			"rank 0 failed at 0 ps of simulated time: stack overflow: more than 8192 KiB (see the option --stack)",
		) {
		t.Errorf("found %v, expected a stack overflow", err)
	}
}

// compileWith is compile with a flag.
func compileWith(t *testing.T, source, flag string) string {
	t.Helper()
	dir, err := bin()
	if err != nil {
		t.Fatal(err)
	}
	compiler := map[string]string{".c": "mpicc", ".f90": "mpifort"}[filepath.Ext(source)]
	program := filepath.Join(t.TempDir(), "program")
	cmd := exec.Command(filepath.Join(dir, compiler), flag, "-O1", "-w", "-o", program, source)
	cmd.Dir = filepath.Dir(program)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// matches tells whether an error says something; "" stands for none.
func matches(err error, pattern string) bool {
	if pattern == "" || err == nil {
		return pattern == "" && err == nil
	}
	return regexp.MustCompile(pattern).MatchString(err.Error())
}
