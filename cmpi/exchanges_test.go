//go:build cgo && linux && amd64

package cmpi_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fabricast"
	"fabricast/cmpi"
)

// notes runs a program and returns its notes.
func notes(t *testing.T, program string, ranks, workers int, args ...string) []string {
	t.Helper()
	e := torus(ranks)
	e.Network.Model = "contention-free"
	job, err := cmpi.Load(program, args, cmpi.Options{Ranks: ranks})
	if err != nil {
		t.Fatal(err)
	}
	e.Launch = job.Launcher()
	if _, err = e.Run(context.Background(), fabricast.Workers(workers)); err != nil {
		t.Fatal(err)
	}
	return job.Notes()
}

// exchange is an exchange drawn at random: each rank sends to one rank and receives from one, in one
// of several ways.
type exchange struct {
	ways  string // of each rank
	to    []int
	bytes int
}

func drawExchange(t *rapid.T) exchange {
	ranks := rapid.IntRange(2, 6).Draw(t, "ranks")
	x := exchange{bytes: rapid.SampledFrom([]int{8, 65532, 65536, 65536, 100000}).Draw(t, "bytes")}
	x.to = rapid.Permutation([]int{0, 1, 2, 3, 4, 5}[:ranks]).Draw(t, "to")
	for range ranks {
		x.ways += rapid.SampledFrom([]string{"s", "s", "s", "w", "r", "i", "x"}).Draw(t, "way")
	}
	return x
}

// deadlocks reports whether a library that buffers less would deadlock: the lowest rank of a circle
// of ranks that all send before they post their receive; else -1.
func (x *exchange) deadlocks() int {
	if x.bytes < 65536 {
		return -1
	}
	for start := range x.to {
		at, unsafe := start, true
		for {
			unsafe = unsafe && strings.Contains("sw", x.ways[at:at+1])
			if at = x.to[at]; at == start {
				break
			}
		}
		if unsafe {
			return start
		}
	}
	return -1
}

// TestUnsafeExchanges demands a note of exchanges in which all ranks of a circle send large messages
// before they receive, and of no others. Those that receive first would deadlock here too, so
// they wait only for ranks that send first.
func TestUnsafeExchanges(t *testing.T) {
	program := compileText(t, begin+`
  int to = atoi(argv[3] + 2 * rank), from = 0, bytes = atoi(argv[2]), rounds = 3;
  while (atoi(argv[3] + 2 * from) != rank) from++;
  char *a = calloc(1, bytes), *b = calloc(1, bytes), way = argv[1][rank];
  MPI_Request q;
  for (int i = 0; i < rounds; i++) {
    if (way == 'i') MPI_Irecv(b, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, &q);
    if (way == 'r') MPI_Recv(b, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (way == 'x') MPI_Sendrecv(a, bytes, MPI_BYTE, to, 0, b, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (way == 'w') MPI_Isend(a, bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD, &q), MPI_Wait(&q, MPI_STATUS_IGNORE);
    if (strchr("sir", way)) MPI_Send(a, bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD);
    if (strchr("sw", way)) MPI_Recv(b, bytes, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (way == 'i') MPI_Wait(&q, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }`+end)
	found := 0
	for seed := range 30 {
		x := rapid.Custom(drawExchange).Example(seed)
		for rank := range x.to { // a circle of ranks that only receive first would wait for ever
			if circle := x.circle(rank); !strings.ContainsAny(circle, "swix") {
				x.ways = x.ways[:rank] + "x" + x.ways[rank+1:]
			}
		}
		to := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(x.to)), ","), "[]")
		want := x.deadlocks()
		told := notes(t, program, len(x.to), 1+seed%2, x.ways, fmt.Sprint(x.bytes), to)
		if want < 0 && len(told) == 0 {
			continue
		}
		begin := fmt.Sprintf("unsafe exchange: rank %d sends %d bytes to rank %d", max(want, 0), x.bytes, x.to[max(want, 0)])
		if want < 0 || len(told) != 1 || !strings.HasPrefix(told[0], begin) {
			t.Fatalf("%+v: found %q, expected %d: %s", x, told, want, begin)
		}
		found++
	}
	if found == 0 {
		t.Error("no exchange was unsafe")
	}
}

// circle returns the ways of the ranks in a rank's circle.
func (x *exchange) circle(rank int) (ways string) {
	for at := rank; ; {
		ways += x.ways[at : at+1]
		if at = x.to[at]; at == rank {
			return ways
		}
	}
}

// TestMeasuredTeams demands that teams of threads, of OpenMP and of the program's own, are charged
// the processor time of one of them, and that users are told.
func TestMeasuredTeams(t *testing.T) {
	program := compile(t, "testdata/compute/teams.c", "-fopenmp")
	for _, test := range []struct {
		how      string
		from, to float64 // s
	}{
		{"clause", 0.010, 0.030}, // 40 ms of one processor, in a team of 4
		{"call", 0.010, 0.030},
		{"serial", 0.040, 0.120},  // a team of 1
		{"threads", 0.020, 0.060}, // 3 threads of 20 ms each
	} {
		e := torus(1)
		e.Compute.Mode = string(cmpi.ComputeMeasured)
		job, err := cmpi.Load(program, []string{test.how}, cmpi.Options{Ranks: 1, Compute: cmpi.ComputeMeasured})
		if err != nil {
			t.Fatal(err)
		}
		e.Launch = job.Launcher()
		result, err := e.Run(context.Background(), fabricast.Workers(1))
		if err != nil {
			t.Fatal(err)
		}
		if s := float64(result.SimulatedTime) / 1e12; s < test.from || s > test.to {
			t.Errorf("%s: found %g s, expected %g to %g", test.how, s, test.from, test.to)
		}
		told := slices.ContainsFunc(job.Notes(), func(n string) bool { return strings.Contains(n, "threads of the team") })
		if told == (test.how == "serial") {
			t.Errorf("%s: found notes %q", test.how, job.Notes())
		}
	}
}
