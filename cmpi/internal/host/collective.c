//go:build linux && amd64

/* Collectives: what the program names is laid out as runs of bytes, on which the
 * algorithms of the simulator work. */
#include "state.h"

/* A result that goes to the program's own buffer at the end. */
typedef struct {
  char *from, *to;
  int64_t count;
  fc_type *type;
  int strided; /* elements lie as in the program's buffer, not packed */
} part;

struct fc_finish {
  fc_call call; /* must come first */
  void *held[6];
  int nheld, nparts;
  part *parts;
};

static void *hold(fc_finish *f, int64_t n) { return f->held[f->nheld++] = calloc(1, n + 1); }

static fc_finish *plan(fc_rank *r, fc_comm *c, int what, int root) {
  fc_finish *f = calloc(1, sizeof *f);
  f->call = (fc_call){.what = what, .context = c->context, .rank = c->rank, .size = c->size, .ranks = c->ranks, .root = root, .owner = r, .omit = r->omit, .elem = 1, .commutative = 1};
  return f;
}

/* Gives back what a collective needed. */
int fc_finish_collective(fc_rank *r, fc_finish *f) {
  for (int i = 0; i < f->nparts; i++) {
    part *p = &f->parts[i];
    if (p->strided) {
      char *packed = malloc(p->type->size * p->count + 1);
      fc_pack(p->type, p->count, p->from - p->type->lb, packed);
      fc_unpack(p->type, p->count, packed, p->type->size * p->count, p->to);
      free(packed);
    } else {
      fc_unpack(p->type, p->count, p->from, p->type->size * p->count, p->to);
    }
  }
  for (int i = 0; i < f->nheld; i++) free(f->held[i]);
  free(f->parts), free(f);
  return MPI_SUCCESS;
}

/* Runs a collective, or starts it if there is a place for a request. */
static int run(fc_rank *r, fc_comm *c, fc_finish *f, MPI_Request *request) {
  r->call = &f->call;
  if (!request) {
    fc_pause(r, FC_COLLECTIVE);
    return fc_finish_collective(r, f);
  }
  fc_request *q = fc_request_new(r, FC_REQUEST_COLLECTIVE);
  q->finish = f, q->active = 1, q->comm = c->handle;
  f->call.request = q, f->call.sequence = ++c->collectives;
  *request = q->handle;
  fc_pause(r, FC_START);
  return MPI_SUCCESS;
}

/* A run of bytes with what is sent. */
static const void *packed(fc_finish *f, const void *buf, int64_t count, fc_type *t) {
  if (t->contiguous) return (const char *)buf + t->true_lb;
  void *p = hold(f, t->size * count);
  fc_pack(t, count, buf, p);
  return p;
}

static void later(fc_finish *f, char *from, void *to, int64_t count, fc_type *t, int strided) {
  f->parts = realloc(f->parts, (f->nparts + 1) * sizeof *f->parts);
  f->parts[f->nparts++] = (part){from, to, count, t, strided};
}

/* A run of bytes that what is received goes to. */
static void *opened(fc_finish *f, void *buf, int64_t count, fc_type *t) {
  if (t->contiguous) return (char *)buf + t->true_lb;
  void *p = hold(f, t->size * count);
  later(f, p, buf, count, t, 0);
  return p;
}

static void *at(const void *buf, int64_t elements, const fc_type *t) { return (char *)buf + elements * fc_extent(t); }

#define INTRA(c, comm) \
  COMM(c, comm); \
  REQUIRE(!c->inter, comm, MPI_ERR_COMM, "of the collectives on intercommunicators only barrier, broadcast and allreduce are part of Fabricast")
#define ROOT(root) REQUIRE((root) >= 0 && (root) < c->size, comm, MPI_ERR_ROOT, "found root %d, expected 0 to %d", root, c->size - 1)
#define COUNT(n) REQUIRE((n) >= 0, comm, MPI_ERR_COUNT, "found a count of %d", (int)(n))
#define COMMITTED(t, type) \
  TYPE(t, type); \
  REQUIRE(t->committed, comm, MPI_ERR_TYPE, "the datatype has not been committed")

static int barrier(fc_rank *r, MPI_Comm comm, MPI_Request *request) {
  fc_comm *between = fc_comm_of(r, comm);
  if (between && between->inter && !request) return fc_inter_barrier(r, between);
  INTRA(c, comm);
  return run(r, c, plan(r, c, FC_BARRIER, 0), request);
}

static int bcast(fc_rank *r, void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request) {
  fc_comm *between = fc_comm_of(r, comm);
  if (between && between->inter && !request) {
    COMMITTED(any, type);
    COUNT(count);
    (void)any;
    return fc_inter_bcast(r, between, buffer, count, type, root);
  }
  INTRA(c, comm);
  ROOT(root);
  COUNT(count);
  COMMITTED(t, type);
  fc_finish *f = plan(r, c, FC_BCAST, root);
  f->call.recv_size = t->size * count;
  if (c->rank == root)
    f->call.recv = (void *)packed(f, buffer, count, t);
  else
    f->call.recv = opened(f, buffer, count, t);
  return run(r, c, f, request);
}

static int gather(fc_rank *r, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                  MPI_Comm comm, MPI_Request *request) {
  INTRA(c, comm);
  ROOT(root);
  fc_finish *f = plan(r, c, FC_GATHER, root);
  if (c->rank == root) {
    COMMITTED(t, recvtype);
    f->call.recv = opened(f, recvbuf, (int64_t)recvcount * c->size, t);
    f->call.recv_size = t->size * recvcount * c->size;
    if (sendbuf == MPI_IN_PLACE) sendbuf = at(recvbuf, (int64_t)recvcount * root, t), sendcount = recvcount, sendtype = recvtype;
  }
  COMMITTED(s, sendtype);
  COUNT(sendcount);
  f->call.send = packed(f, sendbuf, sendcount, s), f->call.send_size = s->size * sendcount;
  return run(r, c, f, request);
}

static int scatter(fc_rank *r, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                   MPI_Comm comm, MPI_Request *request) {
  INTRA(c, comm);
  ROOT(root);
  fc_finish *f = plan(r, c, FC_SCATTER, root);
  int64_t block = 0;
  if (c->rank == root) {
    COMMITTED(s, sendtype);
    COUNT(sendcount);
    block = s->size * sendcount;
    f->call.send = packed(f, sendbuf, (int64_t)sendcount * c->size, s), f->call.send_size = block * c->size;
  }
  if (c->rank == root && recvbuf == MPI_IN_PLACE) {
    f->call.recv = hold(f, block), f->call.recv_size = block;
  } else {
    COMMITTED(t, recvtype);
    COUNT(recvcount);
    f->call.recv = opened(f, recvbuf, recvcount, t), f->call.recv_size = t->size * recvcount;
  }
  return run(r, c, f, request);
}

static int allgather(fc_rank *r, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                     MPI_Request *request) {
  INTRA(c, comm);
  COMMITTED(t, recvtype);
  COUNT(recvcount);
  fc_finish *f = plan(r, c, FC_ALLGATHER, 0);
  if (sendbuf == MPI_IN_PLACE) sendbuf = at(recvbuf, (int64_t)recvcount * c->rank, t), sendcount = recvcount, sendtype = recvtype;
  COMMITTED(s, sendtype);
  COUNT(sendcount);
  f->call.send = packed(f, sendbuf, sendcount, s), f->call.send_size = s->size * sendcount;
  f->call.recv = opened(f, recvbuf, (int64_t)recvcount * c->size, t), f->call.recv_size = t->size * recvcount * c->size;
  return run(r, c, f, request);
}

/* A copy of what is about to be overwritten. */
static const void *copied(fc_finish *f, const void *buf, int64_t count, fc_type *t) {
  void *p = hold(f, t->size * count);
  fc_pack(t, count, buf, p);
  return p;
}

static int alltoall(fc_rank *r, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                    MPI_Request *request) {
  INTRA(c, comm);
  COMMITTED(t, recvtype);
  COUNT(recvcount);
  fc_finish *f = plan(r, c, FC_ALLTOALL, 0);
  if (sendbuf == MPI_IN_PLACE) {
    f->call.send = copied(f, recvbuf, (int64_t)recvcount * c->size, t), f->call.send_size = t->size * recvcount * c->size;
  } else {
    COMMITTED(s, sendtype);
    COUNT(sendcount);
    f->call.send = packed(f, sendbuf, (int64_t)sendcount * c->size, s), f->call.send_size = s->size * sendcount * c->size;
  }
  f->call.recv = opened(f, recvbuf, (int64_t)recvcount * c->size, t), f->call.recv_size = t->size * recvcount * c->size;
  return run(r, c, f, request);
}

/* --- With a count for each rank --- */

/* Where each rank's part lies, in bytes. Types without gaps stay where they are; others are packed
 * into memory of their own, one part behind the other. */
typedef struct {
  char *base;
  int64_t *counts, *offsets, total;
} layout;

static layout lay(fc_finish *f, const void *buf, int n, const int *counts, const int *displs, fc_type *t, int fill, int empty) {
  layout l = {.counts = hold(f, 16 * (int64_t)n)};
  l.offsets = l.counts + n;
  int64_t end = 0, dense = 0;
  for (int i = 0; i < n; i++) {
    int64_t bytes = t->size * counts[i], offset = t->contiguous ? displs[i] * t->size : dense;
    l.counts[i] = bytes, l.offsets[i] = offset;
    dense += bytes;
    if (bytes && offset + bytes > end) end = offset + bytes;
  }
  l.total = end;
  if (t->contiguous) {
    l.base = (char *)buf + t->true_lb;
    return l;
  }
  l.base = hold(f, dense);
  for (int i = 0; i < n; i++) {
    if (fill) fc_pack(t, counts[i], at(buf, displs[i], t), l.base + l.offsets[i]);
    if (empty) later(f, l.base + l.offsets[i], at(buf, displs[i], t), counts[i], t, 0);
  }
  return l;
}

static int check_counts(fc_rank *r, MPI_Comm comm, int n, const int *counts) {
  for (int i = 0; i < n; i++) REQUIRE(counts[i] >= 0, comm, MPI_ERR_COUNT, "found a count of %d for rank %d", counts[i], i);
  return MPI_SUCCESS;
}

#define SENDS(l) f->call.send = l.base, f->call.send_size = l.total, f->call.send_counts = l.counts, f->call.send_offsets = l.offsets
#define RECVS(l) f->call.recv = l.base, f->call.recv_size = l.total, f->call.recv_counts = l.counts, f->call.recv_offsets = l.offsets

static int gatherv(fc_rank *r, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int *recvcounts, const int *displs,
                   MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) {
  INTRA(c, comm);
  ROOT(root);
  fc_finish *f = plan(r, c, FC_GATHERV, root);
  if (c->rank == root) {
    COMMITTED(t, recvtype);
    int code = check_counts(r, comm, c->size, recvcounts);
    if (code) return code;
    layout l = lay(f, recvbuf, c->size, recvcounts, displs, t, 0, 1);
    RECVS(l);
    if (sendbuf == MPI_IN_PLACE) sendbuf = at(recvbuf, displs[root], t), sendcount = recvcounts[root], sendtype = recvtype;
  }
  COMMITTED(s, sendtype);
  COUNT(sendcount);
  f->call.send = packed(f, sendbuf, sendcount, s), f->call.send_size = s->size * sendcount;
  return run(r, c, f, request);
}

static int scatterv(fc_rank *r, const void *sendbuf, const int *sendcounts, const int *displs, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                    MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) {
  INTRA(c, comm);
  ROOT(root);
  fc_finish *f = plan(r, c, FC_SCATTERV, root);
  if (c->rank == root) {
    COMMITTED(s, sendtype);
    int code = check_counts(r, comm, c->size, sendcounts);
    if (code) return code;
    layout l = lay(f, sendbuf, c->size, sendcounts, displs, s, 1, 0);
    SENDS(l);
    if (recvbuf == MPI_IN_PLACE) {
      f->call.recv_size = l.counts[root], f->call.recv = hold(f, l.counts[root]);
      return run(r, c, f, request);
    }
  }
  COMMITTED(t, recvtype);
  COUNT(recvcount);
  f->call.recv = opened(f, recvbuf, recvcount, t), f->call.recv_size = t->size * recvcount;
  return run(r, c, f, request);
}

static int allgatherv(fc_rank *r, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int *recvcounts, const int *displs,
                      MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  INTRA(c, comm);
  COMMITTED(t, recvtype);
  int code = check_counts(r, comm, c->size, recvcounts);
  if (code) return code;
  fc_finish *f = plan(r, c, FC_ALLGATHERV, 0);
  if (sendbuf == MPI_IN_PLACE) sendbuf = at(recvbuf, displs[c->rank], t), sendcount = recvcounts[c->rank], sendtype = recvtype;
  COMMITTED(s, sendtype);
  COUNT(sendcount);
  f->call.send = packed(f, sendbuf, sendcount, s), f->call.send_size = s->size * sendcount;
  layout l = lay(f, recvbuf, c->size, recvcounts, displs, t, 0, 1);
  RECVS(l);
  return run(r, c, f, request);
}

static int alltoallv(fc_rank *r, const void *sendbuf, const int *sendcounts, const int *sdispls, MPI_Datatype sendtype, void *recvbuf, const int *recvcounts,
                     const int *rdispls, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  INTRA(c, comm);
  COMMITTED(t, recvtype);
  int code = check_counts(r, comm, c->size, recvcounts);
  if (code) return code;
  fc_finish *f = plan(r, c, FC_ALLTOALLV, 0);
  layout l = lay(f, recvbuf, c->size, recvcounts, rdispls, t, 0, 1);
  RECVS(l);
  if (sendbuf == MPI_IN_PLACE) {
    f->call.send_counts = l.counts, f->call.send_offsets = l.offsets, f->call.send_size = l.total;
    char *copy = hold(f, l.total);
    if (!t->contiguous)
      for (int i = 0; i < c->size; i++) fc_pack(t, recvcounts[i], at(recvbuf, rdispls[i], t), copy + l.offsets[i]);
    else
      for (int i = 0; i < c->size; i++) memcpy(copy + l.offsets[i], l.base + l.offsets[i], l.counts[i]);
    f->call.send = copy;
    return run(r, c, f, request);
  }
  COMMITTED(s, sendtype);
  code = check_counts(r, comm, c->size, sendcounts);
  if (code) return code;
  layout m = lay(f, sendbuf, c->size, sendcounts, sdispls, s, 1, 0);
  SENDS(m);
  return run(r, c, f, request);
}

/* One side of an alltoallw, packed: displacements are in bytes and each rank has a type of its own. */
static int pack_all(fc_rank *r, MPI_Comm comm, fc_finish *f, layout *l, int n, const void *buf, const int *counts, const int *displs, const MPI_Datatype *types,
                    int fill, int empty) {
  l->counts = hold(f, 16 * (int64_t)n), l->offsets = l->counts + n, l->total = 0;
  for (int i = 0; i < n; i++) {
    COMMITTED(t, types[i]);
    COUNT(counts[i]);
    l->counts[i] = t->size * counts[i], l->offsets[i] = l->total;
    l->total += l->counts[i];
  }
  l->base = hold(f, l->total);
  for (int i = 0; i < n; i++) {
    fc_type *t = fc_type_of(r, types[i]);
    if (fill) fc_pack(t, counts[i], (const char *)buf + displs[i], l->base + l->offsets[i]);
    if (empty) later(f, l->base + l->offsets[i], (char *)buf + displs[i], counts[i], t, 0);
  }
  return MPI_SUCCESS;
}

static int alltoallw(fc_rank *r, const void *sendbuf, const int *sendcounts, const int *sdispls, const MPI_Datatype *sendtypes, void *recvbuf,
                     const int *recvcounts, const int *rdispls, const MPI_Datatype *recvtypes, MPI_Comm comm, MPI_Request *request) {
  INTRA(c, comm);
  fc_finish *f = plan(r, c, FC_ALLTOALLV, 0);
  layout in, out;
  int code = pack_all(r, comm, f, &in, c->size, recvbuf, recvcounts, rdispls, recvtypes, 0, 1);
  if (code) return code;
  RECVS(in);
  if (sendbuf == MPI_IN_PLACE)
    code = pack_all(r, comm, f, &out, c->size, recvbuf, recvcounts, rdispls, recvtypes, 1, 0);
  else
    code = pack_all(r, comm, f, &out, c->size, sendbuf, sendcounts, sdispls, sendtypes, 1, 0);
  if (code) return code;
  SENDS(out);
  return run(r, c, f, request);
}

/* --- Reductions --- */

/* Elements as they lie in the program's memory: an operation of the program wants them so. */
static void *elements(fc_finish *f, const void *buf, int64_t count, fc_type *t, int fill, int empty) {
  if (t->contiguous) return (char *)buf + t->true_lb;
  int64_t extent = fc_extent(t);
  char *p = hold(f, extent * count);
  if (fill && count) memcpy(p + t->true_lb - t->lb, (const char *)buf + t->true_lb, extent * (count - 1) + t->true_ub - t->true_lb);
  if (empty) later(f, p, (void *)buf, count, t, 1);
  return p;
}

static int reduction(fc_rank *r, fc_comm *c, int what, int root, MPI_Datatype type, MPI_Op op, fc_finish **made) {
  TYPE(t, type);
  REQUIRE(t->committed, c->handle, MPI_ERR_TYPE, "the datatype has not been committed");
  int code = fc_op_check(r, op, t);
  if (code) return code;
  fc_finish *f = *made = plan(r, c, what, root);
  f->call.op = op, f->call.type = type, f->call.elem = t->contiguous ? t->size : fc_extent(t), f->call.commutative = fc_op_commutes(r, op);
  return MPI_SUCCESS;
}

static int reduce(fc_rank *r, const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm, MPI_Request *request,
                  int what) {
  fc_comm *between = fc_comm_of(r, comm);
  if (between && between->inter && !request && what == FC_ALLREDUCE) {
    COMMITTED(any, type);
    COUNT(count);
    (void)any;
    return fc_inter_allreduce(r, between, sendbuf, recvbuf, count, type, op);
  }
  INTRA(c, comm);
  ROOT(root);
  COUNT(count);
  fc_finish *f;
  int code = reduction(r, c, what, root, type, op, &f);
  if (code) return code;
  fc_type *t = fc_type_of(r, type);
  f->call.send_size = f->call.recv_size = (int64_t)f->call.elem * count;
  if (sendbuf == MPI_IN_PLACE) sendbuf = recvbuf;
  f->call.send = elements(f, sendbuf, count, t, 1, 0);
  if (what != FC_REDUCE || c->rank == root) f->call.recv = elements(f, recvbuf, count, t, what == FC_EXSCAN, 1);
  return run(r, c, f, request);
}

static int reduce_scatter(fc_rank *r, const void *sendbuf, void *recvbuf, const int *recvcounts, int same, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                          MPI_Request *request) {
  INTRA(c, comm);
  fc_finish *f;
  int code = recvcounts ? check_counts(r, comm, c->size, recvcounts) : MPI_SUCCESS;
  if (!code) code = reduction(r, c, recvcounts ? FC_REDUCE_SCATTERV : FC_REDUCE_SCATTER, 0, type, op, &f);
  if (code) return code;
  COUNT(same);
  fc_type *t = fc_type_of(r, type);
  int64_t total = 0, mine = recvcounts ? recvcounts[c->rank] : same;
  int64_t *counts = hold(f, 16 * (int64_t)c->size), *offsets = counts + c->size;
  for (int i = 0; i < c->size; i++) {
    int n = recvcounts ? recvcounts[i] : same;
    counts[i] = (int64_t)n * f->call.elem, offsets[i] = total * f->call.elem;
    total += n;
  }
  int in_place = sendbuf == MPI_IN_PLACE;
  const void *from = elements(f, in_place ? recvbuf : sendbuf, total, t, 1, 0);
  f->call.send_size = total * f->call.elem, f->call.recv_size = counts[c->rank];
  if (in_place && t->contiguous) from = memcpy(hold(f, f->call.send_size), from, f->call.send_size);
  f->call.send = from;
  f->call.send_counts = counts, f->call.send_offsets = offsets;
  f->call.recv = elements(f, recvbuf, mine, t, 0, 1);
  return run(r, c, f, request);
}

/* --- The functions themselves, and what starts them in the background --- */

#define S const void *sendbuf, int sendcount, MPI_Datatype sendtype
#define R void *recvbuf, int recvcount, MPI_Datatype recvtype
#define SV const void *sendbuf, const int *sendcounts, const int *sdispls, MPI_Datatype sendtype
#define RV void *recvbuf, const int *recvcounts, const int *rdispls, MPI_Datatype recvtype
#define RED const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op
#define PAIR(name, small, parameters, ...) \
  int MPI_##name(parameters, MPI_Comm comm) { \
    ENTER(MPI_##name); \
    return small(r, __VA_ARGS__, comm, 0); \
  } \
  int MPI_I##small(parameters, MPI_Comm comm, MPI_Request *request) { \
    ENTER(MPI_I##small); \
    return small(r, __VA_ARGS__, comm, request); \
  }
#define LIST(...) __VA_ARGS__

int MPI_Barrier(MPI_Comm comm) {
  ENTER(MPI_Barrier);
  return barrier(r, comm, 0);
}
int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request) {
  ENTER(MPI_Ibarrier);
  return barrier(r, comm, request);
}
PAIR(Bcast, bcast, LIST(void *buffer, int count, MPI_Datatype type, int root), buffer, count, type, root)
PAIR(Gather, gather, LIST(S, R, int root), sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root)
PAIR(Scatter, scatter, LIST(S, R, int root), sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root)
PAIR(Allgather, allgather, LIST(S, R), sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype)
PAIR(Alltoall, alltoall, LIST(S, R), sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype)
PAIR(Gatherv, gatherv, LIST(S, RV, int root), sendbuf, sendcount, sendtype, recvbuf, recvcounts, rdispls, recvtype, root)
PAIR(Scatterv, scatterv, LIST(SV, R, int root), sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcount, recvtype, root)
PAIR(Allgatherv, allgatherv, LIST(S, RV), sendbuf, sendcount, sendtype, recvbuf, recvcounts, rdispls, recvtype)
PAIR(Alltoallv, alltoallv, LIST(SV, RV), sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype)
PAIR(Alltoallw, alltoallw,
     LIST(const void *sendbuf, const int *sendcounts, const int *sdispls, const MPI_Datatype *sendtypes, void *recvbuf, const int *recvcounts, const int *rdispls,
          const MPI_Datatype *recvtypes),
     sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes)

#define REDUCTION(name, i, what) \
  int MPI_##name(RED, MPI_Comm comm) { \
    ENTER(MPI_##name); \
    return reduce(r, sendbuf, recvbuf, count, type, op, 0, comm, 0, what); \
  } \
  int MPI_##i(RED, MPI_Comm comm, MPI_Request *request) { \
    ENTER(MPI_##i); \
    return reduce(r, sendbuf, recvbuf, count, type, op, 0, comm, request, what); \
  }
REDUCTION(Allreduce, Iallreduce, FC_ALLREDUCE)
REDUCTION(Scan, Iscan, FC_SCAN)
REDUCTION(Exscan, Iexscan, FC_EXSCAN)
int MPI_Reduce(RED, int root, MPI_Comm comm) {
  ENTER(MPI_Reduce);
  return reduce(r, sendbuf, recvbuf, count, type, op, root, comm, 0, FC_REDUCE);
}
int MPI_Ireduce(RED, int root, MPI_Comm comm, MPI_Request *request) {
  ENTER(MPI_Ireduce);
  return reduce(r, sendbuf, recvbuf, count, type, op, root, comm, request, FC_REDUCE);
}
int MPI_Reduce_scatter(const void *sendbuf, void *recvbuf, const int *recvcounts, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ENTER(MPI_Reduce_scatter);
  return reduce_scatter(r, sendbuf, recvbuf, recvcounts, 0, type, op, comm, 0);
}
int MPI_Ireduce_scatter(const void *sendbuf, void *recvbuf, const int *recvcounts, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  ENTER(MPI_Ireduce_scatter);
  return reduce_scatter(r, sendbuf, recvbuf, recvcounts, 0, type, op, comm, request);
}
int MPI_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ENTER(MPI_Reduce_scatter_block);
  return reduce_scatter(r, sendbuf, recvbuf, 0, recvcount, type, op, comm, 0);
}
int MPI_Ireduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  ENTER(MPI_Ireduce_scatter_block);
  return reduce_scatter(r, sendbuf, recvbuf, 0, recvcount, type, op, comm, request);
}
