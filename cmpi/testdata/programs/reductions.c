/* Every predefined operation on every kind of number, and one that does not commute in all reductions, also in place. */
#include <mpi.h>
#include <stdio.h>

static int rank, size;

#define TRY(T, type, op) \
  do { \
    T a[3] = {rank + 1, 3 - rank, rank % 2}, b[3] = {0}; \
    MPI_Allreduce(a, b, 3, type, op, MPI_COMM_WORLD); \
    if (rank == 1) printf("%s %s: %g %g %g\n", #T, #op, (double)b[0], (double)b[1], (double)b[2]); \
  } while (0)
#define REAL(T, type) \
  TRY(T, type, MPI_SUM); \
  TRY(T, type, MPI_PROD); \
  TRY(T, type, MPI_MAX); \
  TRY(T, type, MPI_MIN)
#define LOGICAL(T, type) \
  TRY(T, type, MPI_LAND); \
  TRY(T, type, MPI_LOR); \
  TRY(T, type, MPI_LXOR)
#define BITS(T, type) \
  TRY(T, type, MPI_BAND); \
  TRY(T, type, MPI_BOR); \
  TRY(T, type, MPI_BXOR)
#define INTEGER(T, type) \
  REAL(T, type); \
  LOGICAL(T, type); \
  BITS(T, type)

static void predefined(void) {
  INTEGER(signed char, MPI_SIGNED_CHAR);
  INTEGER(unsigned char, MPI_UNSIGNED_CHAR);
  INTEGER(short, MPI_SHORT);
  INTEGER(unsigned short, MPI_UNSIGNED_SHORT);
  INTEGER(int, MPI_INT);
  INTEGER(unsigned, MPI_UNSIGNED);
  INTEGER(long, MPI_LONG);
  INTEGER(unsigned long, MPI_UNSIGNED_LONG);
  INTEGER(long long, MPI_LONG_LONG);
  INTEGER(MPI_Aint, MPI_AINT);
  INTEGER(MPI_Count, MPI_COUNT);
  INTEGER(MPI_Offset, MPI_OFFSET);
  REAL(float, MPI_FLOAT);
  REAL(double, MPI_DOUBLE);
  REAL(long double, MPI_LONG_DOUBLE);
  LOGICAL(_Bool, MPI_C_BOOL);
  BITS(unsigned char, MPI_BYTE);
}

/* Pairs stand for the functions p*x + q, which are put one into the other. */
static void compose(void *in, void *inout, int *n, MPI_Datatype *type) {
  int *f = in, *g = inout;
  for (int i = 0; i < 2 * *n; i += 2) {
    int p = f[i] * g[i], q = f[i] * g[i + 1] + f[i + 1];
    g[i] = p % 10007, g[i + 1] = q % 10007;
  }
}

static void show(const char *what, const int *x, int n) {
  char text[400] = "";
  int at = 0;
  for (int i = 0; i < n; i++) at += sprintf(text + at, " %d", x[i]);
  printf("rank %d, %s:%s\n", rank, what, text);
}

static void own(void) {
  int x[64], y[64], counts[16];
  MPI_Datatype pair;
  MPI_Op op;
  MPI_Request q;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Op_create(compose, 0, &op);
#define FILL \
  for (int i = 0; i < 64; i++) x[i] = 100 * (rank + 1) + i, y[i] = -1
  for (int root = 0; root < size; root++) {
    FILL;
    MPI_Reduce(x, y, 3, pair, op, root, MPI_COMM_WORLD);
    show("reduce", y, 7);
    FILL;
    MPI_Reduce(rank == root ? MPI_IN_PLACE : x, rank == root ? x : 0, 3, pair, op, root, MPI_COMM_WORLD);
    show("reduce in place", x, 7);
  }
  FILL;
  MPI_Allreduce(x, y, 3, pair, op, MPI_COMM_WORLD), show("allreduce", y, 7);
  MPI_Allreduce(MPI_IN_PLACE, x, 3, pair, op, MPI_COMM_WORLD), show("allreduce in place", x, 7);
  FILL;
  MPI_Scan(x, y, 3, pair, op, MPI_COMM_WORLD), show("scan", y, 7);
  MPI_Scan(MPI_IN_PLACE, x, 3, pair, op, MPI_COMM_WORLD), show("scan in place", x, 7);
  FILL;
  MPI_Exscan(x, y, 3, pair, op, MPI_COMM_WORLD);
  MPI_Exscan(MPI_IN_PLACE, x, 3, pair, op, MPI_COMM_WORLD);
  if (rank) show("exscan", y, 7), show("exscan in place", x, 7);
  for (int i = 0; i < size; i++) counts[i] = (i + 1) % 3;
  FILL;
  MPI_Reduce_scatter(x, y, counts, pair, op, MPI_COMM_WORLD), show("reduce_scatter", y, 6);
  MPI_Reduce_scatter(MPI_IN_PLACE, x, counts, pair, op, MPI_COMM_WORLD), show("reduce_scatter in place", x, 2 * counts[rank]);
  FILL;
  MPI_Ireduce_scatter_block(x, y, 2, pair, op, MPI_COMM_WORLD, &q), MPI_Op_free(&op), MPI_Type_free(&pair);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  show("reduce_scatter_block", y, 6);
}

/* What an operation or type must not be. */
static void refused(void) {
  int x[4] = {0}, y[4], class;
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  struct { MPI_Datatype type; MPI_Op op; } wrong[] = {{MPI_INT, MPI_OP_NULL}, {MPI_DOUBLE, MPI_BAND}, {pair, MPI_SUM}, {MPI_INT, MPI_MAXLOC}, {MPI_BYTE, MPI_SUM},
                                                      {MPI_INT, MPI_REPLACE}, {MPI_INT, MPI_NO_OP}};
  for (int i = 0; i < 7; i++) {
    MPI_Error_class(MPI_Allreduce(x, y, 1, wrong[i].type, wrong[i].op, MPI_COMM_WORLD), &class);
    printf("rank %d: %d is refused: %d\n", rank, i, class == MPI_ERR_OP);
  }
  MPI_Type_free(&pair);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  predefined();
  own();
  refused();
  MPI_Finalize();
  return 0;
}
