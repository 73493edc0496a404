//go:build cgo && linux && amd64

package cmpi_test

import (
	"context"
	"strings"
	"testing"

	"fabricast"
	"fabricast/cmpi"
)

// TestMismatch has ranks call different collectives, with and without getting stuck from that.
func TestMismatch(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{
			"roots", "MPI_Bcast(&x, 1, MPI_INT, rank == 2, MPI_COMM_WORLD);",
			"collectives do not match: rank 0 called MPI_Bcast as number 1 on a communicator with root 0, rank 2 with root 1",
		},
		{
			"functions", "MPI_Barrier(MPI_COMM_WORLD); if (rank == 1) MPI_Barrier(MPI_COMM_WORLD); else MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);",
			"collectives do not match: rank 0 called MPI_Bcast as number 2 on a communicator, rank 1 called MPI_Barrier",
		},
		{
			"background", "if (rank == 3) { MPI_Ibarrier(MPI_COMM_WORLD, &q); MPI_Wait(&q, MPI_STATUS_IGNORE); } else MPI_Barrier(MPI_COMM_WORLD);",
			"collectives do not match: rank 0 called MPI_Barrier as number 1 on a communicator, rank 3 called MPI_Ibarrier",
		},
		{
			"communicators", "MPI_Comm c; MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &c); if (rank % 2) MPI_Barrier(c); else MPI_Bcast(&x, 1, MPI_INT, 1, c); MPI_Barrier(MPI_COMM_WORLD);",
			"",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			program := compileText(t, `int main(int argc, char **argv) {
				int rank, x = 0;
				MPI_Request q;
				MPI_Init(&argc, &argv);
				MPI_Comm_rank(MPI_COMM_WORLD, &rank);
				`+test.body+`
				MPI_Finalize();
				return 0;
			}`)
			for _, workers := range []int{1, 2} {
				e := torus(4)
				job, err := cmpi.Load(program, nil, cmpi.Options{Ranks: 4})
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
