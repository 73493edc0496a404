//go:build cgo && linux && amd64

package cmpi_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"fabricast"
	"fabricast/cmpi"
)

// TestMismatch has ranks call different collectives, with and without getting stuck from that.
func TestMismatch(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{
			"roots", "MPI_Bcast(x, 1, MPI_INT, rank == 2, MPI_COMM_WORLD);",
			"collectives do not match: rank 0 called MPI_Bcast as number 1 on a communicator with root 0, rank 2 with root 1",
		},
		{
			"functions", "MPI_Barrier(MPI_COMM_WORLD); if (rank == 1) MPI_Barrier(MPI_COMM_WORLD); else MPI_Bcast(x, 1, MPI_INT, 0, MPI_COMM_WORLD);",
			"collectives do not match: rank 0 called MPI_Bcast as number 2 on a communicator, rank 1 called MPI_Barrier",
		},
		{
			"background", "if (rank == 3) { MPI_Ibarrier(MPI_COMM_WORLD, &q); MPI_Wait(&q, MPI_STATUS_IGNORE); } else MPI_Barrier(MPI_COMM_WORLD);",
			"collectives do not match: rank 0 called MPI_Barrier as number 1 on a communicator, rank 3 called MPI_Ibarrier",
		},
		{
			"lengths", "MPI_Barrier(MPI_COMM_WORLD); MPI_Allreduce(x, y, 1 + (rank == 3), MPI_INT, MPI_SUM, MPI_COMM_WORLD);",
			"collectives do not match: rank 0 called MPI_Allreduce as number 2 on a communicator for 4 bytes, rank 3 for 8",
		},
		{
			"shorter at the root", "MPI_Bcast(x, rank ? 2 : 1, MPI_INT, 0, MPI_COMM_WORLD);",
			"collectives do not match: rank 0 called MPI_Bcast as number 1 on a communicator for 4 bytes, rank 1 for 8",
		},
		{
			"parts", "MPI_Gather(x, rank == 2 ? 1 : 2, MPI_INT, y, 2, MPI_INT, 1, MPI_COMM_WORLD);",
			"collectives do not match: rank 0 called MPI_Gather as number 1 on a communicator for 8 bytes, rank 2 for 4",
		},
		{
			"operations", "MPI_Reduce(x, y, 1, MPI_INT, rank == 1 ? MPI_MAX : MPI_SUM, 0, MPI_COMM_WORLD);",
			"collectives do not match: rank 0 called MPI_Reduce as number 1 on a communicator with MPI_SUM, rank 1 with MPI_MAX",
		},
		{
			"counts of all ranks", "int n[4] = {1, 1, 1, 1}, at[4] = {0, 2, 4, 6}; if (rank == 3) n[0] = 2; MPI_Allgatherv(x, 1, MPI_INT, y, n, at, MPI_INT, MPI_COMM_WORLD);",
			"collectives do not match: rank 0 called MPI_Allgatherv as number 1 on a communicator with other counts than rank 3",
		},
		{
			"operations of the program's own", `MPI_Op a, b;
				void f(void *in, void *out, int *n, MPI_Datatype *t) {}
				if (rank == 2) MPI_Op_create(f, 1, &b);
				MPI_Op_create(f, 1, &a);
				MPI_Allreduce(x, y, 1, MPI_INT, a, MPI_COMM_WORLD);
				MPI_Scatter(x, 1, MPI_LONG, y, 2, MPI_INT, 0, MPI_COMM_SELF);
				MPI_Gather(x, 2, MPI_INT, y, rank ? 77 : 2, rank ? MPI_FLOAT : MPI_INT, 0, MPI_COMM_WORLD);`,
			"",
		},
		{
			"communicators", "MPI_Comm c; MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &c); if (rank % 2) MPI_Barrier(c); else MPI_Bcast(x, 1, MPI_INT, 1, c); MPI_Barrier(MPI_COMM_WORLD);",
			"",
		},
	}
	texts := make([]string, len(tests))
	for i, test := range tests {
		texts[i] = `int main(int argc, char **argv) {
			int rank, x[16] = {0}, y[16] = {0};
			MPI_Request q;
			MPI_Init(&argc, &argv);
			MPI_Comm_rank(MPI_COMM_WORLD, &rank);
			` + test.body + `
			MPI_Finalize();
			return 0;
		}`
	}
	program := compileCases(t, texts...)
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, workers := range []int{1, 2} {
				e := torus(4)
				job, err := cmpi.Load(program, []string{fmt.Sprint(i)}, cmpi.Options{Ranks: 4})
				if err != nil {
					t.Fatal(err)
				}
				e.Launch = job.Launcher()
				_, _ = e.Run(context.Background(), fabricast.Workers(workers)) // it may be stuck
				found := ""
				if err := job.Mismatch(); err != nil {
					found = err.Error()
				}
				if found != test.want {
					t.Errorf("%d workers: found %q, expected %q", workers, found, test.want)
				}
			}
		})
	}
}

// TestSignals has ranks with handlers of their own, which the simulator's survive.
func TestSignals(t *testing.T) {
	program := compileText(t, `#include <signal.h>
		static int seen;
		static void count(int signal) { seen += signal; }
		int main(int argc, char **argv) {
			int rank;
			MPI_Init(&argc, &argv);
			MPI_Comm_rank(MPI_COMM_WORLD, &rank);
			if (rank == 0) signal(SIGUSR1, count);
			signal(SIGSEGV, SIG_DFL);
			MPI_Barrier(MPI_COMM_WORLD);
			if (rank == 0) raise(SIGUSR1);
			printf("rank %d: %d\n", rank, seen == (rank ? 0 : SIGUSR1));
			MPI_Barrier(MPI_COMM_WORLD);
			if (rank == 1) *(volatile int *)8 = 1;
			MPI_Finalize();
			return 0;
		}`)
	_, _, err := run(t, torus(2), program, 1)
	if err == nil || !strings.Contains(err.Error(), "segmentation fault") {
		t.Errorf("found %v, expected a segmentation fault of rank 1", err)
	}
}
