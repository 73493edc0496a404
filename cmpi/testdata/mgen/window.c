/* Tells how many ns it takes rank 0 to put to rank 1, or accumulate, or get from it, when it has called Fabricast_Sends. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "fabricast.h"

int main(int argc, char **argv) {
  int rank, bytes = atoi(argv[1]), call = atoi(argv[3]);
  Fabricast_Options o = {.gap = atoi(argv[2])};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char *memory, *out = calloc(bytes, 1);
  MPI_Win win;
  MPI_Datatype every_other;
  MPI_Type_vector(bytes / 2, 1, 2, MPI_BYTE, &every_other);
  MPI_Type_commit(&every_other);
  MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  Fabricast_Sends(&o);
  MPI_Win_lock_all(0, win);
  double start = MPI_Wtime();
  if (rank == 0) {
    int to = 1;
    MPI_Request request;
    switch (call) {
      case 0: MPI_Put(out, bytes, MPI_BYTE, to, 0, bytes, MPI_BYTE, win); break;
      case 1: MPI_Rput(out, bytes, MPI_BYTE, to, 0, bytes, MPI_BYTE, win, &request), MPI_Wait(&request, MPI_STATUS_IGNORE); break;
      case 2: MPI_Accumulate(out, bytes, MPI_BYTE, to, 0, bytes, MPI_BYTE, MPI_BXOR, win); break;
      case 3: MPI_Put(out, bytes / 2, MPI_BYTE, to, 0, 1, every_other, win); break;
      case 4: MPI_Accumulate(out, bytes / 2, MPI_BYTE, to, 0, 1, every_other, MPI_BXOR, win); break;
      case 5: MPI_Get(out, bytes, MPI_BYTE, to, 0, bytes, MPI_BYTE, win); break;
    }
    MPI_Win_flush(to, win);
    printf("%.0f\n", (MPI_Wtime() - start) * 1e9);
  }
  MPI_Win_unlock_all(win);
  MPI_Type_free(&every_other);
  MPI_Win_free(&win);
  MPI_Finalize();
  free(out);
  return 0;
}
