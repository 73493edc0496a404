/* Counts the messages of an MPI library's collectives.
 *
 * Reads lines "collective ranks bytes" from standard input, calls each collective once on the first
 * ranks of MPI_COMM_WORLD, and writes "collective ranks bytes messages". bytes is the size as tables
 * of collectives have it; elements are MPI_INT. A name that ends in "-ordered" has an operation that
 * is not commutative. Roots are ranks/2.
 *
 * The messages are those that preload.c sees the library give to UCX:
 *   mpirun.openmpi --mca pml ucx --mca pml_ucx_tls any --mca pml_ucx_devices any \
 *     --mca mpi_yield_when_idle 1 -x LD_PRELOAD=./preload.so -n 32 ./count < calls
 *   MPIR_CVAR_NOLOCAL=1 mpirun.mpich -genv LD_PRELOAD ./preload.so -n 32 ./count < calls
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

long preload_messages(void);
void preload_self(int);

enum { LINES = 10000 };

static int rank;

static void second(void *in, void *inout, int *n, MPI_Datatype *type) {
  (void)in, (void)inout, (void)n, (void)type;
}

static int call(const char *kind, int n, MPI_Comm comm, char *a, char *b, MPI_Op ordered) {
  int p, root;
  MPI_Comm_size(comm, &p);
  root = p / 2;
  int is = strlen(kind) > 8 && !strcmp(kind + strlen(kind) - 8, "-ordered");
  MPI_Op op = is ? ordered : MPI_SUM;
#define IS(name) (!strncmp(kind, name, strlen(name)) && (kind[strlen(name)] == 0 || (is && !strcmp(kind + strlen(name), "-ordered"))))
  if (IS("alltoall")) MPI_Alltoall(a, n, MPI_INT, b, n, MPI_INT, comm);
  else if (IS("barrier")) MPI_Barrier(comm);
  else if (IS("broadcast")) MPI_Bcast(a, n, MPI_INT, root, comm);
  else if (IS("allreduce")) MPI_Allreduce(a, b, n, MPI_INT, op, comm);
  else if (IS("allgather")) MPI_Allgather(a, n, MPI_INT, b, n, MPI_INT, comm);
  else if (IS("reduce")) MPI_Reduce(a, b, n, MPI_INT, op, root, comm);
  else if (IS("reduce-scatter")) {
    int counts[p];
    for (int i = 0; i < p; i++) counts[i] = n;
    MPI_Reduce_scatter(a, b, counts, MPI_INT, op, comm);
  } else if (IS("gather")) MPI_Gather(a, n, MPI_INT, b, n, MPI_INT, root, comm);
  else if (IS("scatter")) MPI_Scatter(a, n, MPI_INT, b, n, MPI_INT, root, comm);
  else if (IS("scan")) MPI_Scan(a, b, n, MPI_INT, op, comm);
  else if (IS("exscan")) MPI_Exscan(a, b, n, MPI_INT, op, comm);
  else return 0;
  return 1;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int out = 0, in; /* messages to oneself do not count */
  preload_self(1);
  MPI_Sendrecv(&out, 1, MPI_INT, rank, 0, &in, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  preload_self(0);
  MPI_Op ordered;
  MPI_Op_create(second, 0, &ordered);
  MPI_Comm *comms = calloc(size + 1, sizeof *comms);
  for (int p = 1; p <= size; p++)
    MPI_Comm_split(MPI_COMM_WORLD, rank < p ? 0 : MPI_UNDEFINED, rank, &comms[p]);

  struct line {
    char kind[32];
    int ranks, bytes;
  } *lines = calloc(LINES, sizeof *lines);
  int n = 0;
  if (rank == 0)
    while (n < LINES && scanf("%31s %d %d", lines[n].kind, &lines[n].ranks, &lines[n].bytes) == 3)
      n++;
  MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Bcast(lines, n * sizeof *lines, MPI_BYTE, 0, MPI_COMM_WORLD);
  long *mine = calloc(n, sizeof *mine), *all = calloc(n, sizeof *all);
  for (int i = 0; i < n; i++) {
    struct line *l = &lines[i];
    if (rank >= l->ranks || l->ranks > size)
      continue;
    char *a = calloc(l->bytes + 4, l->ranks), *b = calloc(l->bytes + 4, l->ranks);
    long before = preload_messages();
    if (!call(l->kind, l->bytes / 4, comms[l->ranks], a, b, ordered)) {
      fprintf(stderr, "unknown: %s\n", l->kind);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    mine[i] = preload_messages() - before;
    free(a);
    free(b);
  }
  MPI_Reduce(mine, all, n, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < n; i++)
    printf("%s %d %d %ld\n", lines[i].kind, lines[i].ranks, lines[i].bytes, all[i]);
  MPI_Finalize();
  return 0;
}
