//go:build cgo && linux && amd64

package cmpi_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"fabricast"
	"fabricast/cmpi"
	"fabricast/collective"
	"fabricast/experiment"
	"fabricast/topology"
)

// reduced is a program whose switches know one of the two operations.
const reduced = `
#include <string.h>
static unsigned long long bits(double x) {
  unsigned long long b;
  memcpy(&b, &x, 8);
  return b;
}
static void add(void *in, void *sum, int *n, MPI_Datatype *type) {
  for (int i = 0; i < *n; i++) ((double *)sum)[i] += ((double *)in)[i];
}
int main(int argc, char **argv) {
  int rank, size;
  double x[20], s[20], own[20], top[20];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  for (int i = 0; i < 20; i++) x[i] = 1.0 / (3 + i + 7 * rank);
  MPI_Allreduce(x, s, 20, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(x, own, 20, MPI_DOUBLE, op, MPI_COMM_WORLD);
  MPI_Reduce(x, top, 20, MPI_DOUBLE, MPI_SUM, 3, MPI_COMM_WORLD);
  MPI_Bcast(top, 20, MPI_DOUBLE, 3, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 20; i++) 
    printf("%d %d %llx %llx %llx\n", rank, i, bits(s[i]), bits(top[i]), bits(own[i]));
  MPI_Finalize();
  return 0;
}
`

// TestInNetwork runs a program on a fat tree whose switches reduce, for any number of workers. Sums are those of the
// tree's order: pairs of ranks at the leaves, and these one after the other at the root. An operation of
// the program's own is carried out by the ranks, by recursive doubling.
func TestInNetwork(t *testing.T) {
	program := compileText(t, reduced)
	var want []string
	bits := math.Float64bits
	other := 0
	for i := range 20 {
		x := func(rank int) float64 { return 1 / float64(3+i+7*rank) }
		pair := func(leaf int) float64 { return x(2*leaf) + x(2*leaf+1) }
		tree := ((pair(0) + pair(1)) + pair(2)) + pair(3)
		ranks := (pair(0) + pair(1)) + (pair(2) + pair(3))
		if tree != ranks {
			other++
		}
		for rank := range 8 {
			want = append(want, fmt.Sprintf("%d %d %x %x %x", rank, i, bits(tree), bits(tree), bits(ranks)))
		}
	}
	if other == 0 {
		t.Fatal("all orders of these sums are alike")
	}
	slices.Sort(want)
	algorithms := map[collective.Kind]collective.Algorithm{}
	for _, k := range []collective.Kind{
		collective.KindAllreduce, collective.KindReduce, collective.KindBroadcast, collective.KindBarrier,
	} {
		algorithms[k] = collective.InNetwork
	}
	var first *fabricast.Result
	for workers := 1; workers <= 3; workers++ {
		e := &fabricast.Experiment{
			Network: experiment.Network{
				Topology:  topology.FatTreeSpec{Radix: 4, Levels: 2},
				InNetwork: experiment.InNetwork{Kind: experiment.InNetworkLLT, Payload: 64},
			},
			Ranks: 8,
		}
		got, r, err := runOf(
			t, e, program, cmpi.Options{Algorithms: algorithms}, []fabricast.Option{fabricast.Workers(workers)},
		)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%d workers: found\n%s\nexpected\n%s", workers, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if first == nil {
			first = r
		}
		if r.Hash != first.Hash || r.SimulatedTime != first.SimulatedTime {
			t.Errorf("%d workers: %s %v, 1: %s %v", workers, r.Hash, r.SimulatedTime, first.Hash, first.SimulatedTime)
		}
	}
}
