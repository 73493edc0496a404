//go:build linux && (amd64 || arm64)

/* NSIM-ACE's calls: puts and gets of sizes, and polling for puts. */
#include "access.h"

long MGEN_rdma_put(int dest, long size, int tag) {
  ENTER(MGEN_rdma_put);
  if (dest < 0 || dest >= r->size) fc_fail(r, "found rank %d, expected 0 to %d", dest, r->size - 1);
  if (size < 0) fc_fail(r, "found %ld bytes, expected 0 or more", size);
  if (tag < 0) fc_fail(r, "found tag %d, expected 0 to 2147483647", tag);
  return fc_access_start(r, (fc_op){.kind = FC_PUT_TAGGED, .peer = dest, .self = r->id, .tag = tag, .size = size, .result_size = r->options});
}

/* The memory of the other rank is no region: only how long it takes is of interest. */
long MGEN_rdma_get(int source, long size) {
  ENTER(MGEN_rdma_get);
  if (source < 0 || source >= r->size) fc_fail(r, "found rank %d, expected 0 to %d", source, r->size - 1);
  if (size < 0) fc_fail(r, "found %ld bytes, expected 0 or more", size);
  return fc_access_start(r, (fc_op){.kind = FC_GET, .peer = source, .self = r->id, .result_size = size});
}

int MGEN_rdma_poll(int tag) {
  ENTER(MGEN_rdma_poll);
  if (tag < 0) fc_fail(r, "found tag %d, expected 0 to 2147483647", tag);
  fc_request q = {.kind = FC_REQUEST_ACCESS}, *list[1] = {&q};
  fc_push(r, (fc_op){.kind = FC_POLL, .peer = -1, .tag = tag, .request = &q});
  fc_wait_all(r, list, 1);
  return q.status.source;
}

int MGEN_acp_complete(long handle) {
  ENTER(MGEN_acp_complete);
  fc_access_known(r, handle);
  fc_access_complete(r, handle, handle);
  return MPI_SUCCESS;
}

/* Before the program's entry, once for each of its sources. */
int Fabricast_Mgen_begin(void) {
  fc_rank *r = fc_current();
  if (r->initialized) return MPI_SUCCESS;
  MPI_Init(0, 0);
  r->implicit = 1;
  return MPI_SUCCESS;
}

int Fabricast_Mgen_end(void) {
  fc_rank *r = fc_current();
  if (r->implicit && !r->finalized) MPI_Finalize();
  return MPI_SUCCESS;
}
