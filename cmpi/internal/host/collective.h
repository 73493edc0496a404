/* What collectives have in common. */
#ifndef FABRICAST_COLLECTIVE_H
#define FABRICAST_COLLECTIVE_H

#include "state.h"

/* A result that goes to the program's own buffer at the end. */
typedef struct {
  char *from, *to;
  int64_t count;
  fc_type *type;
  int strided; /* elements lie as in the program's buffer, not packed */
} fc_part;

struct fc_finish {
  fc_call call; /* must come first */
  void *held[12];
  int nheld, nparts;
  fc_part *parts;
  fc_comm *made; /* by MPI_Comm_idup */
  MPI_Comm comm;
};

/* Where each rank's part lies, in bytes. Types without gaps stay where they are; others are packed
 * into memory of their own, one part behind the other. */
typedef struct {
  char *base;
  int64_t *counts, *offsets, total;
} fc_layout;

void *fc_hold(fc_finish *f, int64_t n);
fc_finish *fc_plan(fc_rank *r, fc_comm *c, int what, int root);
int fc_run(fc_rank *r, fc_comm *c, fc_finish *f, MPI_Request *request);
const void *fc_packed(fc_finish *f, const void *buf, int64_t count, fc_type *t);
void fc_later(fc_finish *f, char *from, void *to, int64_t count, fc_type *t, int strided);
void *fc_opened(fc_finish *f, void *buf, int64_t count, fc_type *t);
void fc_gives_parts(fc_rank *r, fc_finish *f, int n, const MPI_Datatype *types);
void fc_takes_parts(fc_rank *r, fc_finish *f, int n, const MPI_Datatype *types);
fc_layout fc_lay(fc_finish *f, const void *buf, int n, const int *counts, const int *displs, fc_type *t, int fill, int empty);

#define SENDS(l) f->call.send = l.base, f->call.send_size = l.total, f->call.send_counts = l.counts, f->call.send_offsets = l.offsets
#define RECVS(l) f->call.recv = l.base, f->call.recv_size = l.total, f->call.recv_counts = l.counts, f->call.recv_offsets = l.offsets

/* Of whom a collective knows: the ranks of the communicator, or of the other group of an intercommunicator. */
#define ANY(c, comm) \
  COMM(c, comm); \
  int peers = c->inter ? c->remote_size : c->size; \
  (void)peers
#define INTRA(c, comm) \
  ANY(c, comm); \
  REQUIRE(!c->inter, comm, MPI_ERR_COMM, "expected an intracommunicator")
#define ROOT(root) \
  REQUIRE(((root) >= 0 && (root) < peers) || (c->inter && ((root) == MPI_ROOT || (root) == MPI_PROC_NULL)), comm, MPI_ERR_ROOT, \
          "found root %d, expected 0 to %d", root, peers - 1); \
  int leads = c->inter ? (root) == MPI_ROOT : (root) == c->rank, follows = !c->inter || (root) >= 0; \
  (void)leads, (void)follows
#define APART(from, to, n) \
  REQUIRE((from) != (to) || !(from) || (from) == MPI_BOTTOM || !(n), comm, MPI_ERR_BUFFER, "what is sent and what is received are in the same place; expected MPI_IN_PLACE")
#define OF_ROOT(buf) REQUIRE((buf) != MPI_IN_PLACE, comm, MPI_ERR_BUFFER, "only the root may pass MPI_IN_PLACE")
#define COUNT(n) REQUIRE((n) >= 0, comm, MPI_ERR_COUNT, "found a count of %d", (int)(n))
#define COMMITTED(t, type) \
  TYPE(t, type); \
  REQUIRE(t->committed, comm, MPI_ERR_TYPE, "the datatype has not been committed")

#endif
