/* Collectives between the two groups of an intercommunicator, blocking and in the background. */
#include <mpi.h>
#include <stdio.h>

static int rank, size, local, remote, upper;
static MPI_Comm inter;

static void show(const char *what, const int *values, int n) {
  char line[256];
  int at = 0;
  for (int i = 0; i < n; i++) at += snprintf(line + at, sizeof line - at, " %d", values[i]);
  line[at] = 0;
  printf("rank %d %s:%s\n", rank, what, line);
}

static int in[64], out[64];
static void fill(void) {
  for (int i = 0; i < 64; i++) in[i] = 100 * rank + i, out[i] = -1;
}

/* The root is the second rank of the lower group. */
static int root(void) { return upper ? 1 : local == 1 ? MPI_ROOT : MPI_PROC_NULL; }

static void rooted(void) {
  MPI_Request q;
  fill();
  MPI_Bcast(root() == MPI_ROOT ? in : out, 3, MPI_INT, root(), inter);
  show("broadcast", out, 3);
  fill();
  MPI_Ireduce(in, out, 2, MPI_INT, MPI_SUM, root(), inter, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  show("reduce", out, 2);
  fill();
  MPI_Gather(in, 2, MPI_INT, out, 2, MPI_INT, root(), inter);
  show("gather", out, 2 * remote);
  fill();
  MPI_Iscatter(in, 2, MPI_INT, out, 2, MPI_INT, root(), inter, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  show("scatter", out, 2);
  int counts[8], places[8];
  for (int i = 0; i < 8; i++) counts[i] = i + 1, places[i] = 5 * i;
  fill();
  MPI_Gatherv(in, local + 1, MPI_INT, out, counts, places, MPI_INT, root(), inter);
  show("gatherv", out, 12);
  fill();
  MPI_Scatterv(in, counts, places, MPI_INT, out, local + 1, MPI_INT, root(), inter);
  show("scatterv", out, 4);
}

static void unrooted(void) {
  MPI_Request q;
  int counts[8], places[8], same[8];
  for (int i = 0; i < 8; i++) counts[i] = i + 1, places[i] = 5 * i, same[i] = local + 1;
  fill();
  MPI_Allreduce(in, out, 2, MPI_INT, MPI_MAX, inter);
  show("allreduce", out, 2);
  fill();
  MPI_Iallgather(in, 2, MPI_INT, out, 2, MPI_INT, inter, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  show("allgather", out, 2 * remote);
  fill();
  MPI_Allgatherv(in, local + 1, MPI_INT, out, counts, places, MPI_INT, inter);
  show("allgatherv", out, 12);
  fill();
  MPI_Alltoall(in, 2, MPI_INT, out, 2, MPI_INT, inter);
  show("alltoall", out, 2 * remote);
  fill();
  MPI_Ialltoallv(in, counts, places, MPI_INT, out, same, places, MPI_INT, inter, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  show("alltoallv", out, 16);
  fill();
  MPI_Reduce_scatter_block(in, out, upper ? 6 / (size - size / 2) : 6 / (size / 2), MPI_INT, MPI_SUM, inter);
  show("reduce-scatter", out, 3);
  MPI_Ibarrier(inter, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
}

static void others(void) {
  MPI_Comm copy, sub;
  MPI_Group group, one;
  MPI_Request q;
  int n, value = rank, got = -1, first = 0;
  MPI_Comm_idup(inter, &copy, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  MPI_Comm_remote_size(copy, &n);
  MPI_Sendrecv(&value, 1, MPI_INT, local % n, 5, &got, 1, MPI_INT, local % n, 5, copy, MPI_STATUS_IGNORE);
  printf("rank %d copy: %d beyond, got %d\n", rank, n, got);
  MPI_Allreduce(&value, &got, 1, MPI_INT, MPI_SUM, copy);
  printf("rank %d copy: sum %d\n", rank, got);
  MPI_Comm_group(inter, &group);
  MPI_Group_incl(group, 1, &first, &one);
  MPI_Comm_create(copy, one, &sub);
  if (sub != MPI_COMM_NULL) {
    MPI_Comm_remote_size(sub, &n);
    printf("rank %d is in a group of one, %d beyond\n", rank, n);
    MPI_Comm_free(&sub);
  }
  MPI_Group_free(&group), MPI_Group_free(&one), MPI_Comm_free(&copy);
}

int main(int argc, char **argv) {
  MPI_Comm half, whole;
  MPI_Request q;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  upper = rank >= size / 2;
  MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : size / 2, 1, &inter);
  MPI_Comm_rank(inter, &local);
  MPI_Comm_remote_size(inter, &remote);
  rooted();
  unrooted();
  others();
  MPI_Comm_idup(MPI_COMM_WORLD, &whole, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  MPI_Allreduce(&rank, &size, 1, MPI_INT, MPI_SUM, whole);
  printf("rank %d sum %d\n", rank, size);
  MPI_Comm_free(&whole), MPI_Comm_free(&inter), MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
