/* A program in C with a library in C++. */
#include <mpi.h>
#include <stdio.h>

#include "library.h"

int main(int argc, char **argv) {
  int rank, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  exported *= 2;
  sum = total(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("program %d: %d %d %d\n", rank, sum, exported, local);
  MPI_Finalize();
  return 0;
}
