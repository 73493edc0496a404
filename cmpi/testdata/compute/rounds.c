/* Collectives one after the other, by the algorithms that arguments name, with contents that are checked. With a third argument, sums are by an operation of the program. */
#include <fabricast.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 5 };

static void add(void *in, void *inout, int *n, MPI_Datatype *type) {
  for (int i = 0; i < *n; i++) ((int *)inout)[i] += ((int *)in)[i];
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Op sum = MPI_SUM;
  if (argc > 3) MPI_Op_create(add, 1, &sum);
  Fabricast_Collective("allreduce", "recursive-doubling");
  Fabricast_Collective("alltoall", argv[1]);
  Fabricast_Collective("allgather", argv[2]);
  int *a = malloc(COUNT * size * sizeof *a), *b = malloc(COUNT * size * sizeof *b), wrong = 0;
  for (int i = 0; i < COUNT * size; i++) a[i] = rank * 10000 + i, b[i] = -1;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Alltoall(a, COUNT, MPI_INT, b, COUNT, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < COUNT * size; i++) wrong += b[i] != i / COUNT * 10000 + rank * COUNT + i % COUNT;
  MPI_Allgather(a, COUNT, MPI_INT, b, COUNT, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < COUNT * size; i++) wrong += b[i] != i / COUNT * 10000 + i % COUNT;
  MPI_Bcast(b, COUNT, MPI_INT, 1, MPI_COMM_WORLD);
  for (int i = 0; i < COUNT; i++) a[i] = rank + i;
  MPI_Allreduce(a, b, COUNT, MPI_INT, sum, MPI_COMM_WORLD);
  for (int i = 0; i < COUNT; i++) wrong += b[i] != size * (size - 1) / 2 + size * i;
  MPI_Allreduce(MPI_IN_PLACE, a, COUNT, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < COUNT; i++) wrong += a[i] != size - 1 + i;
  MPI_Barrier(MPI_COMM_WORLD);
  puts(wrong ? "wrong" : "end");
  MPI_Finalize();
  return 0;
}
