//go:build cgo && linux && amd64

package cmpi_test

import (
	"strconv"
	"testing"

	"fabricast/cmpi"
)

// A program that does nothing but read the clock until a time has come sees it come, not much later.
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
