/* A barrier: in each step every rank puts to the next one and polls for the one before. */
#include "mgen.h"

int MGEN_Main(int argc, char **argv) {
  int rank, size;
  MGEN_Comm_rank(MGEN_COMM_WORLD, &rank);
  MGEN_Comm_size(MGEN_COMM_WORLD, &size);
  for (int step = 0; step < size - 1; step++) {
    MGEN_acp_handle put = MGEN_rdma_put((rank + 1) % size, 8, step);
    MGEN_rdma_poll(step);
    MGEN_acp_complete(put);
  }
  return 0;
}
