/* Datatypes with gaps in windows, distributed arrays, Fortran's numbers. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size;

static void show(const char *what, const int *values, int n) {
  char line[512];
  int at = 0;
  for (int i = 0; i < n; i++) at += snprintf(line + at, sizeof line - at, " %d", values[i]);
  line[at] = 0;
  printf("rank %d %s:%s\n", rank, what, line);
}

/* Columns of the next rank's matrix. */
static void windows(void) {
  int matrix[16], row[4], old[4], next = (rank + 1) % size;
  MPI_Win win;
  MPI_Datatype column;
  MPI_Request q[2];
  MPI_Type_vector(4, 1, 4, MPI_INT, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < 16; i++) matrix[i] = 100 * rank + i;
  for (int i = 0; i < 4; i++) row[i] = 1000 * (rank + 1) + i;
  MPI_Win_create(matrix, sizeof matrix, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  MPI_Put(row, 4, MPI_INT, next, 1, 1, column, win);
  MPI_Win_fence(0, win);
  MPI_Accumulate(row, 4, MPI_INT, next, 2, 1, column, MPI_SUM, win);
  MPI_Win_fence(0, win);
  MPI_Get(old, 4, MPI_INT, next, 1, 1, column, win);
  MPI_Win_fence(0, win);
  show("column", old, 4);
  MPI_Get_accumulate(row, 4, MPI_INT, old, 4, MPI_INT, next, 3, 1, column, MPI_MAX, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  show("before", old, 4);
  show("matrix", matrix, 16);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win);
  MPI_Rget(old, 4, MPI_INT, next, 4, 4, MPI_INT, win, &q[0]);
  MPI_Wait(&q[0], MPI_STATUS_IGNORE);
  show("second row", old, 4);
  MPI_Rput(row, 4, MPI_INT, next, 0, 4, MPI_INT, win, &q[0]);
  MPI_Raccumulate(row, 1, MPI_INT, next, 15, 1, MPI_INT, MPI_REPLACE, win, &q[1]);
  MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
  MPI_Win_unlock(next, win);
  MPI_Barrier(MPI_COMM_WORLD);
  show("then", matrix, 16);
  MPI_Win_free(&win);
  MPI_Type_free(&column);
}

static void distributed(void) {
  int sizes[2] = {5, 6}, distributions[2] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK}, arguments[2] = {2, MPI_DISTRIBUTE_DFLT_DARG}, grid[2] = {2, 2};
  int all[30], mine[30], n, position = 0, ni, na, nt, combiner;
  MPI_Aint lb, extent;
  for (int i = 0; i < 30; i++) all[i] = i;
  for (int order = 0; order < 2; order++) {
    MPI_Datatype type;
    MPI_Type_create_darray(4, rank % 4, 2, sizes, distributions, arguments, grid, order ? MPI_ORDER_FORTRAN : MPI_ORDER_C, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Type_size(type, &n);
    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_get_envelope(type, &ni, &na, &nt, &combiner);
    position = 0;
    MPI_Pack(all, 1, type, mine, sizeof mine, &position, MPI_COMM_WORLD);
    printf("rank %d: %d bytes of %ld, made of %d %d %d, %d\n", rank, n, (long)extent, ni, na, nt, combiner == MPI_COMBINER_DARRAY);
    show("part", mine, n / 4);
    MPI_Type_free(&type);
  }
}

static void numbers(void) {
  MPI_Datatype a, b, c, d;
  int n, m, k, ni, na, nt, combiner, digits[2];
  MPI_Aint none;
  double x = rank, sum;
  MPI_Type_create_f90_real(12, MPI_UNDEFINED, &a);
  MPI_Type_create_f90_real(12, MPI_UNDEFINED, &b);
  MPI_Type_create_f90_integer(8, &c);
  MPI_Type_create_f90_complex(5, 30, &d);
  MPI_Type_size(a, &n), MPI_Type_size(c, &m), MPI_Type_size(d, &k);
  MPI_Type_get_envelope(a, &ni, &na, &nt, &combiner);
  MPI_Type_get_contents(a, ni, 0, 0, digits, &none, &b);
  MPI_Allreduce(&x, &sum, 1, a, MPI_SUM, MPI_COMM_WORLD);
  printf("rank %d: %d %d %d bytes; %d %d %d %d, digits %d; sum %g\n", rank, n, m, k, ni, na, nt, combiner == MPI_COMBINER_F90_REAL, digits[0], sum);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  windows();
  distributed();
  numbers();
  MPI_Finalize();
  return 0;
}
