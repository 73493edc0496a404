//go:build cgo && linux && amd64

package cmpi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestNullStatus demands the error that MPICH has for the place of a status that is null, of every
// function that takes one.
func TestNullStatus(t *testing.T) {
	program := compileText(t, begin+`
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Status *no = 0;
  MPI_Request q[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Message m = MPI_MESSAGE_NO_PROC;
  MPI_Count n;
  int i[2];
#define TRY(call) MPI_Error_class(call, &code), printf("%s %d\n", #call, code == MPI_ERR_ARG)
  TRY(MPI_Wait(q, no));
  TRY(MPI_Test(q, &flag, no));
  TRY(MPI_Waitany(2, q, i, no));
  TRY(MPI_Testany(2, q, i, &flag, no));
  TRY(MPI_Waitall(2, q, no));
  TRY(MPI_Testall(2, q, &flag, no));
  TRY(MPI_Waitsome(2, q, x, i, no));
  TRY(MPI_Testsome(2, q, x, i, no));
  TRY(MPI_Request_get_status(q[0], &flag, no));
  TRY(MPI_Recv(x, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, no));
  TRY(MPI_Sendrecv(x, 1, MPI_INT, rank, 0, y, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, no));
  TRY(MPI_Sendrecv_replace(x, 1, MPI_INT, rank, 0, rank, 0, MPI_COMM_WORLD, no));
  TRY(MPI_Probe(rank, 0, MPI_COMM_WORLD, no));
  TRY(MPI_Iprobe(rank, 0, MPI_COMM_WORLD, &flag, no));
  TRY(MPI_Mprobe(rank, 0, MPI_COMM_WORLD, &m, no));
  TRY(MPI_Improbe(rank, 0, MPI_COMM_WORLD, &flag, &m, no));
  TRY(MPI_Mrecv(x, 1, MPI_INT, &m, no));
  TRY(MPI_Get_count(no, MPI_INT, x));
  TRY(MPI_Get_elements(no, MPI_INT, x));
  TRY(MPI_Get_elements_x(no, MPI_INT, &n));
  TRY(MPI_Test_cancelled(no, x));
  TRY(MPI_Status_set_cancelled(no, 0));
  TRY(MPI_Status_set_elements(no, MPI_INT, 0));
  TRY(MPI_Test(q, (int *)0, MPI_STATUS_IGNORE));
  TRY(MPI_Iprobe(rank, 0, MPI_COMM_WORLD, (int *)0, MPI_STATUS_IGNORE));
  MPI_Waitall(0, q, no);
  MPI_Testall(0, q, &flag, no);
  MPI_Wait(q, MPI_STATUS_IGNORE);`+end)
	lines, _, err := run(t, torus(1), program, 1)
	if err != nil || len(lines) != 25 {
		t.Fatalf("found %q and error %v", lines, err)
	}
	for _, line := range lines {
		if !strings.HasSuffix(line, " 1") {
			t.Errorf("%s: expected MPI_ERR_ARG", line)
		}
	}
}

// epochs draws what a rank does with a window: fence, put, lock, lock all, start, each with what the
// standard says of it, and frees in the epoch of a fence, in which no other rank takes part.
func epochs(t *rapid.T) (steps, want string) {
	fenced, accessed := false, false
	for range rapid.IntRange(1, 12).Draw(t, "steps") {
		step := rapid.SampledFrom([]string{"f", "p", "l", "a", "e"}).Draw(t, "step")
		wrong := false
		switch step {
		case "f":
			fenced, accessed = true, false
		case "p":
			wrong, accessed = !fenced, accessed || fenced
		case "l", "a":
			wrong, fenced = accessed, fenced && accessed
		case "e":
			if !accessed {
				continue
			}
			wrong = true
		}
		steps += step
		want += map[bool]string{false: "0", true: "1"}[wrong]
	}
	return steps + "f", want + "0"
}

// TestEpochsOfFences has a rank use windows in right and wrong orders. A window must not be locked
// or freed while accesses since the last fence are under way.
func TestEpochsOfFences(t *testing.T) {
	program := compileText(t, begin+`
  for (int i = 1; i < argc; i++) {
    MPI_Win w;
    MPI_Win_create(x, sizeof x, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_set_errhandler(w, MPI_ERRORS_RETURN);
    char out[64] = "";
    for (char *s = argv[i]; *s; s++) {
      MPI_Win copy = w;
      if (rank && *s != 'f') continue;
      code = *s == 'f' ? MPI_Win_fence(0, w) : *s == 'p' ? MPI_Put(y, 1, MPI_INT, 1, 0, 1, MPI_INT, w) :
             *s == 'l' ? MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, w) : *s == 'a' ? MPI_Win_lock_all(0, w) : MPI_Win_free(&copy);
      int class = MPI_SUCCESS;
      MPI_Error_class(code, &class);
      sprintf(out + strlen(out), "%d", class == MPI_ERR_RMA_SYNC);
      if (!code && *s == 'l') MPI_Win_unlock(1, w);
      if (!code && *s == 'a') MPI_Win_unlock_all(w);
    }
    MPI_Win_free(&w);
    if (!rank) printf("%s %s\n", argv[i], out);
  }`+end)
	rapid.Check(t, func(rt *rapid.T) {
		var args, want []string
		for range 6 {
			steps, outcome := epochs(rt)
			args, want = append(args, steps), append(want, steps+" "+outcome)
		}
		lines, _, err := run(t, torus(2), program, 1, args...)
		slices.Sort(want)
		if err != nil || !slices.Equal(lines, want) {
			rt.Fatalf("found %q and error %v, expected %q", lines, err, want)
		}
	})
}

// TestSignalsToOneself demands that a rank's signals to itself are caught by its own handlers,
// whatever sends them, and end it where there is none.
func TestSignalsToOneself(t *testing.T) {
	program := compileText(t, `#include <signal.h>
#include <unistd.h>
#include <pthread.h>
#include <string.h>
static volatile int caught[65], value;
static void handle(int signal) { caught[signal]++; }
static void handle_more(int signal, siginfo_t *info, void *context) { caught[signal]++, value = info->si_value.sival_int; }
static int send(const char *how, int s) {
  if (!strcmp(how, "raise")) return raise(s);
  if (!strcmp(how, "kill")) return kill(getpid(), s);
  if (!strcmp(how, "group")) return kill(0, s);
  if (!strcmp(how, "killpg")) return killpg(getpgrp(), s);
  if (!strcmp(how, "thread")) return pthread_kill(pthread_self(), s);
  return sigqueue(getpid(), s, (union sigval){.sival_int = 7});
}
int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  struct sigaction more = {.sa_sigaction = handle_more, .sa_flags = SA_SIGINFO};
  for (int i = 1; i + 1 < argc; i += 2) {
    int s = atoi(argv[i + 1]);
    if (!strcmp(argv[i], "queue")) sigaction(s, &more, 0);
    else if (rank == 1 || strcmp(argv[1], "die")) signal(s, handle);
    caught[s] = value = 0;
    int code = rank == 0 ? send(strcmp(argv[i], "die") ? argv[i] : "kill", s) : 0;
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d: %s %d: %d caught, %d, %d\n", rank, argv[i], s, caught[s], value, code);
  }
  if (kill(getpid(), 0)) return 1;
  MPI_Finalize();
  return 0;
}`)
	hows := []string{"raise", "kill", "group", "killpg", "thread", "queue"}
	rapid.Check(t, func(rt *rapid.T) {
		var args, want []string
		for range 8 {
			how := rapid.SampledFrom(hows).Draw(rt, "how")
			// HUP, USR1, USR2, PIPE, TERM, CHLD, CONT, WINCH
			s := rapid.SampledFrom([]int{1, 10, 12, 13, 15, 17, 18, 28}).Draw(rt, "signal")
			value := map[bool]int{true: 7}[how == "queue"]
			args = append(args, how, fmt.Sprint(s))
			want = append(
				want,
				fmt.Sprintf("0: %s %d: 1 caught, %d, 0", how, s, value),
				fmt.Sprintf("1: %s %d: 0 caught, 0, 0", how, s),
			)
		}
		lines, _, err := run(t, torus(2), program, 1, args...)
		slices.Sort(want)
		if err != nil || !slices.Equal(lines, want) {
			rt.Fatalf("found %q and error %v, expected %q", lines, err, want)
		}
	})
	if _, _, err := run(t, torus(2), program, 1, "die", "10"); err == nil ||
		!strings.Contains(err.Error(), "the program raised signal 10") {
		t.Errorf("found error %v, expected that the rank is ended by its signal", err)
	}
}

// TestStatedTimes demands that computation takes a time that can be, as it does in Go.
func TestStatedTimes(t *testing.T) {
	program := compileText(t, "#include <fabricast.h>\n"+begin+"  Fabricast_Compute(atof(argv[1]));"+end)
	for _, seconds := range []string{"-1", "-1e-300", "nan", "-nan", "inf", "-inf", "4000001", "1e300"} {
		if _, _, err := run(t, torus(1), program, 1, seconds); err == nil ||
			!strings.Contains(err.Error(), "Fabricast_Compute: found "+strings.Split(seconds, "e")[0][:1]) ||
			!strings.Contains(err.Error(), "expected 0 to 4000000") {
			t.Errorf("%s: found error %v, expected that it is refused", seconds, err)
		}
	}
	for _, seconds := range []string{"0", "-0.0", "1e-12", "4000000"} {
		if _, _, err := run(t, torus(1), program, 1, seconds); err != nil {
			t.Errorf("%s: %v", seconds, err)
		}
	}
}
