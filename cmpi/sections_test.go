//go:build cgo && linux && amd64

package cmpi_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSections runs a program that checks that array sections of Fortran are the memory that calls
// in the background work on.
func TestSections(t *testing.T) {
	program := compile(t, "testdata/sections/sections.f90")
	for _, workers := range []int{1, 2} {
		lines, _, err := run(t, torus(4), program, workers)
		if err != nil || len(lines) != 4 ||
			strings.Join(strings.Fields(strings.Join(lines, " ")), " ") != "0 found 0 1 found 0 2 found 0 3 found 0" {
			t.Errorf("%d workers: found %q and error %v, expected no wrong elements", workers, lines, err)
		}
	}
}

// TestSectionsThatCannotBe demands that sections are refused where they cannot be described, and
// not where they need not be.
func TestSectionsThatCannotBe(t *testing.T) {
	tests := [][2]string{
		{"call MPI_Iallreduce(a(1:10:2), b, 5, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, q)", "MPI_Iallreduce: found an array section with gaps as sendbuf, expected an array in one piece"},
		{"call MPI_Ialltoall(a, 1, MPI_INTEGER, b(1:20:3), 1, MPI_INTEGER, MPI_COMM_WORLD, q)", "MPI_Ialltoall: found an array section with gaps as recvbuf"},
		{"call MPI_Win_create(a(1:10:2), 20_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, w)", "MPI_Win_create: found an array section with gaps as base"},
		{"call MPI_Isend(a(1:10:2), 5, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, q)", "found an array section with gaps and a datatype that does not fill its elements of 4 bytes"},
		{"call MPI_Isend(a(1:10:2), 6, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, q)", "found 5 elements in an array section, expected at least 6"},
		{"call MPI_Iallreduce(a(1:10), b(2:11), 10, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, q)\ncall MPI_Wait(q, MPI_STATUS_IGNORE)", ""},
		{"call MPI_Allreduce(a(1:10:2), b(2:20:4), 5, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)", ""},
	}
	text := "program p\nuse mpi_f08\ninteger, asynchronous :: a(20), b(20)\ncharacter(2) :: number\n" +
		"type(MPI_Request) :: q\ntype(MPI_Win) :: w\na = 1\ncall MPI_Init()\n" +
		"call get_command_argument(1, number)\nselect case (number)\n"
	for i, test := range tests {
		text += fmt.Sprintf("case ('%d')\n%s\n", i, strings.ReplaceAll(test[0], "MPI_COMM_WORLD", "&\nMPI_COMM_WORLD"))
	}
	text += "case default\nerror stop\nend select\ncall MPI_Finalize()\nend program\n"
	source := filepath.Join(t.TempDir(), "program.f90")
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	program := compile(t, source)
	for i, test := range tests {
		if _, _, err := run(t, torus(2), program, 1, fmt.Sprint(i)); !matches(err, test[1]) {
			t.Errorf("%s: found %v, expected %q", test[0], err, test[1])
		}
	}
}
