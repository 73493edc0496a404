//go:build cgo && linux && amd64

package cmpi_test

import (
	"fmt"
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

// TestCorners demands what the standard says of things that MPICH does not do, or cannot be
// compared in.
func TestCorners(t *testing.T) {
	tests := []struct{ name, body, want string }{
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
		{"wrong arguments", `
  MPI_Group world, some;
  MPI_Comm grid;
  MPI_Win win;
  int ranks[2] = {1, 1}, range[1][3] = {{3, 0, 1}}, dims[2] = {2, 2}, classes[8];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, dims, 0, &grid);
  MPI_Win_create(x, 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Error_class(MPI_Group_incl(world, 2, ranks, &some), &classes[0]);
  MPI_Error_class(MPI_Group_excl(world, 2, ranks, &some), &classes[1]);
  MPI_Error_class(MPI_Group_range_incl(world, 1, range, &some), &classes[2]);
  MPI_Error_class(MPI_Cart_get(grid, 1, x, x, x), &classes[3]);
  MPI_Error_class(MPI_Op_commutative(MPI_OP_NULL, x), &classes[4]);
  MPI_Error_class(MPI_Get_address(x, NULL), &classes[5]);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_Error_class(MPI_Win_lock_all(0, win), &classes[6]);
  MPI_Win_unlock(0, win);
  MPI_Win_free(&win);
  if (rank == 0) printf("%d%d%d%d%d%d%d\n", classes[0] == MPI_ERR_RANK, classes[1] == MPI_ERR_RANK, classes[2] == MPI_ERR_ARG, classes[3] == MPI_ERR_ARG,
      classes[4] == MPI_ERR_OP, classes[5] == MPI_ERR_ARG, classes[6] == MPI_ERR_RMA_SYNC);`, "1111111"},
		{"progress while looking for a message", `
  MPI_Request q;
  x[0] = rank ? 0 : 5;
  MPI_Ibcast(x, 1, MPI_INT, 0, MPI_COMM_WORLD, &q);
  if (rank == 2) { /* which passes on what rank 3 waits for */
    while (!flag) MPI_Iprobe(3, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(y, 1, MPI_INT, 3, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d\n", y[0]);
  }
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  if (rank == 3) MPI_Send(x, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);`, "5"},
		{"a thousand million runs", `
  MPI_Datatype four, column, resized;
  MPI_Count bytes, lb, extent, n;
  MPI_Status s;
  MPI_Type_contiguous(4, MPI_INT, &four);
  MPI_Type_vector(1 << 30, 1, 3, four, &column);
  MPI_Type_create_resized(column, 5, -1024, &resized);
  MPI_Type_commit(&resized);
  MPI_Type_size_x(resized, &bytes);
  MPI_Type_get_true_extent_x(resized, &lb, &extent);
  MPI_Status_set_elements_x(&s, resized, 1);
  MPI_Get_elements_x(&s, resized, &n);
  MPI_Get_elements(&s, resized, x);
  MPI_Get_count(&s, resized, y);
  if (rank == 0) printf("%lld %lld %lld %lld %d %d\n", (long long)bytes, (long long)lb, (long long)extent, (long long)n, x[0] == MPI_UNDEFINED, y[0]);`, "17179869184 0 51539607520 4294967296 1 1"},
		{"elements near 2^31", `
  MPI_Datatype most;
  MPI_Status s;
  MPI_Count n;
  MPI_Type_contiguous(2147483647, MPI_CHAR, &most);
  MPI_Type_commit(&most);
  for (int i = 1; i < 3; i++) {
    MPI_Status_set_elements(&s, most, i);
    MPI_Get_elements(&s, most, &x[i]), MPI_Get_elements_x(&s, most, &n), MPI_Get_count(&s, most, &y[i]);
    x[i + 2] = n == i * 2147483647ll;
  }
  if (rank == 0) printf("%d %d %d %d %d %d\n", x[1], x[2] == MPI_UNDEFINED, x[3], x[4], y[1], y[2]);`, "2147483647 1 1 1 1 2"},
		{"names of datatypes", `
  MPI_Datatype types[] = {MPI_LONG_LONG, MPI_LONG_LONG_INT, MPI_C_COMPLEX, MPI_C_FLOAT_COMPLEX};
  char name[MPI_MAX_OBJECT_NAME];
  long long a = 2, b;
  MPI_Reduce_local(&(long long){3}, &a, 1, MPI_LONG_LONG, MPI_SUM);
  for (int i = 0; i < 4 && rank == 0; i++) MPI_Type_get_name(types[i], name, &code), printf("%s ", name);
  MPI_Sendrecv(&a, 1, MPI_LONG_LONG, rank, 0, &b, 1, MPI_LONG_LONG_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) printf("%lld\n", b);`, "MPI_LONG_LONG MPI_LONG_LONG_INT MPI_C_COMPLEX MPI_C_FLOAT_COMPLEX 5"},
		{"runs of any kind", `
  int from[600], packed[400], back[600] = {0}, lengths[60], places[60], wrong = 0;
  for (int i = 0; i < 600; i++) from[i] = i + 1;
  for (unsigned seed = rank, round = 0; round < 200; round++) {
    MPI_Datatype list, twice;
    int n = 0, at = 0, expected = 0;
    for (int end = 1; end < 250; n++) { /* far from one another, equally far, or one behind the other */
      places[n] = end + ((seed = seed * 1103515245 + 12345) >> 16) % 3;
      lengths[n] = 1 + (seed >> 20) % 8 / 5;
      end = places[n] + lengths[n] + (seed >> 24) % 2;
      if (n == 59) break;
    }
    MPI_Type_indexed(n, lengths, places, MPI_INT, &list);
    MPI_Type_create_hvector(2, 1, 1100, list, &twice);
    MPI_Type_commit(&twice);
    memset(back, 0, sizeof back);
    MPI_Pack(from, 1, twice, packed, sizeof packed, &at, MPI_COMM_SELF);
    int end = at;
    MPI_Unpack(packed, end, (at = 0, &at), back, 1, twice, MPI_COMM_SELF);
    for (int k = 0; k < 2; k++)
      for (int i = 0; i < n; i++)
        for (int j = 0; j < lengths[i]; j++, expected++) {
          int place = 275 * k + places[i] + j;
          wrong += packed[expected] != from[place] || back[place] != from[place];
        }
    wrong += expected * 4 != end;
    MPI_Type_free(&list), MPI_Type_free(&twice);
  }
  if (rank == 3) printf("wrong %d\n", wrong);`, "wrong 0"},
		{"errors of the background", `
  static int raised;
  void count(MPI_Comm *c, int *code, ...) { raised++; }
  MPI_Errhandler handler;
  MPI_Request q;
  int n[4] = {1, 1, 1, 1}, at[4] = {0, 1, 2, 3};
  MPI_Comm_create_errhandler(count, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Igatherv(x, 1, MPI_INT, y, n, at, MPI_FLOAT, 0, MPI_COMM_WORLD, &q);
  MPI_Error_class(MPI_Wait(&q, MPI_STATUS_IGNORE), &code);
  printf("%d of rank %d, %d\n", raised, rank, rank ? code == MPI_SUCCESS : code == MPI_ERR_TYPE);`, "1 of rank 0, 1"},
		{"half an element", `
  MPI_Datatype column;
  MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Sendrecv(x, 8, MPI_BYTE, 0, 0, y, 1, column, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Error_class(MPI_Sendrecv(x, 12, MPI_BYTE, 0, 0, y, 1, column, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE), &code);
  if (rank == 0) printf("%d\n", code == MPI_ERR_TYPE);`, "1"},
		{"elements of a status", `
  MPI_Datatype pair;
  MPI_Status s;
  MPI_Type_create_struct(2, (int[]){1, 2}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &pair);
  for (int i = 3; i < 6; i++) MPI_Status_set_elements(&s, pair, i), MPI_Get_elements(&s, pair, &x[i]);
  MPI_Status_set_elements(&s, pair, 6);
  MPI_Get_count(&s, pair, &x[6]);
  if (rank == 0) printf("%d %d %d %d\n", x[3], x[4], x[5], x[6]);`, "9 12 15 6"}, // as in MPICH and Open MPI, which count the datatype
		{"codes of the program's own", `
  int *last, class, error;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
  int before = *last;
  if (rank == 2) MPI_Add_error_class(&class), MPI_Add_error_code(class, &error);
  if (rank == 2) printf("%d%d\n", before < class, *last == error);
  else printf("%d\n", *last == before);`, "11"},
		{"a copy that fails", `
  MPI_Datatype copy = MPI_INT, pair;
  int refuse(MPI_Datatype t, int key, void *extra, void *in, void *out, int *flag) { return MPI_ERR_OTHER; }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_create_keyval(refuse, MPI_TYPE_NULL_DELETE_FN, &x[0], 0);
  MPI_Type_set_attr(pair, x[0], x);
  code = MPI_Type_dup(pair, &copy);
  if (rank == 0) printf("%d%d\n", code != MPI_SUCCESS, copy == MPI_DATATYPE_NULL);`, "11"},
	}
	texts := make([]string, len(tests))
	for i, test := range tests {
		texts[i] = begin + test.body + end
	}
	program := compileCases(t, texts...)
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			lines, _, err := run(t, torus(4), program, 2, fmt.Sprint(i))
			if err != nil ||
				!slices.ContainsFunc(lines, func(l string) bool { return strings.HasSuffix(l, test.want) }) {
				t.Errorf("found %q and error %v, expected %s", lines, err, test.want)
			}
		})
	}
}

// TestAskingForEver demands that a program that asks for what cannot come ends, and that the rank
// is named.
func TestAskingForEver(t *testing.T) {
	tests := [][2]string{
		{"MPI_Request q; MPI_Irecv(x, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &q); while (!flag && rank == 0) MPI_Test(&q, &flag, MPI_STATUS_IGNORE);", "in MPI_Test asks again and again, and waits for a message from rank 1"},
		{"while (!flag && rank == 0) MPI_Iprobe(2, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);", "in MPI_Iprobe asks again and again, and probes for a message from rank 2"},
	}
	var texts []string
	for _, test := range tests {
		texts = append(texts, begin+test[0]+" MPI_Barrier(MPI_COMM_WORLD);"+end)
	}
	program := compileCases(t, texts...)
	for i, test := range tests {
		_, _, err := run(t, torus(4), program, 2, fmt.Sprint(i))
		if err == nil || !strings.Contains(err.Error(), test[1]) {
			t.Errorf("found error %v, expected %s", err, test[1])
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
