//go:build linux && (amd64 || arm64)

/* Point-to-point messages. */
#pragma GCC optimize("O2") /* on the way of every message; see host.go */
#include "job.h"
#include "state.h"

void fc_empty_status(MPI_Status *s) {
  if (s == MPI_STATUS_IGNORE) return;
  *s = (MPI_Status){.MPI_SOURCE = MPI_ANY_SOURCE, .MPI_TAG = MPI_ANY_TAG, .MPI_ERROR = MPI_SUCCESS};
}

/* fc_set_status tells of a message. The error of a status belongs to calls that complete several requests. */
void fc_set_status(MPI_Status *s, int source, int tag, int64_t bytes) {
  if (s == MPI_STATUS_IGNORE) return;
  s->MPI_SOURCE = source, s->MPI_TAG = tag, s->fabricast_bytes = bytes, s->fabricast_cancelled = 0;
}

/* fc_push leaves an operation for the node. */
void fc_push(fc_rank *r, fc_op op) {
  if (r->ops == FC_BATCH) fc_pause(r, FC_SYNC);
  r->list[r->ops++] = op;
}

/* A buffer as the bytes that travel. */
static void *bytes_of(fc_rank *r, fc_request *q, const fc_type *t, int sends, int omit) {
  if (t->contiguous) {
    char *p = (char *)q->buf + t->true_lb;
    if (!omit && sends) fc_check_memory(r, p, q->capacity, FC_READ);
    if (!omit && !sends) fc_check_begin(r, p, q->capacity);
    return p;
  }
  q->packed = fc_room(r, q->capacity);
  if (sends) fc_pack(t, q->count, q->buf, q->packed);
  return q->packed;
}

/* A number for a send, which it shares with none of those under way. */
static uint32_t new_name(fc_rank *r) {
  if (!++r->mpi->names) r->mpi->names = 1;
  return r->mpi->names;
}

/* fc_post starts what a request describes. */
void fc_post(fc_rank *r, fc_request *q) {
  q->active = 1, q->done = 0, q->cancelled = 0, q->node = 0;
  if (q->peer == MPI_PROC_NULL) {
    q->done = q->proc_null = 1;
    return;
  }
  fc_comm *c = fc_comm_of(r, q->comm);
  fc_type *t = fc_type_of(r, q->type);
  q->capacity = t->size * q->count;
  fc_type_use(r, t, 1);
  q->owned = 1;
  fc_op op = {.tag = q->tag == MPI_ANY_TAG ? -1 : q->tag, .size = q->capacity, .request = q, .omit = r->omit | fc_is_shared(q->buf)};
  if (q->kind == FC_REQUEST_SEND) {
    op.kind = q->mode == FC_SYNCHRONOUS ? FC_SSEND : FC_SEND;
    op.peer = fc_remote_rank(c, q->peer), op.self = c->rank, op.context = c->send_context;
    op.data = bytes_of(r, q, t, 1, op.omit), op.result_size = r->options;
    op.place = q->mark ? q->mark : fc_mark(r, t);
    if (q->capacity >= FC_LARGE) fc_exchange_send(r, q, op.peer);
    if (q->handle && r->job->cancels) op.op = q->name = new_name(r);
  } else {
    op.kind = FC_RECV;
    op.peer = q->peer == MPI_ANY_SOURCE ? -1 : q->peer, op.context = c->context;
    op.data = bytes_of(r, q, t, 0, op.omit);
    if (q->capacity >= FC_LARGE) fc_exchange_begin(r, q);
  }
  fc_push(r, op);
}

/* The checks that all calls share. */
static int check(fc_rank *r, const void *buf, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, int sends) {
  COMM(c, comm);
  REQUIRE(count >= 0, comm, MPI_ERR_COUNT, "found a count of %d", count);
  fc_type *t = fc_type_of(r, type);
  REQUIRE(t || (type == MPI_DATATYPE_NULL && peer == MPI_PROC_NULL), comm, MPI_ERR_TYPE, "%s", fc_bad_handle(type, MPI_DATATYPE_NULL, "datatype"));
  REQUIRE(!t || t->committed, comm, MPI_ERR_TYPE, "the datatype has not been committed");
  int peers = c->inter ? c->remote_size : c->size;
  REQUIRE((peer >= 0 && peer < peers) || peer == MPI_PROC_NULL || (!sends && peer == MPI_ANY_SOURCE), comm, MPI_ERR_RANK,
          "found rank %d, expected 0 to %d", peer, peers - 1);
  REQUIRE(tag >= 0 || (!sends && tag == MPI_ANY_TAG), comm, MPI_ERR_TAG, "found tag %d, expected 0 to 2147483647", tag);
  REQUIRE(buf || !count || !t || !t->size || t->true_lb, comm, MPI_ERR_BUFFER, "the buffer is null, but %d elements are wanted", count);
  if (t) fc_bytes(r, t->size, count);
  return MPI_SUCCESS;
}

/* fc_waits_for records that the rank waits for a large send alone. A synchronous one really does. */
void fc_waits_for(fc_rank *r, const fc_request *q) {
  if (q->kind == FC_REQUEST_SEND && q->capacity >= FC_LARGE && !q->proc_null && q->mode != FC_BUFFERED)
    fc_exchange_block(r, q, fc_remote_rank(fc_comm_of(r, q->comm), q->peer));
}

static void describe(fc_request *q, int kind, const void *buf, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, int mode) {
  q->kind = kind, q->buf = (void *)buf, q->count = count, q->type = type, q->peer = peer, q->tag = tag, q->comm = comm, q->mode = mode;
}

/* reclaim gives back what buffered sends used of the program's buffer, those that are complete by now or, if it
 * waits, all of them. */
static void reclaim(fc_rank *r, int waits) {
  if (r->ops) fc_pause(r, FC_SYNC);
  int n = 0;
  for (fc_request *q = r->mpi->orphans; q; q = q->next) n++;
  fc_request **list = malloc((n + 1) * sizeof *list);
  n = 0;
  for (fc_request *q = r->mpi->orphans; q; q = q->next)
    if (q->mode == FC_BUFFERED && !q->done && (waits || q->node)) list[n++] = q;
  r->waits = list, r->nwaits = n;
  if (n) fc_pause(r, waits ? FC_WAIT_ALL : FC_SETTLE);
  free(list);
  for (fc_request **link = &r->mpi->orphans; *link;) {
    fc_request *q = *link;
    if (q->mode != FC_BUFFERED || !q->done) {
      link = &q->next;
      continue;
    }
    *link = q->next;
    r->mpi->buffered -= q->capacity;
    fc_finish_request(r, q, MPI_STATUS_IGNORE);
  }
}

/* Buffered sends own a copy and are complete at once. */
static int send_buffered(fc_rank *r, fc_request *q) {
  if (q->peer == MPI_PROC_NULL) {
    fc_post(r, q);
    return MPI_SUCCESS;
  }
  fc_type *t = fc_type_of(r, q->type);
  int64_t bytes = t->size * q->count;
  fc_state *s = r->mpi;
  if (s->buffered + bytes > s->buffer_size) reclaim(r, 0);
  REQUIRE(s->buffered + bytes <= s->buffer_size, q->comm, MPI_ERR_BUFFER, "%lld bytes do not fit into a buffer of %d for such sends, of which %lld are in use",
          (long long)bytes, s->buffer_size, (long long)s->buffered);
  s->buffered += bytes;
  char *copy = fc_room(r, bytes);
  fc_pack(t, q->count, q->buf, copy);
  fc_request *own = fc_request_new(r, FC_REQUEST_SEND);
  describe(own, FC_REQUEST_SEND, copy, t->size * q->count, MPI_BYTE, q->peer, q->tag, q->comm, FC_BUFFERED);
  own->mark = fc_mark(r, t);
  fc_post(r, own);
  own->packed = copy;
  own->next = r->mpi->orphans;
  r->mpi->orphans = own;
  q->active = 1, q->done = 1, q->cancelled = 0, q->name = own->name;
  return MPI_SUCCESS;
}

/* A small message needs no wait for its buffer, which is copied, and its wait nobody else, so the rank goes on: to resume it only for
 * that would cost as much as the message. */
static int leave_whole(fc_rank *r, const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  fc_comm *c = fc_comm_of(r, comm);
  fc_type *t = fc_type_of(r, type);
  int64_t bytes = t->size * count;
  if (bytes > r->small || !t->contiguous || r->options || r->measured || dest == MPI_PROC_NULL) return 0;
  if (r->ops == FC_BATCH) fc_pause(r, FC_SYNC);
  fc_check_memory(r, (const char *)buf + t->true_lb, bytes, FC_READ);
  char *copy = (char *)(r->list + FC_BATCH) + r->ops * FC_SMALL;
  if (bytes) memcpy(copy, (const char *)buf + t->true_lb, bytes);
  fc_op *op = &r->list[r->ops++];
  op->kind = FC_SEND_WHOLE, op->peer = fc_remote_rank(c, dest), op->self = c->rank, op->tag = tag, op->context = c->send_context;
  op->omit = r->omit | fc_is_shared(buf), op->size = bytes, op->data = copy, op->place = fc_mark(r, t);
  return 1;
}

static int send_now(fc_rank *r, const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, int mode) {
  int code = check(r, buf, count, type, dest, tag, comm, 1);
  if (code) return code;
  if (mode == FC_STANDARD && leave_whole(r, buf, count, type, dest, tag, comm)) return MPI_SUCCESS;
  fc_request q = {0};
  describe(&q, FC_REQUEST_SEND, buf, count, type, dest, tag, comm, mode);
  if (mode == FC_BUFFERED) return send_buffered(r, &q);
  fc_post(r, &q);
  fc_waits_for(r, &q);
  fc_request *list[1] = {&q};
  fc_wait_all(r, list, 1);
  return fc_finish_request(r, &q, MPI_STATUS_IGNORE);
}

static int start(fc_rank *r, int kind, const void *buf, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, int mode, int persistent, MPI_Request *request) {
  int code = check(r, buf, count, type, peer, tag, comm, kind == FC_REQUEST_SEND);
  if (code) return code;
  fc_request *q = fc_request_new(r, kind);
  describe(q, kind, buf, count, type, peer, tag, comm, mode);
  q->persistent = persistent;
  *request = q->handle;
  if (persistent) {
    fc_type *t = fc_type_of(r, type);
    if (t) fc_type_use(r, t, 1), q->holds = 1;
    return MPI_SUCCESS;
  }
  if (mode != FC_BUFFERED)
    fc_post(r, q);
  else if ((code = send_buffered(r, q)))
    fc_request_drop(r, q), *request = MPI_REQUEST_NULL;
  return code;
}

#define SENDS(name, i, mode) \
  int MPI_##name(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) { \
    ENTER(MPI_##name); \
    return send_now(r, buf, count, type, dest, tag, comm, mode); \
  } \
  int MPI_##i(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request) { \
    ENTER(MPI_##i); \
    return start(r, FC_REQUEST_SEND, buf, count, type, dest, tag, comm, mode, 0, request); \
  } \
  int MPI_##name##_init(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request) { \
    ENTER(MPI_##name##_init); \
    return start(r, FC_REQUEST_SEND, buf, count, type, dest, tag, comm, mode, 1, request); \
  }
SENDS(Send, Isend, FC_STANDARD)
SENDS(Ssend, Issend, FC_SYNCHRONOUS)
SENDS(Bsend, Ibsend, FC_BUFFERED)
SENDS(Rsend, Irsend, FC_READY)

int MPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request) {
  ENTER(MPI_Irecv);
  return start(r, FC_REQUEST_RECV, buf, count, type, source, tag, comm, FC_STANDARD, 0, request);
}
int MPI_Recv_init(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request) {
  ENTER(MPI_Recv_init);
  return start(r, FC_REQUEST_RECV, buf, count, type, source, tag, comm, FC_STANDARD, 1, request);
}

int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status) {
  ENTER(MPI_Recv);
  STATUS(status);
  int code = check(r, buf, count, type, source, tag, comm, 0);
  if (code) return code;
  fc_request q = {0};
  describe(&q, FC_REQUEST_RECV, buf, count, type, source, tag, comm, FC_STANDARD);
  fc_post(r, &q);
  fc_request *list[1] = {&q};
  fc_wait_all(r, list, 1);
  return fc_finish_request(r, &q, status);
}

static int start_again(fc_rank *r, MPI_Request *request) {
  fc_request *q = fc_request_of(r, *request);
  REQUIRE(q && q->persistent && !q->active, MPI_COMM_WORLD, MPI_ERR_REQUEST, "expected a persistent request that is not active");
  if (q->mode == FC_BUFFERED) return send_buffered(r, q);
  fc_post(r, q);
  return MPI_SUCCESS;
}
int MPI_Start(MPI_Request *request) {
  ENTER(MPI_Start);
  return start_again(r, request);
}
int MPI_Startall(int count, MPI_Request *requests) {
  ENTER(MPI_Startall);
  for (int i = 0; i < count; i++) {
    int code = start_again(r, &requests[i]);
    if (code) return code;
  }
  return MPI_SUCCESS;
}

/* Sends and receives at once. The mark is that of what is sent, if its type does not tell. */
static int send_and_receive(fc_rank *r, const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, uint64_t mark, void *recvbuf, int recvcount,
                            MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status) {
  STATUS(status);
  int code = check(r, sendbuf, sendcount, sendtype, dest, sendtag, comm, 1);
  if (!code) code = check(r, recvbuf, recvcount, recvtype, source, recvtag, comm, 0);
  if (code) return code;
  fc_request s = {.mark = mark}, q = {0};
  describe(&q, FC_REQUEST_RECV, recvbuf, recvcount, recvtype, source, recvtag, comm, FC_STANDARD);
  fc_post(r, &q);
  describe(&s, FC_REQUEST_SEND, sendbuf, sendcount, sendtype, dest, sendtag, comm, FC_STANDARD);
  fc_post(r, &s);
  fc_request *list[2] = {&s, &q};
  fc_wait_all(r, list, 2);
  code = fc_finish_request(r, &s, MPI_STATUS_IGNORE);
  int other = fc_finish_request(r, &q, status);
  return other ? other : code;
}

int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                 int source, int recvtag, MPI_Comm comm, MPI_Status *status) {
  ENTER(MPI_Sendrecv);
  STATUS(status);
  return send_and_receive(r, sendbuf, sendcount, sendtype, dest, sendtag, 0, recvbuf, recvcount, recvtype, source, recvtag, comm, status);
}

int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status *status) {
  ENTER(MPI_Sendrecv_replace);
  int code = check(r, buf, count, type, dest, sendtag, comm, 1);
  if (code) return code;
  fc_type *t = fc_type_of(r, type);
  int64_t n = t ? t->size * count : 0;
  char *copy = fc_room(r, n);
  if (t) fc_pack(t, count, buf, copy);
  code = send_and_receive(r, copy, n, MPI_BYTE, dest, sendtag, t ? fc_mark(r, t) : 0, buf, count, type, source, recvtag, comm, status);
  free(copy);
  return code;
}

/* fc_send_bytes and fc_recv_bytes are messages of the library's own, in the communicator's collective context. */
void fc_send_bytes(fc_rank *r, fc_comm *c, const void *p, int64_t n, int peer, int tag) {
  fc_request q = {.kind = FC_REQUEST_SEND};
  fc_push(r, (fc_op){.kind = FC_SEND, .peer = fc_remote_rank(c, peer), .self = c->rank, .tag = tag, .context = c->send_context + 1, .size = n, .data = (void *)p, .request = &q});
  fc_request *list[1] = {&q};
  fc_wait_all(r, list, 1);
}
int64_t fc_recv_bytes(fc_rank *r, fc_comm *c, void *p, int64_t n, int peer, int tag) {
  fc_request q = {.kind = FC_REQUEST_RECV, .capacity = n};
  fc_push(r, (fc_op){.kind = FC_RECV, .peer = peer, .tag = tag, .context = c->context + 1, .size = n, .data = p, .request = &q});
  fc_request *list[1] = {&q};
  fc_wait_all(r, list, 1);
  return q.status.size;
}


/* fc_swap_bytes sends and receives at once; returns how much came. */
int64_t fc_swap_bytes(fc_rank *r, fc_comm *c, const void *p, int64_t n, void *q, int64_t m, int peer, int tag) {
  fc_request in = {.kind = FC_REQUEST_RECV, .capacity = m}, out = {.kind = FC_REQUEST_SEND};
  fc_push(r, (fc_op){.kind = FC_RECV, .peer = peer, .tag = tag, .context = c->context + 1, .size = m, .data = q, .request = &in});
  fc_push(r, (fc_op){.kind = FC_SEND, .peer = fc_remote_rank(c, peer), .self = c->rank, .tag = tag, .context = c->send_context + 1, .size = n, .data = (void *)p, .request = &out});
  fc_request *list[2] = {&out, &in};
  fc_wait_all(r, list, 2);
  return in.status.size;
}

/* fc_look probes for a message. */
int fc_look(fc_rank *r, int why, int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
  int code = check(r, r, 0, MPI_BYTE, source, tag, comm, 0);
  if (code) return code;
  if (source == MPI_PROC_NULL) {
    fc_set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    *flag = 1;
    return MPI_SUCCESS;
  }
  r->source = source == MPI_ANY_SOURCE ? -1 : source, r->tag = tag == MPI_ANY_TAG ? -1 : tag, r->context = fc_comm_of(r, comm)->context;
  fc_pause(r, why);
  *flag = r->flag;
  if (r->flag) fc_set_status(status, r->status.source, r->status.tag, r->status.size);
  return MPI_SUCCESS;
}
int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status) {
  ENTER(MPI_Probe);
  STATUS(status);
  int flag;
  return fc_look(r, FC_PROBE, source, tag, comm, &flag, status);
}
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
  ENTER(MPI_Iprobe);
  TOLD(flag);
  STATUS(status);
  return fc_look(r, FC_IPROBE, source, tag, comm, flag, status);
}

int MPI_Buffer_attach(void *buffer, int size) {
  ENTER(MPI_Buffer_attach);
  REQUIRE(size >= 0, MPI_COMM_WORLD, MPI_ERR_ARG, "found a size of %d", size);
  REQUIRE(!r->mpi->buffer, MPI_COMM_WORLD, MPI_ERR_BUFFER, "a buffer is attached already");
  r->mpi->buffer = buffer, r->mpi->buffer_size = size;
  return MPI_SUCCESS;
}
int MPI_Buffer_detach(void *buffer_address, int *size) {
  ENTER(MPI_Buffer_detach);
  reclaim(r, 1);
  *(void **)buffer_address = r->mpi->buffer, *size = r->mpi->buffer_size;
  r->mpi->buffer = 0, r->mpi->buffer_size = 0;
  return MPI_SUCCESS;
}
