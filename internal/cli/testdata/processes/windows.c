/* Every rank puts its number into a window of the next one after some barriers. The arguments are the kind
 * of the window, the number of barriers, and whether errors return. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size, *x = calloc(1, sizeof *x);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (atoi(argv[3])) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < atoi(argv[2]); i++) MPI_Barrier(MPI_COMM_WORLD);

  MPI_Win win;
  MPI_Aint at = 0;
  if (!strcmp(argv[1], "create")) {
    MPI_Win_create(x, sizeof *x, sizeof *x, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  } else if (!strcmp(argv[1], "allocate")) {
    MPI_Win_allocate(sizeof *x, sizeof *x, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
  } else if (!strcmp(argv[1], "shared")) {
    MPI_Win_allocate_shared(sizeof *x, sizeof *x, MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
  } else {
    MPI_Aint own;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, x, sizeof *x);
    MPI_Get_address(x, &own);
    MPI_Sendrecv(&own, 1, MPI_AINT, (rank + size - 1) % size, 0, &at, 1, MPI_AINT, (rank + 1) % size, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  MPI_Win_fence(0, win);
  MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, at, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  if (*x != (rank + size - 1) % size) MPI_Abort(MPI_COMM_WORLD, 7);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
