/* Two all-to-alls at places of their own, and one by an algorithm that the program chooses. */
#include <fabricast.h>
#include <stdio.h>

static int in[64], out[64];

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < size; i++) out[i] = rank * size + i;
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD); /* line 13 */
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD); /* line 14 */
  if (argc > 1) {
    Fabricast_Collective("alltoall", argv[1]);
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    Fabricast_Collective("alltoall", NULL);
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
  }
  for (int i = 0; i < size; i++)
    if (in[i] != i * size + rank) printf("rank %d: %d from %d\n", rank, in[i], i);
  printf("end\n");
  MPI_Finalize();
  return 0;
}
