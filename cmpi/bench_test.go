//go:build cgo && linux && amd64

package cmpi_test

import (
	"context"
	"strconv"
	"testing"

	"fabricast"
	"fabricast/cmpi"
	"fabricast/experiment"
	"fabricast/topology"
)

// waiting are programs that wait for one message at a time, whose argument is how often.
var waiting = []struct {
	name, text string
	ranks      int
}{
	{"Barrier", `int main(int c, char **v) {
	int n = atoi(v[1]);
	MPI_Init(&c, &v);
	while (n-- > 0) MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
}`, 64},
	{"PingPong", `int main(int c, char **v) {
	int n = atoi(v[1]), rank;
	char b[8] = {0};
	MPI_Init(&c, &v);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	while (n-- > 0) {
		if (rank == 0) MPI_Send(b, 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
		MPI_Recv(b, 8, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank == 1) MPI_Send(b, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
}`, 2},
	{"Alltoall", `int main(int c, char **v) {
	int n = atoi(v[1]), size;
	MPI_Init(&c, &v);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	char *a = calloc(size, 1024), *b = calloc(size, 1024);
	while (n-- > 0) MPI_Alltoall(a, 1024, MPI_CHAR, b, 1024, MPI_CHAR, MPI_COMM_WORLD);
	MPI_Finalize();
}`, 256},
}

// BenchmarkPrograms runs each program once, on a torus of 4 GB/s; an operation is an iteration of
// it.
func BenchmarkPrograms(b *testing.B) {
	for _, w := range waiting {
		b.Run(w.name, func(b *testing.B) {
			job, err := cmpi.Load(
				compileText(b, w.text),
				[]string{strconv.Itoa(b.N)},
				cmpi.Options{Ranks: w.ranks},
			)
			if err != nil {
				b.Fatal(err)
			}
			e := &fabricast.Experiment{
				Network: experiment.Network{
					Topology: topology.TorusSpec{Dims: []int{8, 8, 16}},
					Link:     experiment.Link{Bandwidth: 4 * fabricast.GBPerSecond},
				},
				Ranks: w.ranks, Launch: job.Launcher(), TwoSided: job.TwoSided(),
			}
			b.ResetTimer()
			if _, err := e.Run(context.Background(), fabricast.Workers(1)); err != nil {
				b.Fatal(err)
			}
		})
	}
}
