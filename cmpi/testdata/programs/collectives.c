/* Collectives: blocking and in the background, in place, with counts, on few and many elements. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
#define MAXP 32
#define SAY(...) do { if (rank == 0) { printf(__VA_ARGS__); fflush(stdout); } } while (0)

/* Everybody's hash of what it has, combined so that order matters. */
static void tell(const char *what, const int *x, int n) {
  unsigned h = 17;
  for (int i = 0; i < n; i++) h = h * 31 + x[i];
  unsigned all[MAXP];
  MPI_Gather(&h, 1, MPI_UNSIGNED, all, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
  unsigned g = 1;
  for (int i = 0; i < size; i++) g = g * 37 + all[i];
  SAY("%s %u\n", what, g);
}

static void fill(int *x, int n, int seed) {
  for (int i = 0; i < n; i++) x[i] = (rank + 1) * 1000 + seed * 7 + i * 3;
}

static void moves(int n) {
  int *a = malloc(sizeof(int) * n * size), *b = malloc(sizeof(int) * n * size);
  for (int root = 0; root < size; root += size - 1 ? size - 1 : 1) {
    fill(a, n, root);
    MPI_Bcast(a, n, MPI_INT, root, MPI_COMM_WORLD);
    tell("bcast", a, n);
    fill(a, n, root);
    memset(b, 0, sizeof(int) * n * size);
    MPI_Gather(a, n, MPI_INT, b, n, MPI_INT, root, MPI_COMM_WORLD);
    tell("gather", b, rank == root ? n * size : 0);
    if (rank == root) memcpy(b + n * rank, a, n * sizeof(int));
    MPI_Gather(rank == root ? MPI_IN_PLACE : a, n, MPI_INT, b, n, MPI_INT, root, MPI_COMM_WORLD);
    tell("gather in place", b, rank == root ? n * size : 0);
    MPI_Scatter(b, n, MPI_INT, a, n, MPI_INT, root, MPI_COMM_WORLD);
    tell("scatter", a, n);
    MPI_Scatter(b, n, MPI_INT, rank == root ? MPI_IN_PLACE : a, n, MPI_INT, root, MPI_COMM_WORLD);
    tell("scatter in place", a, n);
  }
  fill(a, n, 1);
  MPI_Allgather(a, n, MPI_INT, b, n, MPI_INT, MPI_COMM_WORLD);
  tell("allgather", b, n * size);
  memset(b, 0, sizeof(int) * n * size);
  fill(b + n * rank, n, 2);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, n, MPI_INT, MPI_COMM_WORLD);
  tell("allgather in place", b, n * size);
  fill(a, n * size, 3);
  MPI_Alltoall(a, n, MPI_INT, b, n, MPI_INT, MPI_COMM_WORLD);
  tell("alltoall", b, n * size);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, n, MPI_INT, MPI_COMM_WORLD);
  tell("alltoall in place", b, n * size);
  free(a), free(b);
}

static void counts(void) {
  int n[MAXP], d[MAXP], m[MAXP], e[MAXP], total = 0, all = 0;
  for (int i = 0; i < size; i++) n[i] = i % 3 + 1, d[i] = total, total += n[i] + 1;
  int *a = calloc(total * size + 1, sizeof(int)), *b = calloc(total * size + 1, sizeof(int));
  fill(a, 4, 5);
  MPI_Gatherv(a, n[rank], MPI_INT, b, n, d, MPI_INT, size - 1, MPI_COMM_WORLD);
  tell("gatherv", b, rank == size - 1 ? total : 0);
  MPI_Scatterv(b, n, d, MPI_INT, a, n[rank], MPI_INT, size - 1, MPI_COMM_WORLD);
  tell("scatterv", a, n[rank]);
  MPI_Allgatherv(a, n[rank], MPI_INT, b, n, d, MPI_INT, MPI_COMM_WORLD);
  tell("allgatherv", b, total);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, b, n, d, MPI_INT, MPI_COMM_WORLD);
  tell("allgatherv in place", b, total);
  total = 0;
  for (int i = 0; i < size; i++) {
    n[i] = (rank + i) % 3, d[i] = total, total += n[i];
    m[i] = (i + rank) % 3, e[i] = all, all += m[i] + 1;
  }
  fill(a, total, 9);
  memset(b, 0, sizeof(int) * (all + 1));
  MPI_Alltoallv(a, n, d, MPI_INT, b, m, e, MPI_INT, MPI_COMM_WORLD);
  tell("alltoallv", b, all);
  MPI_Datatype types[MAXP];
  int db[MAXP], eb[MAXP];
  for (int i = 0; i < size; i++) types[i] = MPI_INT, db[i] = 4 * d[i], eb[i] = 4 * e[i];
  memset(b, 0, sizeof(int) * (all + 1));
  MPI_Alltoallw(a, n, db, types, b, m, eb, types, MPI_COMM_WORLD);
  tell("alltoallw", b, all);
  free(a), free(b);
}

/* Matrices of 2x2 modulo a prime: associative, not commutative. */
static void multiply(void *in, void *inout, int *n, MPI_Datatype *type) {
  long *a = in, *b = inout;
  for (int i = 0; i < *n; i++, a += 4, b += 4) {
    long c[4] = {(a[0] * b[0] + a[1] * b[2]) % 10007, (a[0] * b[1] + a[1] * b[3]) % 10007, (a[2] * b[0] + a[3] * b[2]) % 10007, (a[2] * b[1] + a[3] * b[3]) % 10007};
    memcpy(b, c, sizeof c);
  }
}

static void reductions(int n) {
  int *a = malloc(sizeof(int) * n * size), *b = malloc(sizeof(int) * n * size);
  MPI_Op ops[] = {MPI_SUM, MPI_MAX, MPI_MIN, MPI_PROD, MPI_LAND, MPI_BAND, MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR};
  for (int i = 0; i < 10; i++) {
    fill(a, n, i);
    memset(b, 0, sizeof(int) * n);
    MPI_Reduce(a, b, n, MPI_INT, ops[i], size / 2, MPI_COMM_WORLD);
    tell("reduce", b, rank == size / 2 ? n : 0);
    MPI_Allreduce(a, b, n, MPI_INT, ops[i], MPI_COMM_WORLD);
    tell("allreduce", b, n);
    MPI_Allreduce(MPI_IN_PLACE, a, n, MPI_INT, ops[i], MPI_COMM_WORLD);
    tell("allreduce in place", a, n);
  }
  fill(a, n, 1);
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : a, a, n, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  tell("reduce in place", a, rank == 0 ? n : 0);
  fill(a, n, 1);
  MPI_Scan(a, b, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  tell("scan", b, n);
  MPI_Exscan(a, b, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  tell("exscan", b, rank ? n : 0);
  MPI_Scan(MPI_IN_PLACE, a, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  tell("scan in place", a, n);
  fill(a, n * size, 1);
  MPI_Reduce_scatter_block(a, b, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  tell("reduce_scatter_block", b, n);
  int counts[MAXP], total = 0;
  for (int i = 0; i < size; i++) counts[i] = i % 2 ? 0 : n, total += counts[i];
  fill(a, total, 1);
  MPI_Reduce_scatter(a, b, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  tell("reduce_scatter", b, counts[rank]);
  MPI_Reduce_scatter(MPI_IN_PLACE, a, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  tell("reduce_scatter in place", a, counts[rank]);
  free(a), free(b);
}

static void ordered(void) {
  MPI_Op op;
  MPI_Datatype matrix;
  int commutes;
  MPI_Op_create(multiply, 0, &op);
  MPI_Type_contiguous(4, MPI_LONG, &matrix);
  MPI_Type_commit(&matrix);
  MPI_Op_commutative(op, &commutes);
  long m[8] = {rank + 1, 2, 3, rank + 4, 5, rank, 1, 1}, r[8] = {0};
  MPI_Allreduce(m, r, 2, matrix, op, MPI_COMM_WORLD);
  SAY("ordered allreduce %d %ld %ld %ld %ld\n", commutes, r[0], r[3], r[5], r[6]);
  memset(r, 0, sizeof r);
  MPI_Reduce(m, r, 2, matrix, op, size - 1, MPI_COMM_WORLD);
  MPI_Bcast(r, 8, MPI_LONG, size - 1, MPI_COMM_WORLD);
  SAY("ordered reduce %ld %ld %ld\n", r[1], r[2], r[7]);
  MPI_Scan(m, r, 2, matrix, op, MPI_COMM_WORLD);
  MPI_Bcast(r, 8, MPI_LONG, size - 1, MPI_COMM_WORLD);
  SAY("ordered scan %ld %ld %ld\n", r[1], r[2], r[7]);
  MPI_Exscan(m, r, 2, matrix, op, MPI_COMM_WORLD);
  MPI_Bcast(r, 8, MPI_LONG, size - 1, MPI_COMM_WORLD);
  SAY("ordered exscan %ld %ld %ld\n", r[1], r[2], r[7]);
  MPI_Op_free(&op);
  MPI_Type_free(&matrix);
}

static void places(void) {
  struct { double x; int i; } d = {(rank * 7) % 5, rank}, dm, dn;
  struct { int x, i; } k = {(rank * 3) % 4, rank}, km;
  MPI_Allreduce(&d, &dm, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  MPI_Allreduce(&d, &dn, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  MPI_Allreduce(&k, &km, 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD);
  SAY("places %g %d %g %d %d %d\n", dm.x, dm.i, dn.x, dn.i, km.x, km.i);
}

static void background(void) {
  int n = 5, a[5 * MAXP], b[5 * MAXP], c[5 * MAXP], d[5], e[5], x = -1, flag;
  MPI_Request q[6];
  fill(a, n * size, 4);
  fill(d, n, 6);
  if (rank == 0) MPI_Send(&size, 1, MPI_INT, 1, 77, MPI_COMM_WORLD);
  MPI_Ibarrier(MPI_COMM_WORLD, &q[0]);
  MPI_Ialltoall(a, n, MPI_INT, b, n, MPI_INT, MPI_COMM_WORLD, &q[1]);
  MPI_Iallgather(a, n, MPI_INT, c, n, MPI_INT, MPI_COMM_WORLD, &q[2]);
  MPI_Iallreduce(a, e, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q[3]);
  MPI_Ibcast(d, n, MPI_INT, 1, MPI_COMM_WORLD, &q[4]);
  if (rank == 1) MPI_Recv(&x, 1, MPI_INT, 0, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int y = rank, z;
  MPI_Allreduce(&y, &z, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Iscan(&y, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q[5]);
  do {
    MPI_Test(&q[3], &flag, MPI_STATUS_IGNORE);
  } while (!flag);
  MPI_Waitall(6, q, MPI_STATUSES_IGNORE);
  tell("ialltoall", b, n * size);
  tell("iallgather", c, n * size);
  tell("iallreduce", e, n);
  tell("ibcast", d, n);
  tell("iscan", &x, 1);
  SAY("beside them %d\n", z);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  int sizes[] = {1, 3, 100, 5000};
  for (int i = 0; i < 4; i++) {
    moves(sizes[i]);
    reductions(sizes[i]);
  }
  moves(0);
  counts();
  ordered();
  places();
  background();
  MPI_Finalize();
  return 0;
}
