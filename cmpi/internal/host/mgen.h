/* NSIM-ACE's programs: MPI under NSIM's names, and one-sided communication of sizes. */
#ifndef FABRICAST_MGEN_H
#define FABRICAST_MGEN_H

#include "mgen-mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef long MGEN_acp_handle;

/* Starts to put so many bytes into the memory of a rank, which may poll for the tag. */
MGEN_acp_handle MGEN_rdma_put(int dest_rank, long data_size, int tag);
/* Starts to get so many bytes from the memory of a rank, which does nothing for it. */
MGEN_acp_handle MGEN_rdma_get(int source_rank, long data_size);
/* Returns when a put with the tag is in this rank's memory: the rank that it came from. */
int MGEN_rdma_poll(int tag);
/* Returns when the put or get is complete. */
int MGEN_acp_complete(MGEN_acp_handle handle);

/* MPI begins before the program's entry and ends after it, unless the program calls MPI_Init and MPI_Finalize itself. */
int Fabricast_Mgen_begin(void);
int Fabricast_Mgen_end(void);
static void fabricast_mgen_begin(void) __attribute__((constructor, used));
static void fabricast_mgen_begin(void) { Fabricast_Mgen_begin(); }
static void fabricast_mgen_end(void) __attribute__((destructor, used));
static void fabricast_mgen_end(void) { Fabricast_Mgen_end(); }

#ifdef __cplusplus
}
#endif
#endif
