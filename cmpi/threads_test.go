//go:build cgo && linux && amd64

package cmpi_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// build compiles and links with one of the wrappers.
func build(t *testing.T, compiler string, args ...string) {
	t.Helper()
	dir, err := bin()
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(filepath.Join(dir, compiler), args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", compiler, strings.Join(args, " "), err, out)
	}
}

// TestOpenMP runs regions of which calls of MPI are part, on one and on more workers: every team is
// its rank alone.
func TestOpenMP(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	build(t, "mpicc", "-O1", "-fopenmp", "-o", program, "testdata/threads/openmp.c")
	for _, workers := range []int{1, 2} {
		got, _, err := run(t, torus(3), program, workers)
		if err != nil {
			t.Fatal(err)
		}
		for rank, line := range got {
			// sums of 0 to 99 and of 100, 93, ... 9; digits 10 to 0 of base 3; 3 ranks' 111 and 11;
			// sums up to 4 and 19; one and two sums up to 9
			if want := fmt.Sprintf("rank %d: 4950 763 841449 344 200 91, own %d, inside 0", rank, rank); line != want {
				t.Errorf("%d workers: found %q, expected %q", workers, line, want)
			}
		}
	}
}

func TestThreads(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	build(t, "mpicxx", "-O1", "-pthread", "-o", program, "testdata/threads/threads.cc")
	got, _, err := run(t, torus(2), program, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"end of 0", "end of 1", "rank 0: shared0, local0", "rank 1: shared1, local1", "thread 0: local of thread", "thread 1: local of thread",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s\nexpected\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
