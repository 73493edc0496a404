//go:build cgo && linux && amd64

package cmpi_test

import (
	"slices"
	"strings"
	"testing"
)

const begin = `#include <string.h>
int main(int argc, char **argv) {
  int rank, size, code = 0, x[64] = {0}, y[64] = {0}, flag = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
`

const end = `
  MPI_Finalize();
  return 0;
}`

// TestCorners demands what the standard says of things that MPICH does not do, or cannot be compared in.
func TestCorners(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"external32", `
  char packed[8];
  MPI_Aint at = 0, n;
  x[0] = 0x01020304;
  MPI_Pack_external_size("external32", 1, MPI_INT, &n);
  MPI_Pack_external("external32", x, 1, MPI_INT, packed, 8, &at);
  printf("%d %d%d%d%d ", (int)n, packed[0], packed[1], packed[2], packed[3]);
  at = 0;
  MPI_Unpack_external("external32", packed, 8, &at, y, 1, MPI_INT);
  if (rank == 0) printf("%x\n", y[0]);`, "4 1234 1020304"},
		{"aliases", `
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Error_class(MPI_Allreduce(x, x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), &code);
  if (rank == 0) printf("%d\n", code == MPI_ERR_BUFFER);`, "1"},
		{"freed operation", `
  MPI_Op op;
  MPI_Request q;
  void add(void *a, void *b, int *n, MPI_Datatype *t) { for (int i = 0; i < *n; i++) ((int *)b)[i] += ((int *)a)[i]; }
  MPI_Op_create(add, 1, &op);
  x[0] = rank;
  MPI_Iallreduce(x, y, 1, MPI_INT, op, MPI_COMM_WORLD, &q);
  MPI_Op_free(&op);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  if (rank == 0) printf("%d\n", y[0]);`, "6"},
		{"shared memory", `
  int *p;
  MPI_Win win;
  MPI_Win_allocate_shared(rank ? 0 : 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &p, &win);
  MPI_Win_lock_all(0, win);
  MPI_Aint n;
  int unit;
  MPI_Win_shared_query(win, 0, &n, &unit, &p);
  if (rank == 1) *(volatile int *)p = 5;
  while (!*(volatile int *)p) MPI_Win_sync(win);
  if (rank == 0) printf("%d\n", *p);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);`, "5"},
		{"work between questions", `
  MPI_Request q;
  MPI_Irecv(x, 1, MPI_INT, (rank + 1) % 4, 7, MPI_COMM_WORLD, &q);
  for (int i = 0; i < 50000; i++) MPI_Test(&q, &flag, MPI_STATUS_IGNORE);
  MPI_Send(&rank, 1, MPI_INT, (rank + 3) % 4, 7, MPI_COMM_WORLD);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  printf("%d of %d\n", x[0], rank);`, "3 of 2"},
		{"ring of two", `
  int dims[1] = {2}, periods[1] = {1};
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
  if (ring != MPI_COMM_NULL) {
    x[0] = 10 * rank, x[1] = 10 * rank + 1;
    MPI_Neighbor_alltoall(x, 1, MPI_INT, y, 1, MPI_INT, ring);
    if (rank == 0) printf("%d %d\n", y[0], y[1]);
  }`, "11 10"},
	} {
		t.Run(test.name, func(t *testing.T) {
			lines, _, err := run(t, torus(4), compileText(t, begin+test.body+end), 2)
			if err != nil || !slices.ContainsFunc(lines, func(l string) bool { return strings.HasSuffix(l, test.want) }) {
				t.Errorf("found %q and error %v, expected %s", lines, err, test.want)
			}
		})
	}
}

// TestAskingForEver demands that a program that asks for what cannot come ends, and that the rank is named.
func TestAskingForEver(t *testing.T) {
	for body, want := range map[string]string{
		"MPI_Request q; MPI_Irecv(x, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &q); while (!flag && rank == 0) MPI_Test(&q, &flag, MPI_STATUS_IGNORE);": "in MPI_Test asks again and again, and waits for a message from rank 1",
		"while (!flag && rank == 0) MPI_Iprobe(2, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);":                                                "in MPI_Iprobe asks again and again, and probes for a message from rank 2",
	} {
		_, _, err := run(t, torus(4), compileText(t, begin+body+" MPI_Barrier(MPI_COMM_WORLD);"+end), 2)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("found error %v, expected %s", err, want)
		}
	}
}

// TestTransposing demands that a column of another rank's matrix is one message.
func TestTransposing(t *testing.T) {
	program := compileText(t, begin+`
  MPI_Win win;
  MPI_Datatype column;
  MPI_Type_vector(8, 1, 8, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Win_create(x, sizeof x, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < atoi(argv[1]) && rank == 0; i++) MPI_Put(y, 8, MPI_INT, 1, i, 1, column, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);`+end)
	_, none, err := run(t, torus(4), program, 1, "0")
	if err != nil {
		t.Fatal(err)
	}
	_, eight, err := run(t, torus(4), program, 1, "8")
	if err != nil {
		t.Fatal(err)
	}
	if n := eight.Messages - none.Messages; n != 8 {
		t.Errorf("8 columns were %d messages", n)
	}
}
