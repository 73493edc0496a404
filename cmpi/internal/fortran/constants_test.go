package fortran_test

import (
	"strings"
	"testing"

	"fabricast/cmpi/internal/fortran"
)

// TestTypesOfArguments demands what the standard says of an argument that is an array in one
// function only, and of a constant that is an offset.
func TestTypesOfArguments(t *testing.T) {
	module := fortran.Module08()
	_, spawn, _ := strings.Cut(module, "subroutine MPI_Comm_spawn(")
	_, multiple, _ := strings.Cut(module, "subroutine MPI_Comm_spawn_multiple(")
	spawn, _, _ = strings.Cut(spawn, "end subroutine")
	multiple, _, _ = strings.Cut(multiple, "end subroutine")
	if !strings.Contains(spawn, ":: maxprocs\n") || !strings.Contains(multiple, ":: maxprocs(*)\n") {
		t.Errorf(
			"found\n%s\n%s\nexpected one maxprocs for one program and an array for several",
			spawn, multiple,
		)
	}
	for _, text := range []string{module, fortran.Include()} {
		if !strings.Contains(text, "integer(MPI_OFFSET_KIND), parameter :: MPI_DISPLACEMENT_CURRENT") {
			t.Error("found MPI_DISPLACEMENT_CURRENT of another type, expected an offset")
		}
	}
}
