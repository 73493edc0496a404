//go:build cgo && linux && amd64

package cmpi_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fabricast/cmpi"
)

// A program that does nothing but read the clock until a time has come sees it come, not much
// later.
func TestReadingTheClockLetsTimePass(t *testing.T) {
	program := compileText(t, `
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  double begin = MPI_Wtime();
  while (MPI_Wtime() - begin < 0.01) ;
  printf("%.0f\n", (MPI_Wtime() - begin) * 1e9);
  MPI_Finalize();
}`)
	lines, _, err := run(t, torus(1), program, 1)
	if err != nil {
		t.Fatal(err)
	}
	if ns, err := strconv.Atoi(lines[0]); err != nil || ns < 10_000_000 || ns > 10_001_000 {
		t.Fatalf("found %q ns, expected hardly more than 10 ms", lines[0])
	}
}

// All clocks tell simulated time, and all ways to sleep let it pass, also where a thread of the
// program's own asks.
func TestClocksOfC(t *testing.T) {
	program := compileText(t, `
#include <poll.h>
#include <pthread.h>
#include <sys/select.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>
static void *other(void *begin) { return (void *)(time(0) - *(time_t *)begin); }
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  struct tms unused;
  struct timespec t, later;
  struct timeval limit = {1, 0};
  time_t begin = time(0);
  clock_t ticks = times(&unused);
  timespec_get(&t, TIME_UTC);
  select(0, 0, 0, 0, &limit);
  poll(0, 0, 1000);
  later = t, later.tv_sec += 3;
  clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &later, 0);
  clock_gettime(CLOCK_REALTIME, &later);
  pthread_t thread;
  void *seen;
  pthread_create(&thread, 0, other, &begin);
  pthread_join(thread, &seen);
  printf("%ld %ld %ld %ld\n", (long)(time(0) - begin), (long)(times(&unused) - ticks) / sysconf(_SC_CLK_TCK), (long)(later.tv_sec - t.tv_sec), (long)seen);
  MPI_Finalize();
}`)
	lines, _, err := run(t, torus(1), program, 1)
	if err != nil || !slices.Equal(lines, []string{"3 3 3 3"}) {
		t.Fatalf("found %q and error %v, expected 3 seconds by all clocks", lines, err)
	}
}

// Fortran's own clocks tell simulated time.
func TestClocksOfFortran(t *testing.T) {
	source := filepath.Join(t.TempDir(), "program.f90")
	text := `program clocks
  use mpi
  integer :: code, values(8), few, fewer
  integer(8) :: begin, end, rate
  character(10) :: clock
  character(8) :: day
  real :: midnight
  call MPI_Init(code)
  call system_clock(begin, rate)
  call system_clock(few)
  midnight = secnds(0.0)
  call sleep(2)
  call system_clock(end)
  call system_clock(fewer)
  call date_and_time(day, clock, values=values)
  print '(i0,1x,i0,1x,f3.1,1x,a,1x,a,1x,i0)', (end - begin) / rate, fewer - few, secnds(midnight), day, clock(5:), values(7)
  call MPI_Finalize(code)
end program`
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	lines, _, err := run(t, torus(1), compile(t, source), 1)
	if err != nil || strings.TrimSpace(strings.Join(lines, "")) != "2 2000 2.0 20010909 42.000 42" {
		t.Fatalf("found %q and error %v", lines, err)
	}
}

// Programs that never need answers of NICs are told from others by the functions that they name.
func TestTwoSided(t *testing.T) {
	for call, want := range map[string]bool{
		"MPI_Send(0, 0, MPI_INT, 0, 0, MPI_COMM_WORLD)":  true,
		"MPI_Ssend(0, 0, MPI_INT, 0, 0, MPI_COMM_WORLD)": false,
		"PMPI_Win_fence(0, 0)":                           false,
	} {
		program := compileText(t, "int main(int argc, char **argv) { "+call+"; }")
		job, err := cmpi.Load(program, nil, cmpi.Options{Ranks: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := job.TwoSided(); got != want {
			t.Errorf("%s: found two-sided %v, expected %v", call, got, want)
		}
	}
}

// What a program predicts does not depend on whether it is known to be two-sided.
func TestTwoSidedPredictsTheSame(t *testing.T) {
	program := compile(t, "testdata/programs/collectives.c")
	var hashes [2]string
	for i, known := range []bool{false, true} {
		e := torus(8)
		e.TwoSided = known
		_, result, err := run(t, e, program, 1+i)
		if err != nil {
			t.Fatal(err)
		}
		hashes[i] = result.Hash
	}
	if hashes[0] != hashes[1] {
		t.Fatalf("found hashes %s, expected them to be equal", hashes)
	}
}
