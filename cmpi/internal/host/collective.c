//go:build linux && (amd64 || arm64)

/* Collectives: what the program names is laid out as runs of bytes, on which the
 * algorithms of the simulator work. */
#include "collective.h"

void *fc_hold(fc_finish *f, int64_t n) {
  void *p = calloc(1, n + 1);
  if (!p) fc_fail(f->call.owner, "found no memory for a copy of %lld bytes", (long long)n);
  return f->held[f->nheld++] = p;
}

/* A part of the program's memory that algorithms will use, all of it. */
static void *use(fc_finish *f, const void *p, int64_t n, int how) {
  if (!f->call.omit && !fc_is_shared(p)) fc_check_memory(f->call.owner, p, n, how | FC_EXACTLY);
  return (void *)p;
}

fc_finish *fc_plan(fc_rank *r, fc_comm *c, int what, int root) {
  fc_finish *f = r->mpi->finished;
  if (f)
    r->mpi->finished = 0, memset(f, 0, sizeof *f);
  else
    f = calloc(1, sizeof *f);
  fc_call *k = &f->call;
  k->what = what, k->context = c->context, k->rank = c->rank, k->size = c->size, k->ranks = c->ranks, k->root = root;
  k->owner = r, k->omit = r->omit, k->elem = 1, k->commutative = 1, k->site = r->site - r->image, k->name = r->name;
  f->comm = c->handle;
  if (!c->inter) return f;
  k->remote = c->remote, k->remote_size = c->remote_size, k->send_context = c->send_context;
  k->local_context = fc_comm_of(r, c->local)->context;
  return f;
}

/* Gives back the memory of a collective. Most are called one after the other: the next one takes it over. */
static void release(fc_rank *r, fc_finish *f) {
  for (int i = 0; i < f->nheld; i++) free(f->held[i]);
  if (f->parts) free(f->parts);
  if (r->mpi->finished)
    free(f);
  else
    r->mpi->finished = f;
}

/* Ends a collective. */
int fc_finish_collective(fc_rank *r, fc_finish *f) {
  for (int i = 0; i < f->nparts; i++) {
    fc_part *p = &f->parts[i];
    if (p->strided) {
      char *packed = fc_room(r, p->type->size * p->count);
      fc_pack(p->type, p->count, p->from - p->type->lb, packed);
      fc_unpack(p->type, p->count, packed, p->type->size * p->count, p->to);
      free(packed);
    } else {
      fc_unpack(p->type, p->count, p->from, p->type->size * p->count, p->to);
    }
    fc_type_use(r, p->type, -1);
  }
  if (f->made) fc_comm_made(r, f->made, &f->call);
  if (f->call.op) fc_op_use(r, f->call.op, -1), fc_type_use(r, fc_type_of(r, f->call.type), -1);
  if (!f->call.cut_size && !f->call.wrong_mark) {
    release(r, f);
    return MPI_SUCCESS;
  }
  fc_call call = f->call;
  MPI_Comm comm = f->comm;
  release(r, f);
  REQUIRE(!call.cut_size, comm, MPI_ERR_TRUNCATE, "%lld bytes from rank %d do not fit into the %lld that are expected (are the counts the same on all ranks?)",
          (long long)call.cut_size, call.cut_source, (long long)call.cut_room);
  return fc_mistaken_part(r, comm, &call);
}

/* own_part tells what a rank sends to itself, and how much it expects of itself. */
static void own_part(const fc_call *k, int64_t *sent, int64_t *expected) {
  *sent = k->send_size, *expected = k->recv_size;
  switch (k->what) {
    case FC_GATHER: case FC_ALLGATHER: *expected /= k->size; break;
    case FC_SCATTER: *sent /= k->size; break;
    case FC_ALLTOALL: *sent /= k->size, *expected /= k->size; break;
    default: *expected = *sent;
  }
  if ((k->what == FC_GATHER || k->what == FC_SCATTER) && k->rank != k->root) *expected = *sent;
}

/* Forgets a collective that does not begin. */
static void forget(fc_rank *r, fc_finish *f) {
  for (int i = 0; i < f->nparts; i++) fc_type_use(r, f->parts[i].type, -1);
  release(r, f);
}

/* Runs a collective, or starts it if there is a place for a request. */
int fc_run(fc_rank *r, fc_comm *c, fc_finish *f, MPI_Request *request) {
  int64_t sent, expected;
  own_part(&f->call, &sent, &expected);
  if (sent != expected && !c->inter) {
    forget(r, f);
    return fc_error(r, c->handle, sent > expected ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT, "the rank sends itself %lld bytes, but expects %lld", (long long)sent,
                    (long long)expected);
  }
  r->call = &f->call;
  f->call.omit |= fc_is_shared(f->call.send) || fc_is_shared(f->call.recv);
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

/* The types that are compared with those of other ranks: of what the rank gives, and of what it takes. */
static void gives(fc_finish *f, fc_type *t) { f->call.signature = fc_kind(t), f->call.mark = fc_mark(f->call.owner, t); }
static void takes(fc_finish *f, fc_type *t) { f->call.taken = fc_kind(t); }

/* A run of bytes with what is sent. */
const void *fc_packed(fc_finish *f, const void *buf, int64_t count, fc_type *t) {
  gives(f, t);
  int64_t bytes = fc_bytes(f->call.owner, t->size, count);
  if (t->contiguous) return use(f, (const char *)buf + t->true_lb, bytes, FC_READ);
  void *p = fc_hold(f, bytes);
  fc_pack(t, count, buf, p);
  return p;
}

void fc_later(fc_finish *f, char *from, void *to, int64_t count, fc_type *t, int strided) {
  f->parts = realloc(f->parts, (f->nparts + 1) * sizeof *f->parts);
  f->parts[f->nparts++] = (fc_part){from, to, count, t, strided};
  fc_type_use(f->call.owner, t, 1);
}

/* A run of bytes that what is received goes to. */
void *fc_opened(fc_finish *f, void *buf, int64_t count, fc_type *t) {
  takes(f, t);
  int64_t bytes = fc_bytes(f->call.owner, t->size, count);
  if (t->contiguous) return use(f, (char *)buf + t->true_lb, bytes, FC_WRITE);
  void *p = fc_hold(f, bytes);
  fc_later(f, p, buf, count, t, 0);
  return p;
}

static void *at(const void *buf, int64_t elements, const fc_type *t) { return (char *)buf + elements * fc_extent(t); }

static int barrier(fc_rank *r, MPI_Comm comm, MPI_Request *request) {
  COMM(c, comm);
  return fc_run(r, c, fc_plan(r, c, FC_BARRIER, 0), request);
}

static int bcast(fc_rank *r, void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request) {
  ANY(c, comm);
  ROOT(root);
  COUNT(count);
  COMMITTED(t, type);
  fc_finish *f = fc_plan(r, c, FC_BCAST, root);
  f->call.recv_size = t->size * count;
  if (leads)
    f->call.recv = (void *)fc_packed(f, buffer, count, t);
  else if (follows)
    f->call.recv = fc_opened(f, buffer, count, t);
  return fc_run(r, c, f, request);
}

static int gather(fc_rank *r, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                  MPI_Comm comm, MPI_Request *request) {
  ANY(c, comm);
  ROOT(root);
  fc_finish *f = fc_plan(r, c, FC_GATHER, root);
  if (leads) {
    COMMITTED(t, recvtype);
    COUNT(recvcount);
    APART(sendbuf, recvbuf, recvcount);
    f->call.recv = fc_opened(f, recvbuf, (int64_t)recvcount * peers, t);
    f->call.recv_size = t->size * recvcount * peers;
    if (sendbuf == MPI_IN_PLACE) sendbuf = at(recvbuf, (int64_t)recvcount * root, t), sendcount = recvcount, sendtype = recvtype;
  }
  if (follows) {
    OF_ROOT(sendbuf);
    COMMITTED(s, sendtype);
    COUNT(sendcount);
    f->call.send = fc_packed(f, sendbuf, sendcount, s), f->call.send_size = s->size * sendcount;
  }
  return fc_run(r, c, f, request);
}

static int scatter(fc_rank *r, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                   MPI_Comm comm, MPI_Request *request) {
  ANY(c, comm);
  ROOT(root);
  fc_finish *f = fc_plan(r, c, FC_SCATTER, root);
  int64_t block = 0;
  if (leads) {
    COMMITTED(s, sendtype);
    COUNT(sendcount);
    APART(sendbuf, recvbuf, sendcount);
    block = s->size * sendcount;
    f->call.send = fc_packed(f, sendbuf, (int64_t)sendcount * peers, s), f->call.send_size = block * peers;
  }
  if (leads && recvbuf == MPI_IN_PLACE) {
    f->call.recv = fc_hold(f, block), f->call.recv_size = block;
  } else if (follows) {
    OF_ROOT(recvbuf);
    COMMITTED(t, recvtype);
    COUNT(recvcount);
    f->call.recv = fc_opened(f, recvbuf, recvcount, t), f->call.recv_size = t->size * recvcount;
  }
  return fc_run(r, c, f, request);
}

static int allgather(fc_rank *r, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                     MPI_Request *request) {
  ANY(c, comm);
  COMMITTED(t, recvtype);
  COUNT(recvcount);
  APART(sendbuf, recvbuf, recvcount);
  if (!c->inter) APART(sendbuf, at(recvbuf, (int64_t)recvcount * c->rank, t), recvcount);
  fc_finish *f = fc_plan(r, c, FC_ALLGATHER, 0);
  if (sendbuf == MPI_IN_PLACE) sendbuf = at(recvbuf, (int64_t)recvcount * c->rank, t), sendcount = recvcount, sendtype = recvtype;
  COMMITTED(s, sendtype);
  COUNT(sendcount);
  f->call.send = fc_packed(f, sendbuf, sendcount, s), f->call.send_size = s->size * sendcount;
  f->call.recv = fc_opened(f, recvbuf, (int64_t)recvcount * peers, t), f->call.recv_size = t->size * recvcount * peers;
  return fc_run(r, c, f, request);
}

/* A copy of what is about to be overwritten. */
static const void *copied(fc_finish *f, const void *buf, int64_t count, fc_type *t) {
  void *p = fc_hold(f, fc_bytes(f->call.owner, t->size, count));
  fc_pack(t, count, buf, p);
  return p;
}

static int alltoall(fc_rank *r, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                    MPI_Request *request) {
  ANY(c, comm);
  COMMITTED(t, recvtype);
  COUNT(recvcount);
  APART(sendbuf, recvbuf, recvcount);
  fc_finish *f = fc_plan(r, c, FC_ALLTOALL, 0);
  if (sendbuf == MPI_IN_PLACE) {
    gives(f, t);
    f->call.send = copied(f, recvbuf, (int64_t)recvcount * peers, t), f->call.send_size = t->size * recvcount * peers;
  } else {
    COMMITTED(s, sendtype);
    COUNT(sendcount);
    f->call.send = fc_packed(f, sendbuf, (int64_t)sendcount * peers, s), f->call.send_size = s->size * sendcount * peers;
  }
  f->call.recv = fc_opened(f, recvbuf, (int64_t)recvcount * peers, t), f->call.recv_size = t->size * recvcount * peers;
  return fc_run(r, c, f, request);
}

/* --- With a count for each rank --- */

fc_layout fc_lay(fc_finish *f, const void *buf, int n, const int *counts, const int *displs, fc_type *t, int fill, int empty) {
  fc_layout l = {.counts = fc_hold(f, 16 * (int64_t)n)};
  l.offsets = l.counts + n;
  if (fill) gives(f, t);
  if (empty) takes(f, t);
  int64_t begin = 0, end = 0, dense = 0;
  for (int i = 0; i < n; i++) {
    int64_t bytes = fc_bytes(f->call.owner, t->size, counts[i]), offset = t->contiguous ? displs[i] * t->size : dense;
    l.counts[i] = bytes, l.offsets[i] = offset;
    dense += bytes;
    if (bytes && offset + bytes > end) end = offset + bytes;
    if (bytes && offset < begin) begin = offset;
  }
  l.total = end - begin;
  if (t->contiguous) {
    l.base = (char *)buf + t->true_lb + begin;
    for (int i = 0; i < n; i++) {
      l.offsets[i] -= begin;
      use(f, l.base + l.offsets[i], l.counts[i], empty ? FC_WRITE : FC_READ);
    }
    return l;
  }
  l.base = fc_hold(f, dense);
  for (int i = 0; i < n; i++) {
    if (fill) fc_pack(t, counts[i], at(buf, displs[i], t), l.base + l.offsets[i]);
    if (empty) fc_later(f, l.base + l.offsets[i], at(buf, displs[i], t), counts[i], t, 0);
  }
  return l;
}

static int check_counts(fc_rank *r, MPI_Comm comm, int n, const int *counts) {
  for (int i = 0; i < n; i++) REQUIRE(counts[i] >= 0, comm, MPI_ERR_COUNT, "found a count of %d for rank %d", counts[i], i);
  return MPI_SUCCESS;
}

static int gatherv(fc_rank *r, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int *recvcounts, const int *displs,
                   MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) {
  ANY(c, comm);
  ROOT(root);
  fc_finish *f = fc_plan(r, c, FC_GATHERV, root);
  if (leads) {
    COMMITTED(t, recvtype);
    int code = check_counts(r, comm, peers, recvcounts);
    if (code) return code;
    APART(sendbuf, recvbuf, recvcounts[root < 0 ? 0 : root]);
    fc_layout l = fc_lay(f, recvbuf, peers, recvcounts, displs, t, 0, 1);
    RECVS(l);
    if (sendbuf == MPI_IN_PLACE) sendbuf = at(recvbuf, displs[root], t), sendcount = recvcounts[root], sendtype = recvtype;
  }
  if (follows) {
    OF_ROOT(sendbuf);
    COMMITTED(s, sendtype);
    COUNT(sendcount);
    f->call.send = fc_packed(f, sendbuf, sendcount, s), f->call.send_size = s->size * sendcount;
  }
  return fc_run(r, c, f, request);
}

static int scatterv(fc_rank *r, const void *sendbuf, const int *sendcounts, const int *displs, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                    MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request) {
  ANY(c, comm);
  ROOT(root);
  fc_finish *f = fc_plan(r, c, FC_SCATTERV, root);
  if (leads) {
    COMMITTED(s, sendtype);
    int code = check_counts(r, comm, peers, sendcounts);
    if (code) return code;
    APART(sendbuf, recvbuf, sendcounts[root < 0 ? 0 : root]);
    fc_layout l = fc_lay(f, sendbuf, peers, sendcounts, displs, s, 1, 0);
    SENDS(l);
    if (recvbuf == MPI_IN_PLACE) {
      f->call.recv_size = l.counts[root], f->call.recv = fc_hold(f, l.counts[root]);
      return fc_run(r, c, f, request);
    }
  }
  if (follows) {
    OF_ROOT(recvbuf);
    COMMITTED(t, recvtype);
    COUNT(recvcount);
    f->call.recv = fc_opened(f, recvbuf, recvcount, t), f->call.recv_size = t->size * recvcount;
  }
  return fc_run(r, c, f, request);
}

static int allgatherv(fc_rank *r, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int *recvcounts, const int *displs,
                      MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  ANY(c, comm);
  COMMITTED(t, recvtype);
  int code = check_counts(r, comm, peers, recvcounts);
  if (code) return code;
  APART(sendbuf, recvbuf, sendcount);
  if (!c->inter) APART(sendbuf, at(recvbuf, displs[c->rank], t), sendcount);
  fc_finish *f = fc_plan(r, c, FC_ALLGATHERV, 0);
  if (sendbuf == MPI_IN_PLACE) sendbuf = at(recvbuf, displs[c->rank], t), sendcount = recvcounts[c->rank], sendtype = recvtype;
  COMMITTED(s, sendtype);
  COUNT(sendcount);
  f->call.send = fc_packed(f, sendbuf, sendcount, s), f->call.send_size = s->size * sendcount;
  fc_layout l = fc_lay(f, recvbuf, peers, recvcounts, displs, t, 0, 1);
  RECVS(l);
  return fc_run(r, c, f, request);
}

static int any(const int *counts, int n) {
  for (int i = 0; i < n; i++)
    if (counts[i]) return 1;
  return 0;
}

static int alltoallv(fc_rank *r, const void *sendbuf, const int *sendcounts, const int *sdispls, MPI_Datatype sendtype, void *recvbuf, const int *recvcounts,
                     const int *rdispls, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  ANY(c, comm);
  COMMITTED(t, recvtype);
  int code = check_counts(r, comm, peers, recvcounts);
  if (code) return code;
  APART(sendbuf, recvbuf, any(recvcounts, peers) && any(sendcounts, peers));
  fc_finish *f = fc_plan(r, c, FC_ALLTOALLV, 0);
  fc_layout l = fc_lay(f, recvbuf, peers, recvcounts, rdispls, t, 0, 1);
  RECVS(l);
  if (sendbuf == MPI_IN_PLACE) {
    f->call.send_counts = l.counts, f->call.send_offsets = l.offsets, f->call.send_size = l.total;
    char *copy = fc_hold(f, l.total);
    if (!t->contiguous)
      for (int i = 0; i < peers; i++) fc_pack(t, recvcounts[i], at(recvbuf, rdispls[i], t), copy + l.offsets[i]);
    else
      for (int i = 0; i < peers; i++) memcpy(copy + l.offsets[i], l.base + l.offsets[i], l.counts[i]);
    f->call.send = copy, f->call.mark = fc_mark(r, t);
    return fc_run(r, c, f, request);
  }
  COMMITTED(s, sendtype);
  code = check_counts(r, comm, peers, sendcounts);
  if (code) return code;
  fc_layout m = fc_lay(f, sendbuf, peers, sendcounts, sdispls, s, 1, 0);
  SENDS(m);
  return fc_run(r, c, f, request);
}

/* fc_gives_parts and fc_takes_parts are for parts with types of their own. */
void fc_gives_parts(fc_rank *r, fc_finish *f, int n, const MPI_Datatype *types) {
  uint64_t *marks = fc_hold(f, n * sizeof *marks);
  for (int i = 0; i < n; i++) marks[i] = fc_mark(r, fc_type_of(r, types[i]));
  f->call.marks = marks;
}
void fc_takes_parts(fc_rank *r, fc_finish *f, int n, const MPI_Datatype *types) {
  int32_t *list = fc_hold(f, n * sizeof *list);
  for (int i = 0; i < n; i++) list[i] = fc_kind(fc_type_of(r, types[i]));
  f->call.takes = list;
}

/* One side of an alltoallw, packed: displacements are in bytes and each rank has a type of its own. */
static int pack_all(fc_rank *r, MPI_Comm comm, fc_finish *f, fc_layout *l, int n, const void *buf, const int *counts, const int *displs, const MPI_Datatype *types,
                    int fill, int empty) {
  l->counts = fc_hold(f, 16 * (int64_t)n), l->offsets = l->counts + n, l->total = 0;
  for (int i = 0; i < n; i++) {
    COMMITTED(t, types[i]);
    COUNT(counts[i]);
    l->counts[i] = fc_bytes(r, t->size, counts[i]), l->offsets[i] = l->total;
    l->total += l->counts[i];
  }
  l->base = fc_hold(f, l->total);
  for (int i = 0; i < n; i++) {
    fc_type *t = fc_type_of(r, types[i]);
    if (fill) fc_pack(t, counts[i], (const char *)buf + displs[i], l->base + l->offsets[i]);
    if (empty) fc_later(f, l->base + l->offsets[i], (char *)buf + displs[i], counts[i], t, 0);
  }
  return MPI_SUCCESS;
}

static int alltoallw(fc_rank *r, const void *sendbuf, const int *sendcounts, const int *sdispls, const MPI_Datatype *sendtypes, void *recvbuf,
                     const int *recvcounts, const int *rdispls, const MPI_Datatype *recvtypes, MPI_Comm comm, MPI_Request *request) {
  ANY(c, comm);
  APART(sendbuf, recvbuf, any(recvcounts, peers) && any(sendcounts, peers));
  fc_finish *f = fc_plan(r, c, FC_ALLTOALLV, 0);
  fc_layout in, out;
  int code = pack_all(r, comm, f, &in, peers, recvbuf, recvcounts, rdispls, recvtypes, 0, 1);
  if (code) return code;
  RECVS(in);
  fc_takes_parts(r, f, peers, recvtypes);
  if (sendbuf == MPI_IN_PLACE)
    code = pack_all(r, comm, f, &out, peers, recvbuf, recvcounts, rdispls, recvtypes, 1, 0);
  else
    code = pack_all(r, comm, f, &out, peers, sendbuf, sendcounts, sdispls, sendtypes, 1, 0);
  if (code) return code;
  SENDS(out);
  fc_gives_parts(r, f, peers, sendbuf == MPI_IN_PLACE ? recvtypes : sendtypes);
  return fc_run(r, c, f, request);
}

/* --- Reductions --- */

/* Elements as they lie in the program's memory: an operation of the program wants them so. */
static void *elements(fc_finish *f, const void *buf, int64_t count, fc_type *t, int fill, int empty) {
  if (t->contiguous) return use(f, (char *)buf + t->true_lb, fc_bytes(f->call.owner, t->size, count), empty ? FC_WRITE : FC_READ);
  int64_t extent = fc_extent(t);
  char *p = fc_hold(f, fc_bytes(f->call.owner, extent, count));
  if (fill && count) memcpy(p + t->true_lb - t->lb, (const char *)buf + t->true_lb, extent * (count - 1) + t->true_ub - t->true_lb);
  if (empty) fc_later(f, p, (void *)buf, count, t, 1);
  return p;
}

static int reduction(fc_rank *r, fc_comm *c, int what, int root, MPI_Datatype type, MPI_Op op, fc_finish **made) {
  TYPE(t, type);
  REQUIRE(t->committed, c->handle, MPI_ERR_TYPE, "the datatype has not been committed");
  int code = fc_op_check(r, op, t);
  if (code) return code;
  fc_finish *f = *made = fc_plan(r, c, what, root);
  fc_op_use(r, op, 1), fc_type_use(r, t, 1);
  gives(f, t);
  f->call.op = op, f->call.type = type, f->call.elem = t->contiguous ? t->size : fc_extent(t), f->call.commutative = fc_op_commutes(r, op);
  return MPI_SUCCESS;
}

static int reduce(fc_rank *r, const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm, MPI_Request *request,
                  int what) {
  ANY(c, comm);
  ROOT(root);
  COUNT(count);
  REQUIRE(!c->inter || what == FC_REDUCE || what == FC_ALLREDUCE, comm, MPI_ERR_COMM, "expected an intracommunicator");
  if (what != FC_REDUCE || leads) APART(sendbuf, recvbuf, count);
  if (what == FC_REDUCE && !leads && follows) OF_ROOT(sendbuf);
  fc_finish *f;
  int code = reduction(r, c, what, root, type, op, &f);
  if (code) return code;
  fc_type *t = fc_type_of(r, type);
  f->call.send_size = f->call.recv_size = (int64_t)f->call.elem * count;
  if (sendbuf == MPI_IN_PLACE) sendbuf = recvbuf;
  if (what != FC_REDUCE || follows) f->call.send = elements(f, sendbuf, count, t, 1, 0);
  if (what != FC_REDUCE || leads) f->call.recv = elements(f, recvbuf, count, t, what == FC_EXSCAN, 1);
  return fc_run(r, c, f, request);
}

static int reduce_scatter(fc_rank *r, const void *sendbuf, void *recvbuf, const int *recvcounts, int same, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                          MPI_Request *request) {
  COMM(c, comm);
  fc_finish *f;
  APART(sendbuf, recvbuf, recvcounts ? 1 : same);
  int code = recvcounts ? check_counts(r, comm, c->size, recvcounts) : MPI_SUCCESS;
  if (!code) code = reduction(r, c, recvcounts ? FC_REDUCE_SCATTERV : FC_REDUCE_SCATTER, 0, type, op, &f);
  if (code) return code;
  COUNT(same);
  fc_type *t = fc_type_of(r, type);
  int64_t total = 0, mine = recvcounts ? recvcounts[c->rank] : same;
  int64_t *counts = fc_hold(f, 16 * (int64_t)c->size), *offsets = counts + c->size;
  for (int i = 0; i < c->size; i++) {
    int n = recvcounts ? recvcounts[i] : same;
    counts[i] = (int64_t)n * f->call.elem, offsets[i] = total * f->call.elem;
    total += n;
  }
  int in_place = sendbuf == MPI_IN_PLACE;
  const void *from = elements(f, in_place ? recvbuf : sendbuf, total, t, 1, 0);
  f->call.send_size = total * f->call.elem, f->call.recv_size = counts[c->rank];
  if (in_place && t->contiguous) from = memcpy(fc_hold(f, f->call.send_size), from, f->call.send_size);
  f->call.send = from;
  f->call.send_counts = counts, f->call.send_offsets = offsets;
  f->call.recv = elements(f, recvbuf, mine, t, 0, 1);
  return fc_run(r, c, f, request);
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
