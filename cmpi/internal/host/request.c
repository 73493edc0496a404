//go:build linux && (amd64 || arm64)

/* Requests: completing what has been started. */
#pragma GCC optimize("O2") /* on the way of every message; see host.go */
#include <stdio.h>

#include "state.h"

fc_request *fc_request_of(fc_rank *r, MPI_Request request) { return fc_table_get(&r->mpi->requests, request, MPI_REQUEST_NULL); }

fc_request *fc_request_new(fc_rank *r, int kind) {
  fc_request *q = r->mpi->spare;
  if (q)
    r->mpi->spare = q->next;
  else
    q = malloc(sizeof *q);
  memset(q, 0, sizeof *q);
  q->kind = kind;
  q->handle = MPI_REQUEST_NULL + fc_table_add(&r->mpi->requests, q);
  return q;
}

void fc_request_drop(fc_rank *r, fc_request *q) {
  if (q->holds) fc_type_use(r, fc_type_of(r, q->type), -1);
  fc_table_drop(&r->mpi->requests, q->handle - MPI_REQUEST_NULL);
  q->next = r->mpi->spare;
  r->mpi->spare = q;
}

/* fc_wait_all hands over until all of the requests are done. */
void fc_wait_all(fc_rank *r, fc_request **list, int n) {
  int left = 0;
  for (int i = 0; i < n; i++)
    if (!list[i]->done) list[left++] = list[i];
  if (!left) return;
  r->waits = list, r->nwaits = left;
  fc_pause(r, FC_WAIT_ALL);
}

/* Tells what came, and puts it where the program wants it. */
static int settle(fc_rank *r, fc_request *q, MPI_Status *status) {
  int code = MPI_SUCCESS;
  fc_set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
  if (q->proc_null) {
    if (q->kind == FC_REQUEST_RECV) fc_set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
  } else if (q->cancelled) {
    if (status != MPI_STATUS_IGNORE) status->fabricast_cancelled = 1;
  } else if (q->kind == FC_REQUEST_RECV) {
    fc_type *t = fc_type_of(r, q->type);
    int64_t bytes = q->status.size < q->capacity ? q->status.size : q->capacity;
    if (q->packed) fc_unpack(t, q->count, q->packed, bytes, q->buf);
    fc_set_status(status, q->status.source, q->status.tag, bytes);
    if (q->status.size > q->capacity)
      code = MPI_ERR_TRUNCATE;
    else if (!t->contiguous && t->size && bytes % t->size && fc_elements(t, bytes) < 0)
      code = MPI_ERR_TYPE;
  } else if (q->kind == FC_REQUEST_ACCESS) {
    fc_access_finish(r, q);
  } else if (q->kind == FC_REQUEST_COLLECTIVE && q->finish) {
    code = fc_finish_collective(r, q->finish);
    q->finish = 0;
  }
  return code;
}

/* fc_type_error raises what is wrong with types, in memory that is freed; null: nothing. */
int fc_type_error(fc_rank *r, MPI_Comm comm, char *wrong) {
  if (!wrong) return MPI_SUCCESS;
  char text[1024];
  snprintf(text, sizeof text, "%s", wrong);
  free(wrong);
  return fc_error(r, comm, MPI_ERR_TYPE, "%s", text);
}

/* What a receive raises: its code, or what is wrong with its type. */
static int raise(fc_rank *r, const fc_request *q, int code, char *wrong) {
  if (!code) return fc_type_error(r, q->comm, wrong);
  free(wrong);
  const char *why = code == MPI_ERR_TRUNCATE ? "do not fit into" : "end within an element of";
  return fc_error(r, q->comm, code, "%lld bytes from rank %d with tag %d %s a buffer of %lld", (long long)q->status.size, q->status.source, q->status.tag, why,
                  (long long)q->capacity);
}

/* fc_finish_request ends a request that is done: a persistent one can be started again, others are gone. Errors of collectives have been raised. */
int fc_finish_request(fc_rank *r, fc_request *q, MPI_Status *status) {
  int code = settle(r, q, status);
  fc_comm *c = q->kind == FC_REQUEST_RECV && q->status.size >= FC_LARGE && !q->cancelled && !q->proc_null ? fc_comm_of(r, q->comm) : 0;
  if (c) fc_exchange_receive(r, q, fc_remote_rank(c, q->status.source));
  char *wrong = q->status.mark && q->kind == FC_REQUEST_RECV ? fc_check_types(r, q) : 0;
  free(q->packed);
  q->packed = 0;
  if (q->owned) fc_type_use(r, fc_type_of(r, q->type), -1), q->owned = 0;
  q->active = 0, q->proc_null = 0;
  fc_request ended = *q;
  if (q->handle && !q->persistent) fc_request_drop(r, q);
  return ended.kind == FC_REQUEST_RECV && (code || wrong) ? raise(r, &ended, code, wrong) : code;
}

/* Ends a request by its handle. */
static int finish(fc_rank *r, MPI_Request *request, MPI_Status *status) {
  fc_request *q = fc_request_of(r, *request);
  int persistent = q->persistent;
  int code;
  if (q->kind == FC_REQUEST_GENERAL) {
    void **g = q->grequest;
    MPI_Status own;
    fc_empty_status(&own);
    code = ((MPI_Grequest_query_function *)g[0])(g[3], &own);
    if (status != MPI_STATUS_IGNORE) *status = own;
    int freed = ((MPI_Grequest_free_function *)g[1])(g[3]);
    if (!code) code = freed;
    free(g);
    fc_request_drop(r, q);
  } else {
    code = fc_finish_request(r, q, status);
  }
  if (!persistent) *request = MPI_REQUEST_NULL;
  return code;
}

/* The active request behind a handle; null if there is nothing to wait for. */
#define REQUEST(q, handle) \
  fc_request *q = fc_request_of(r, handle); \
  REQUIRE(q || (handle) == MPI_REQUEST_NULL, MPI_COMM_WORLD, MPI_ERR_REQUEST, "%s", fc_bad_handle(handle, MPI_REQUEST_NULL, "request")); \
  if (q && !q->active) q = 0

static void stuck(fc_rank *r, fc_request *q) {
  if (q->kind == FC_REQUEST_GENERAL && !q->done) fc_fail(r, "waits for a generalized request that only itself can complete");
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  ENTER(MPI_Wait);
  TOLD(request);
  STATUS(status);
  REQUEST(q, *request);
  if (!q) {
    fc_empty_status(status);
    return MPI_SUCCESS;
  }
  stuck(r, q);
  fc_waits_for(r, q);
  fc_request *list[1] = {q};
  fc_wait_all(r, list, 1);
  return finish(r, request, status);
}

/* Lists of requests are short as a rule. */
#define LIST(list, n) \
  fc_request *few[64], **list = (n) > 64 ? malloc((n) * sizeof *list) : few
#define UNLIST(list) \
  if (list != few) free(list)

static MPI_Status *nth(MPI_Status *statuses, int i) { return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i]; }

/* finish_all ends requests that are all done. */
static int finish_all(fc_rank *r, int count, MPI_Request *requests, MPI_Status *statuses) {
  int result = MPI_SUCCESS;
  for (int i = 0; i < count; i++) {
    MPI_Status *s = nth(statuses, i);
    REQUEST(q, requests[i]);
    if (!q) {
      fc_empty_status(s);
      continue;
    }
    int code = finish(r, &requests[i], s);
    if (code) result = MPI_ERR_IN_STATUS;
    if (s != MPI_STATUS_IGNORE) s->MPI_ERROR = code;
  }
  return result;
}

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses) {
  ENTER(MPI_Waitall);
  STATUS(statuses || count <= 0);
  REQUIRE(count >= 0, MPI_COMM_WORLD, MPI_ERR_COUNT, "found a count of %d", count);
  int n = 0;
  LIST(list, count);
  for (int i = 0; i < count; i++) {
    REQUEST(q, requests[i]);
    if (q) stuck(r, q), list[n++] = q;
  }
  fc_wait_all(r, list, n);
  UNLIST(list);
  return finish_all(r, count, requests, statuses);
}

/* The first of the requests that is done; -1: none is, -2: none is active. */
static int first_done(fc_rank *r, int count, MPI_Request *requests) {
  int active = 0;
  for (int i = 0; i < count; i++) {
    fc_request *q = fc_request_of(r, requests[i]);
    if (!q || !q->active) continue;
    if (q->done) return i;
    active = 1;
  }
  return active ? -1 : -2;
}

/* Waits for, or asks about, those requests that are not done. Returns which has been found done, -1 if none. */
static int find_done(fc_rank *r, int count, MPI_Request *requests, int why) {
  int n = 0, found;
  LIST(list, count);
  for (int i = 0; i < count; i++) {
    fc_request *q = fc_request_of(r, requests[i]);
    if (q && q->active && !q->done && q->kind != FC_REQUEST_GENERAL) list[n++] = q;
  }
  if (n || why == FC_TEST) {
    r->waits = list, r->nwaits = n, r->index = -1;
    fc_pause(r, why);
  } else {
    fc_fail(r, "waits for a generalized request that only itself can complete");
  }
  UNLIST(list);
  found = first_done(r, count, requests);
  return found < 0 ? -1 : found;
}

static int check_all(fc_rank *r, int count, MPI_Request *requests) {
  REQUIRE(count >= 0, MPI_COMM_WORLD, MPI_ERR_COUNT, "found a count of %d", count);
  for (int i = 0; i < count; i++)
    REQUIRE(requests[i] == MPI_REQUEST_NULL || fc_request_of(r, requests[i]), MPI_COMM_WORLD, MPI_ERR_REQUEST, "%s",
            fc_bad_handle(requests[i], MPI_REQUEST_NULL, "request"));
  return MPI_SUCCESS;
}

static int any(fc_rank *r, int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status, int why) {
  int code = check_all(r, count, requests);
  if (code) return code;
  int i = first_done(r, count, requests);
  *flag = 1;
  if (i == -2) {
    *index = MPI_UNDEFINED;
    fc_empty_status(status);
    return MPI_SUCCESS;
  }
  if (i < 0) i = find_done(r, count, requests, why);
  if (i < 0) {
    *flag = 0, *index = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  *index = i;
  return finish(r, &requests[i], status);
}

int MPI_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status) {
  ENTER(MPI_Waitany);
  STATUS(status);
  int flag;
  return any(r, count, requests, index, &flag, status, FC_WAIT_ANY);
}
int MPI_Testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status) {
  ENTER(MPI_Testany);
  TOLD(flag);
  STATUS(status);
  return any(r, count, requests, index, flag, status, FC_TEST);
}
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  ENTER(MPI_Test);
  TOLD(flag);
  TOLD(request);
  STATUS(status);
  int index;
  return any(r, 1, request, &index, flag, status, FC_TEST);
}

/* Finds out which others of the requests are done by now. */
static void find_all(fc_rank *r, int count, MPI_Request *requests) {
  int n = 0;
  LIST(list, count);
  for (int i = 0; i < count; i++) {
    fc_request *q = fc_request_of(r, requests[i]);
    if (q && q->active && !q->done && q->node) list[n++] = q;
  }
  r->waits = list, r->nwaits = n;
  if (n) fc_pause(r, FC_SETTLE);
  UNLIST(list);
}

static int some(fc_rank *r, int count, MPI_Request *requests, int *outcount, int *indices, MPI_Status *statuses, int why) {
  int code = check_all(r, count, requests), result = MPI_SUCCESS;
  if (code) return code;
  int i = first_done(r, count, requests), n = 0;
  *outcount = MPI_UNDEFINED;
  if (i == -2) return MPI_SUCCESS;
  if (i < 0 && find_done(r, count, requests, why) < 0) {
    *outcount = 0;
    return MPI_SUCCESS;
  }
  find_all(r, count, requests);
  for (i = 0; i < count; i++) {
    fc_request *q = fc_request_of(r, requests[i]);
    if (!q || !q->active || !q->done) continue;
    code = finish(r, &requests[i], nth(statuses, n));
    if (code) result = MPI_ERR_IN_STATUS;
    if (statuses != MPI_STATUSES_IGNORE) statuses[n].MPI_ERROR = code;
    indices[n++] = i;
  }
  *outcount = n;
  return result;
}
int MPI_Waitsome(int count, MPI_Request *requests, int *outcount, int *indices, MPI_Status *statuses) {
  ENTER(MPI_Waitsome);
  STATUS(statuses || count <= 0);
  return some(r, count, requests, outcount, indices, statuses, FC_WAIT_ANY);
}
int MPI_Testsome(int count, MPI_Request *requests, int *outcount, int *indices, MPI_Status *statuses) {
  ENTER(MPI_Testsome);
  STATUS(statuses || count <= 0);
  return some(r, count, requests, outcount, indices, statuses, FC_TEST);
}

int MPI_Testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses) {
  ENTER(MPI_Testall);
  TOLD(flag);
  STATUS(statuses || count <= 0);
  int code = check_all(r, count, requests);
  if (code) return code;
  *flag = 0;
  for (int i = 0; i < count; i++) {
    fc_request *q = fc_request_of(r, requests[i]);
    if (q && q->active && !q->done && find_done(r, 1, &requests[i], FC_TEST) < 0) return MPI_SUCCESS;
  }
  *flag = 1;
  return finish_all(r, count, requests, statuses);
}

int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status) {
  ENTER(MPI_Request_get_status);
  TOLD(flag);
  STATUS(status);
  REQUEST(q, request);
  fc_empty_status(status);
  *flag = 1;
  if (!q) return MPI_SUCCESS;
  if (!q->done && find_done(r, 1, &request, FC_TEST) < 0) {
    *flag = 0;
    return MPI_SUCCESS;
  }
  if (q->kind == FC_REQUEST_GENERAL) return status == MPI_STATUS_IGNORE ? MPI_SUCCESS : ((MPI_Grequest_query_function *)((void **)q->grequest)[0])(((void **)q->grequest)[3], status);
  if (q->kind == FC_REQUEST_COLLECTIVE) return MPI_SUCCESS;
  return settle(r, q, status);
}

int MPI_Request_free(MPI_Request *request) {
  ENTER(MPI_Request_free);
  fc_request *q = fc_request_of(r, *request);
  REQUIRE(q, MPI_COMM_WORLD, MPI_ERR_REQUEST, "%s", fc_bad_handle(*request, MPI_REQUEST_NULL, "request"));
  if (q->active) {
    q->persistent = 0;
    q->next = r->mpi->orphans;
    r->mpi->orphans = q;
  } else {
    fc_request_drop(r, q);
  }
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

/* What the node knows of a send. That of a buffered one is the library's own. */
static fc_request *known(fc_rank *r, fc_request *q) {
  if (q->mode != FC_BUFFERED) return q;
  fc_request *own = r->mpi->orphans;
  while (own && own->name != q->name) own = own->next;
  return own;
}

/* Takes a send back, unless a receive has met its message. */
static void cancel_send(fc_rank *r, fc_request *q) {
  fc_comm *c = fc_comm_of(r, q->comm);
  if (!q->name || q->proc_null || !c) return;
  fc_request answer = {.kind = FC_REQUEST_ACCESS}, *list[1] = {&answer};
  fc_push(r, (fc_op){.kind = FC_CANCEL_SEND, .peer = fc_remote_rank(c, q->peer), .self = c->rank, .tag = q->tag, .context = c->send_context, .op = q->name,
                     .result = known(r, q), .request = &answer});
  fc_wait_all(r, list, 1);
  q->cancelled = answer.status.size != 0;
}

int MPI_Cancel(MPI_Request *request) {
  ENTER(MPI_Cancel);
  REQUEST(q, *request);
  REQUIRE(q, MPI_COMM_WORLD, MPI_ERR_REQUEST, "there is nothing to cancel");
  if (q->kind == FC_REQUEST_GENERAL) return ((MPI_Grequest_cancel_function *)((void **)q->grequest)[2])(((void **)q->grequest)[3], q->done);
  if (q->kind == FC_REQUEST_SEND && !q->cancelled) cancel_send(r, q);
  if (q->done || q->kind != FC_REQUEST_RECV) return MPI_SUCCESS;
  fc_request *list[1] = {q};
  r->waits = list, r->nwaits = 1;
  fc_pause(r, FC_CANCEL);
  if (r->flag) q->done = q->cancelled = 1;
  return MPI_SUCCESS;
}
int MPI_Test_cancelled(const MPI_Status *status, int *flag) {
  ENTER_ANY_TIME(MPI_Test_cancelled);
  TOLD(flag);
  STATUS(status);
  *flag = status->fabricast_cancelled;
  return MPI_SUCCESS;
}
int MPI_Status_set_cancelled(MPI_Status *status, int flag) {
  ENTER_ANY_TIME(MPI_Status_set_cancelled);
  STATUS(status);
  status->fabricast_cancelled = flag;
  return MPI_SUCCESS;
}

int MPI_Grequest_start(MPI_Grequest_query_function *query, MPI_Grequest_free_function *free_, MPI_Grequest_cancel_function *cancel, void *extra, MPI_Request *request) {
  ENTER(MPI_Grequest_start);
  fc_request *q = fc_request_new(r, FC_REQUEST_GENERAL);
  void **g = malloc(4 * sizeof *g);
  g[0] = (void *)query, g[1] = (void *)free_, g[2] = (void *)cancel, g[3] = extra;
  q->grequest = g, q->active = 1;
  *request = q->handle;
  return MPI_SUCCESS;
}
int MPI_Grequest_complete(MPI_Request request) {
  ENTER(MPI_Grequest_complete);
  fc_request *q = fc_request_of(r, request);
  REQUIRE(q && q->kind == FC_REQUEST_GENERAL, MPI_COMM_WORLD, MPI_ERR_REQUEST, "expected a generalized request");
  q->done = 1;
  return MPI_SUCCESS;
}
