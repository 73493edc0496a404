//go:build linux && (amd64 || arm64)

/* Matched probes: a message that is found is taken at once, into memory of its own, and given to whoever
 * has its handle. */
#include "state.h"

static fc_request *message_of(fc_rank *r, MPI_Message message) { return fc_table_get(&r->mpi->messages, message, MPI_MESSAGE_NULL); }

static int take(fc_rank *r, int why, int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status) {
  MPI_Status found;
  *message = MPI_MESSAGE_NULL;
  int code = fc_look(r, why, source, tag, comm, flag, &found);
  if (code || !*flag) return code;
  fc_set_status(status, found.MPI_SOURCE, found.MPI_TAG, found.fabricast_bytes);
  *message = MPI_MESSAGE_NO_PROC;
  if (source == MPI_PROC_NULL) return MPI_SUCCESS;
  fc_request *q = fc_request_new(r, FC_REQUEST_RECV);
  q->comm = comm, q->capacity = found.fabricast_bytes, q->packed = malloc(q->capacity + 1), q->active = 1;
  fc_push(r, (fc_op){.kind = FC_RECV, .peer = found.MPI_SOURCE, .tag = found.MPI_TAG, .context = fc_comm_of(r, comm)->context, .size = q->capacity,
                     .data = q->packed, .request = q, .omit = r->omit});
  *message = MPI_MESSAGE_NULL + fc_table_add(&r->mpi->messages, q);
  return MPI_SUCCESS;
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
  ENTER(MPI_Mprobe);
  STATUS(status);
  int flag;
  return take(r, FC_PROBE, source, tag, comm, &flag, message, status);
}
int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status) {
  ENTER(MPI_Improbe);
  TOLD(flag);
  STATUS(status);
  return take(r, FC_IPROBE, source, tag, comm, flag, message, status);
}

/* The request behind a message, told where the program wants it. */
static int accept(fc_rank *r, void *buf, int count, MPI_Datatype type, MPI_Message *message, fc_request **made) {
  fc_request *q = message_of(r, *message);
  MPI_Comm comm = q ? q->comm : MPI_COMM_WORLD;
  REQUIRE(q || *message == MPI_MESSAGE_NO_PROC, comm, MPI_ERR_REQUEST, "%s", fc_bad_handle(*message, MPI_MESSAGE_NULL, "message"));
  REQUIRE(count >= 0, comm, MPI_ERR_COUNT, "found a count of %d", count);
  fc_type *t = fc_type_of(r, type);
  REQUIRE(t, comm, MPI_ERR_TYPE, "%s", fc_bad_handle(type, MPI_DATATYPE_NULL, "datatype"));
  REQUIRE(t->committed, comm, MPI_ERR_TYPE, "the datatype has not been committed");
  if (q) {
    fc_table_drop(&r->mpi->messages, *message - MPI_MESSAGE_NULL);
    fc_type_use(r, t, 1);
    q->owned = 1, q->capacity = t->size * count;
  } else {
    q = fc_request_new(r, FC_REQUEST_RECV);
    q->comm = MPI_COMM_WORLD, q->active = q->done = q->proc_null = 1;
  }
  q->buf = buf, q->count = count, q->type = type;
  *message = MPI_MESSAGE_NULL;
  *made = q;
  return MPI_SUCCESS;
}

int MPI_Mrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status) {
  ENTER(MPI_Mrecv);
  STATUS(status);
  fc_request *q;
  int code = accept(r, buf, count, type, message, &q);
  if (code) return code;
  fc_request *list[1] = {q};
  fc_wait_all(r, list, 1);
  return fc_finish_request(r, q, status);
}
int MPI_Imrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request) {
  ENTER(MPI_Imrecv);
  fc_request *q;
  int code = accept(r, buf, count, type, message, &q);
  if (!code) *request = q->handle;
  return code;
}
