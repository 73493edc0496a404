/* Memory that all ranks have in common, and messages from and to it. */
#include <fabricast.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  size_t bytes = 1ul << 32;
  char *matrix = Fabricast_Shared_malloc(bytes, "matrix"), *other = Fabricast_Shared_malloc(100, "other"), own[8] = "own";
  if (!matrix || matrix == other || matrix[bytes - 1]) printf("rank %d: no memory\n", rank);
  if (rank == 0) strcpy(matrix + bytes / 2, "written by 0");
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(matrix + bytes / 2, "written by 0")) printf("rank %d: not the same memory\n", rank);
  MPI_Barrier(MPI_COMM_WORLD);
  /* Sizes only: neither the memory nor what is received into changes. */
  MPI_Sendrecv(matrix + bytes / 2, 8, MPI_CHAR, (rank + 1) % size, 0, own, 8, MPI_CHAR, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (strcmp(own, "own")) printf("rank %d: %s\n", rank, own);
  MPI_Bcast(matrix + bytes / 2, 8, MPI_CHAR, size - 1, MPI_COMM_WORLD);
  MPI_Status status;
  if (rank == 0) MPI_Send(own, 8, MPI_CHAR, 0, 1, MPI_COMM_SELF), MPI_Recv(other, 9, MPI_CHAR, 0, 1, MPI_COMM_SELF, &status);
  if (other[0]) printf("rank %d: contents have come\n", rank);
  Fabricast_Shared_free(matrix), Fabricast_Shared_free(other);
  if (argc > 1) Fabricast_Shared_malloc(100 + rank, "unequal");
  printf("end\n");
  MPI_Finalize();
  return 0;
}
