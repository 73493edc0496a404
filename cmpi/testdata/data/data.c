/* All collectives with several roots, counts, datatypes and operations, in place and not, blocking
   and not. Every line is a hash of what all ranks have then, with the bytes around it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 16, WHOLE = 0x5a };

static int rank, size;  /* in comm, whose ranks are those of the world in reverse */
static MPI_Comm comm;
static int background;  /* whether calls are those that return at once */

#define CALL(blocking, immediate, ...) do { \
    if (background) { \
      MPI_Request q; \
      MPI_##immediate(__VA_ARGS__, &q); \
      MPI_Wait(&q, MPI_STATUS_IGNORE); \
    } else \
      MPI_##blocking(__VA_ARGS__); \
  } while (0)

/* Hashes of a line of the output, one of each rank. */
static unsigned long line;

static void newLine(void) { line = 0xcbf29ce484222325; }

static void hash(const void *x, size_t n) {
  for (size_t i = 0; i < n; i++) line = (line ^ ((const unsigned char *)x)[i]) * 0x100000001b3;
}

static void print(const char *what, const char *how) {
  unsigned long all[64];
  MPI_Gather(&line, 1, MPI_UNSIGNED_LONG, all, 1, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
  newLine();
  int world;
  MPI_Comm_rank(MPI_COMM_WORLD, &world);
  if (world > 0) return;
  hash(all, size * sizeof *all);
  const char *when = background ? ", in the background" : "";
  printf("%d ranks: %s, %s%s: %016lx\n", size, what, how, when, line);
  fflush(stdout);
  newLine();
}

/* A buffer of n elements of a datatype, with bytes around them that nobody may write. */
typedef struct { char *start, *data; size_t size; } Buffer;

static Buffer empty(MPI_Datatype type, int n) {
  MPI_Aint least, extent;
  MPI_Type_get_extent(type, &least, &extent);
  Buffer b = {.size = n * extent + 2 * GUARD};
  b.start = malloc(b.size);
  b.data = b.start + GUARD;
  memset(b.start, WHOLE, b.size);
  return b;
}

/* A buffer with contents that depend on the rank. Numbers are small, for sums without rounding. */
static Buffer full(MPI_Datatype type, int n, int seed) {
  Buffer b = empty(type, n);
  int bytes = b.size - 2 * GUARD, x = (rank + 1) * 37 + seed * 11;
  if (type == MPI_DOUBLE)
    for (int i = 0; i < n; i++) ((double *)b.data)[i] = (x + i * 7) % 101 - 50;
  else if (type == MPI_2INT)
    for (int i = 0, *pair = (int *)b.data; i < n; i++, pair += 2)
      pair[0] = (x + i * 5) % 3, pair[1] = rank;
  else
    for (int i = 0; i < bytes; i++) b.data[i] = x + i * 3 + i / 251;
  return b;
}

static void end(Buffer b) {
  hash(b.start, b.size);
  free(b.start);
}

/* The next root after one: the first, middle and last rank are tried. */
static int next(int root) {
  return root < size / 2 ? size / 2 : root < size - 1 ? size - 1 : size;
}

static void moves(MPI_Datatype t, int n, int root) {
  int mine = rank == root;
  Buffer a = full(t, n, root), b = empty(t, n * size), c = full(t, n * size, 5), d = empty(t, n);
  CALL(Gather, Igather, a.data, n, t, mine ? b.data : NULL, n, t, root, comm);
  CALL(Scatter, Iscatter, mine ? c.data : NULL, n, t, d.data, n, t, root, comm);
  CALL(Bcast, Ibcast, a.data, n, t, root, comm);
  end(a), end(b), end(d);
  a = full(t, n * size, 7);
  MPI_Aint least, extent;
  MPI_Type_get_extent(t, &least, &extent);
  const char *block = a.data + rank * n * extent;
  CALL(Gather, Igather, mine ? MPI_IN_PLACE : block, n, t, a.data, n, t, root, comm);
  CALL(Scatter, Iscatter, c.data, n, t, mine ? MPI_IN_PLACE : a.data, n, t, root, comm);
  end(a), end(c);
}

static void exchanges(MPI_Datatype t, int n) {
  Buffer a = full(t, n * size, 1), b = empty(t, n * size), c = empty(t, n * size);
  CALL(Allgather, Iallgather, a.data, n, t, b.data, n, t, comm);
  CALL(Alltoall, Ialltoall, a.data, n, t, c.data, n, t, comm);
  end(b), end(c);
  CALL(Alltoall, Ialltoall, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, a.data, n, t, comm);
  hash(a.start, a.size);
  CALL(Allgather, Iallgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, a.data, n, t, comm);
  end(a);
}

static void reductions(MPI_Datatype t, MPI_Op op, int n) {
  for (int root = 0; root < size; root = next(root)) {
    Buffer a = full(t, n, root), b = empty(t, n), c = full(t, n, root + 1);
    const void *mine = rank == root ? MPI_IN_PLACE : c.data;
    CALL(Reduce, Ireduce, a.data, rank == root ? b.data : NULL, n, t, op, root, comm);
    if (c.size <= 2048) /* MPICH 4.0.2 crashes beyond, with MPI_IN_PLACE and a root above 0 */
      CALL(Reduce, Ireduce, mine, rank == root ? c.data : NULL, n, t, op, root, comm);
    end(a), end(b), end(c);
  }
  Buffer a = full(t, n * size, 2), b = empty(t, n), c = empty(t, n);
  Buffer d = empty(t, n), e = empty(t, n);
  CALL(Allreduce, Iallreduce, a.data, b.data, n, t, op, comm);
  CALL(Reduce_scatter_block, Ireduce_scatter_block, a.data, c.data, n, t, op, comm);
  CALL(Scan, Iscan, a.data, d.data, n, t, op, comm);
  CALL(Exscan, Iexscan, a.data, e.data, n, t, op, comm);
  hash(a.start, a.size);
  end(b), end(c), end(d);
  if (rank > 0) hash(e.start, e.size); /* what rank 0 has is not defined */
  free(e.start);
  CALL(Allreduce, Iallreduce, MPI_IN_PLACE, a.data, n, t, op, comm);
  hash(a.start, a.size);
  b = full(t, n, 3);
  CALL(Scan, Iscan, MPI_IN_PLACE, b.data, n, t, op, comm);
  end(b);
  b = full(t, n, 4);
  CALL(Exscan, Iexscan, MPI_IN_PLACE, b.data, n, t, op, comm);
  if (rank > 0) hash(b.start, b.size);
  free(b.start), free(a.start);
}

/* Ranks count in memory of rank 0 that they enter a barrier, one after the other. Who leaves it
   early finds too few. */
static void barriers(void) {
  int *counter, one = 1, before, found[3];
  MPI_Win window;
  MPI_Aint bytes = rank == 0 ? sizeof *counter : 0;
  MPI_Win_allocate(bytes, sizeof *counter, MPI_INFO_NULL, comm, &counter, &window);
  MPI_Win_lock_all(0, window);
  if (rank == 0) *counter = 0, MPI_Win_sync(window);
  MPI_Barrier(comm);
  for (int i = 0; i < 3; i++) {
    if (rank > 0) MPI_Recv(NULL, 0, MPI_BYTE, rank - 1, 0, comm, MPI_STATUS_IGNORE);
    MPI_Fetch_and_op(&one, &before, MPI_INT, 0, 0, MPI_SUM, window);
    MPI_Win_flush(0, window);
    if (rank + 1 < size) MPI_Send(NULL, 0, MPI_BYTE, rank + 1, 0, comm);
    if (background) {
      MPI_Request q;
      MPI_Ibarrier(comm, &q);
      MPI_Wait(&q, MPI_STATUS_IGNORE);
    } else
      MPI_Barrier(comm);
    MPI_Fetch_and_op(NULL, &found[i], MPI_INT, 0, 0, MPI_NO_OP, window);
    MPI_Win_flush(0, window);
    int all; /* found before the next one counts */
    MPI_Allreduce(&found[i], &all, 1, MPI_INT, MPI_SUM, comm);
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  hash(found, sizeof found);
  print("barrier", "who had entered it");
}

/* Matrices of 2x2 modulo 2^32: associative, not commutative. */
static void multiply(void *in, void *inout, int *n, MPI_Datatype *type) {
  unsigned *a = in, *b = inout;
  for (int i = 0; i < *n; i++, a += 4, b += 4) {
    unsigned c[] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
                    a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
    memcpy(b, c, sizeof c);
  }
}

/* Sums modulo 2^24 in three bytes. */
static void add(void *in, void *inout, int *n, MPI_Datatype *type) {
  unsigned char *a = in, *b = inout;
  for (int i = 0; i < *n; i++, a += 3, b += 3) {
    int sum = (a[0] | a[1] << 8 | a[2] << 16) + (b[0] | b[1] << 8 | b[2] << 16);
    b[0] = sum, b[1] = sum >> 8, b[2] = sum >> 16;
  }
}

int main(int argc, char **argv) {
  static const int counts[] = {0, 1, 3, 37, 300};
  enum { COUNTS = sizeof counts / sizeof *counts, TYPES = 4, OPS = 7 };
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  newLine();

  MPI_Datatype three, pair, holes, matrix;
  MPI_Type_contiguous(3, MPI_BYTE, &three);
  MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
  MPI_Type_create_resized(pair, 0, 16, &holes); /* an int, a hole, an int, a hole */
  MPI_Type_contiguous(4, MPI_UNSIGNED, &matrix);
  MPI_Type_commit(&three), MPI_Type_commit(&holes), MPI_Type_commit(&matrix);
  MPI_Op ordered, sum;
  MPI_Op_create(multiply, 0, &ordered);
  MPI_Op_create(add, 1, &sum);
  struct { const char *name; MPI_Datatype type; } types[TYPES] = {
      {"MPI_BYTE", MPI_BYTE},
      {"MPI_DOUBLE", MPI_DOUBLE},
      {"three bytes", three},
      {"two int with holes", holes}};
  struct { const char *name; MPI_Datatype type; MPI_Op op; } ops[OPS] = {
      {"MPI_SUM of MPI_INT", MPI_INT, MPI_SUM},
      {"MPI_SUM of MPI_DOUBLE", MPI_DOUBLE, MPI_SUM},
      {"MPI_MAX of MPI_SHORT", MPI_SHORT, MPI_MAX},
      {"MPI_BXOR of MPI_BYTE", MPI_BYTE, MPI_BXOR},
      {"MPI_MINLOC of MPI_2INT", MPI_2INT, MPI_MINLOC},
      {"an operation on three bytes", three, sum},
      {"an operation that does not commute", matrix, ordered}};

  for (background = 0; background < 2; background++) {
    for (int i = 0; i < TYPES; i++) {
      for (int k = 0; k < COUNTS; k += 1 + background)
        for (int root = 0; root < size; root = next(root)) moves(types[i].type, counts[k], root);
      print("broadcast, gather, scatter", types[i].name);
      for (int k = 0; k < COUNTS; k += 1 + background) exchanges(types[i].type, counts[k]);
      print("allgather, alltoall", types[i].name);
    }
    for (int i = 0; i < OPS; i++) {
      for (int k = 0; k < COUNTS; k += 1 + background)
        reductions(ops[i].type, ops[i].op, counts[k]);
      print("reductions", ops[i].name);
    }
    barriers();
  }
  MPI_Finalize();
  return 0;
}
