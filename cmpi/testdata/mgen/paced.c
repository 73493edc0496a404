/* An all-to-all whose messages pause after each packet, in NSIM's names for MPI. */
#include <stdlib.h>
#include "mgen-mpi.h"

int MGEN_Main(int argc, char **argv) {
  int rank, size, bytes = atoi(argv[1]);
  char *in = malloc(bytes), *out = calloc(bytes, 1);
  MGEN_Options paced = {.gap = atoi(argv[2]), .nic = atoi(argv[3]), .copies = atoi(argv[4]), .protocol = atoi(argv[5])};
  MGEN_Init(&argc, &argv);
  MGEN_Comm_rank(MGEN_COMM_WORLD, &rank);
  MGEN_Comm_size(MGEN_COMM_WORLD, &size);
  for (int k = 1; k < size; k++) {
    MGEN_Request both[2];
    MGEN_Irecv(in, bytes, MGEN_BYTE, (rank - k + size) % size, 7, MGEN_COMM_WORLD, &both[0]);
    MGEN_Isend_with(out, bytes, MGEN_BYTE, (rank + k) % size, 7, MGEN_COMM_WORLD, &paced, &both[1]);
    MGEN_Waitall(2, both, MGEN_STATUSES_IGNORE);
  }
  MGEN_Finalize();
  return 0;
}
