/* Every rank puts to both neighbours on a ring whose order is given, and waits for what both put to it. */
#include <stdlib.h>

#include "mgen.h"

int MGEN_Main(int argc, char **argv) {
  int rank, size, at = 0;
  long bytes = atol(argv[1]);
  MGEN_Comm world = MGEN_COMM_WORLD;
  MGEN_Comm_rank(world, &rank);
  MGEN_Comm_size(world, &size);
  MGEN_Key(size);
  while (atoi(argv[3 + at]) != rank) at++;
  int before = atoi(argv[3 + (at + size - 1) % size]), after = atoi(argv[3 + (at + 1) % size]);
  for (int i = 0; i < atoi(argv[2]); i++) {
    MGEN_acp_handle left = MGEN_rdma_put(before, bytes, 2 * i), right = MGEN_rdma_put(after, bytes, 2 * i + 1);
    MGEN_rdma_poll(2 * i + 1);
    MGEN_rdma_poll(2 * i);
    MGEN_acp_complete(left);
    MGEN_acp_complete(right);
    MGEN_Comp(1e-6);
  }
  return 0;
}
