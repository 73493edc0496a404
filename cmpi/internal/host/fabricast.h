/* What programs may tell Fabricast beyond MPI. */
#ifndef FABRICAST_H
#define FABRICAST_H

#include "mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lets simulated time pass on the calling rank, as if it had computed for so many seconds. */
int Fabricast_Compute(double seconds);

/* Lets the simulation catch up with the rank, which otherwise runs ahead of it until it waits for
 * something: what others have put into its memory by now is then there. Costs as much as a test that fails. */
int Fabricast_Yield(void);

/* A loop of which a rank runs only the first iterations:
 *
 *   for (int i = 0; i < n; i++)
 *     FABRICAST_SAMPLE(5) {
 *       ...
 *     }
 *
 * runs the block 5 times. Of each further time only the simulated time passes on the rank, the mean of those 5. The block must not
 * be left by break, goto or return. If it communicates, all ranks must run it equally often. */
typedef struct Fabricast_Loop {
  long long run, time;      /* iterations that have been run, and ps that they took */
  long long skipped, given; /* iterations that have not, and ps that have passed for them */
  long long began;
  struct Fabricast_Loop *outer;
} Fabricast_Loop;

#define FABRICAST_SAMPLE(iterations) \
  for (int fabricast_runs = Fabricast_Sample(({ static Fabricast_Loop fabricast_loop; &fabricast_loop; }), iterations); fabricast_runs; \
       fabricast_runs = Fabricast_Sampled())
int Fabricast_Sample(Fabricast_Loop *loop, int iterations);
int Fabricast_Sampled(void);

/* The calling rank runs a collective ("alltoall", "allreduce", ...) by this algorithm from now on, wherever that can run; a null pointer takes
 * all choices back. All ranks of a communicator must choose alike. */
int Fabricast_Collective(const char *collective, const char *algorithm);

/* Memory that is there once: all ranks that ask for the same name, with the same size, get the same bytes, which are 0 at first.
 * Messages from and to it carry sizes only. A null pointer if there is none. */
void *Fabricast_Shared_malloc(size_t size, const char *name);
void Fabricast_Shared_free(void *memory);

/* How a message is sent. A field that is 0 leaves it to the experiment. */
typedef struct {
  int nic;      /* 1 + the number of the NIC by which it leaves, and by which it comes in at the other end */
  int gap;      /* for how many packet times the NIC pauses after each packet */
  int protocol; /* one of those below */
  int copies;   /* one of those below */
} Fabricast_Options;

enum { FABRICAST_EAGER = 1, FABRICAST_RENDEZVOUS, FABRICAST_RENDEZVOUS_READ, FABRICAST_SYNCHRONOUS };
enum { FABRICAST_ZERO_COPY = 1, FABRICAST_ONE_COPY };

/* All messages that the calling rank sends from now on, and what it puts or accumulates, are sent so; a null pointer takes that back. Of what is put or
 * accumulated NIC and gap count. Gets and operations that bring something back are left to the experiment. */
int Fabricast_Sends(const Fabricast_Options *options);

/* One message. */
int Fabricast_Send_with(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, const Fabricast_Options *options);
int Fabricast_Isend_with(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, const Fabricast_Options *options, MPI_Request *request);

#ifdef __cplusplus
}
#endif
#endif
