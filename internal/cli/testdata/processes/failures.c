/* What can go wrong with a program, by its first argument. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is(const char *a, const char *b) { return !strcmp(a, b); }

/* Sends doubles that are taken for integers, and a structure that is taken for doubles. */
static void types(int rank, int n) {
  double d[2] = {1, 2};
  int w[4] = {0};
  MPI_Datatype pair, mixed, members[2] = {MPI_INT, MPI_DOUBLE};
  int lengths[2] = {1, 1};
  MPI_Aint places[2] = {0, 8};
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Type_create_struct(2, lengths, places, members, &mixed);
  MPI_Type_commit(&mixed);
  if (rank % 2 == 0) {
    MPI_Send(d, 1, MPI_DOUBLE, (rank + 1) % n, 1, MPI_COMM_WORLD);
    MPI_Send(d, 1, mixed, (rank + 1) % n, 1, MPI_COMM_WORLD);
  } else {
    MPI_Recv(w, 1, pair, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(d, 2, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Bcast(w, 2, rank == n - 1 ? MPI_FLOAT : MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Bcast(w, 1, rank == n - 2 ? mixed : MPI_CHAR, 0, MPI_COMM_SELF);
}

int main(int argc, char **argv) {
  const char *way = argv[1];
  int rank, n, v = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &n);
  printf("rank %d begins\n", rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (is(way, "abort") && rank == n - 1) MPI_Abort(MPI_COMM_WORLD, 7);
  if (is(way, "quit") && rank == n - 1) exit(9);
  if (is(way, "crash") && rank == n - 2) *(volatile int *)8 = 1;
  if (is(way, "deadlock")) MPI_Recv(&v, 1, MPI_INT, (rank + 1) % n, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (is(way, "collectives")) {
    if (rank == n - 1)
      MPI_Allreduce(MPI_IN_PLACE, &v, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else
      MPI_Bcast(&v, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (is(way, "roots")) MPI_Bcast(&v, 1, MPI_INT, rank == 1, MPI_COMM_WORLD);
  if (is(way, "types")) types(rank, n);
  if (is(way, "leaves")) {
    static MPI_Request q;
    MPI_Irecv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &q);
  }
  if (is(way, "unfinished") && rank % 2) return 0;
  printf("rank %d ends at %.9f\n", rank, MPI_Wtime());
  MPI_Finalize();
  return is(way, "exit") && rank == n - 1 ? 5 : 0;
}
