//go:build cgo && linux && amd64

package cmpi_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"fabricast"
	"fabricast/experiment"
	"fabricast/topology"
)

// TestMoreRanksThanMappings has so many ranks that the kernel allows no mapping for the code of each.
// Variables, those with addresses in them included, are still a rank's own.
func TestMoreRanksThanMappings(t *testing.T) {
	program := compileText(t, `
static int initial = 5, zero;
static int *to_initial = &initial;
static int add(int x) { return x + initial; }
static int (*const functions[])(int) = {add};
int main(int argc, char **argv) {
  int rank, n, wrong = 0, before = -1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  wrong += initial != 5 || zero != 0;
  *to_initial += rank;
  zero = rank;
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % n, 0, &before, 1, MPI_INT, (rank + n - 1) % n, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  wrong += before != (rank + n - 1) % n;
  wrong += initial != 5 + rank || zero != rank || to_initial != &initial || functions[0](1) != 6 + rank;
  if (wrong) abort();
  if (rank == 0 || rank == n - 1) printf("%d of %d ranks\n", rank, n);
  MPI_Finalize();
}`)
	text, err := os.ReadFile("/proc/sys/vm/max_map_count")
	if err != nil {
		t.Fatal(err)
	}
	var allowed int
	if _, err := fmt.Sscan(string(text), &allowed); err != nil {
		t.Fatal(err)
	}
	n := min(allowed/4+1000, 20_000)
	e := &fabricast.Experiment{
		Network: experiment.Network{Topology: topology.TorusSpec{Dims: []int{28, 28, 28}}},
		Ranks:   n,
	}
	got, _, err := run(t, e, program, 2)
	want := []string{fmt.Sprintf("0 of %d ranks", n), fmt.Sprintf("%d of %d ranks", n-1, n)}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, found\n%s\nexpected\n%s", err, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
