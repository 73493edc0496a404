//go:build linux && (amd64 || arm64)

/* One-sided operations that a rank has started outside of windows, and how messages are sent. */
#include "access.h"

static fc_accesses *accesses(fc_rank *r) {
  if (!r->accesses) {
    fc_accesses *a = r->accesses = calloc(1, sizeof *a);
    a->first = a->next = 1, a->room = 16;
    a->ring = calloc(a->room, sizeof *a->ring);
  }
  return r->accesses;
}

static void grow(fc_accesses *a) {
  fc_request **ring = calloc(2 * a->room, sizeof *ring);
  for (int64_t i = a->first; i < a->next; i++) ring[i % (2 * a->room)] = a->ring[i % a->room];
  free(a->ring);
  a->ring = ring, a->room *= 2;
}

/* fc_access_start leaves an operation for the node and returns its number. */
int64_t fc_access_start(fc_rank *r, fc_op op) {
  fc_accesses *a = accesses(r);
  if (a->next - a->first == a->room) grow(a);
  op.request = fc_request_new(r, FC_REQUEST_ACCESS);
  op.omit = r->omit;
  a->ring[a->next % a->room] = op.request;
  fc_push(r, op);
  return a->next++;
}

/* Gives back operations that are done. */
static void settle(fc_rank *r, fc_accesses *a, int64_t first, int64_t last) {
  for (int64_t i = first; i <= last; i++) {
    fc_request **q = &a->ring[i % a->room];
    if (!*q || !(*q)->done) continue;
    fc_sequence *s = (*q)->packed;
    if (s) free(s->after), free(s);
    fc_request_drop(r, *q);
    *q = 0;
  }
  while (a->first < a->next && !a->ring[a->first % a->room]) a->first++;
}

/* The open operations among some, in a list to be freed. */
static fc_request **open_ones(fc_accesses *a, int64_t first, int64_t last, int *n) {
  fc_request **list = malloc((last < first ? 1 : last - first + 2) * sizeof *list);
  *n = 0;
  for (int64_t i = first; i <= last; i++)
    if (a->ring[i % a->room]) list[(*n)++] = a->ring[i % a->room];
  return list;
}

/* fc_access_known ends the run if no operation has had this number; 0 is none and always complete. */
void fc_access_known(fc_rank *r, int64_t number) {
  fc_accesses *a = accesses(r);
  if (number >= 0 && number < a->next) return;
  if (a->next == 1) fc_fail(r, "found handle %lld, expected one of an operation that this rank has started: there is none", (long long)number);
  fc_fail(r, "found handle %lld, expected 1 to %lld, those of the operations that this rank has started", (long long)number, (long long)a->next - 1);
}

/* fc_access_open tells how many operations up to number last are open. */
int fc_access_open(fc_rank *r, int64_t last) {
  fc_accesses *a = accesses(r);
  int n = 0;
  for (int64_t i = a->first; i <= last && i < a->next; i++) n += a->ring[i % a->room] && !a->ring[i % a->room]->done;
  return n;
}

/* fc_access_follow begins operations when those up to number last are complete, and returns their number. They belong to the library then. */
int64_t fc_access_follow(fc_rank *r, fc_sequence *s, int64_t last) {
  fc_accesses *a = accesses(r);
  if (a->next - a->first == a->room) grow(a);
  int n, left = 0;
  s->after = open_ones(a, a->first, last < a->next ? last : a->next - 1, &n);
  for (int i = 0; i < n; i++)
    if (!s->after[i]->done) s->after[left++] = s->after[i];
  fc_request *q = fc_request_new(r, FC_REQUEST_ACCESS);
  q->packed = s;
  for (int i = 0; i < s->n; i++) s->ops[i].omit = r->omit;
  s->call = (fc_call){.what = FC_ORDERED, .rank = r->id, .size = r->size, .owner = r, .send = s->ops, .send_size = s->n, .recv = s->after, .recv_size = left,
                      .request = q, .name = r->name};
  a->ring[a->next % a->room] = q;
  r->call = &s->call;
  fc_pause(r, FC_START);
  return a->next++;
}

/* fc_access_complete returns when the operations from number first to last are complete. */
void fc_access_complete(fc_rank *r, int64_t first, int64_t last) {
  fc_accesses *a = accesses(r);
  if (first < a->first) first = a->first;
  if (last >= a->next) last = a->next - 1;
  if (first > last) return;
  int n;
  fc_request **list = open_ones(a, first, last, &n);
  fc_wait_all(r, list, n);
  free(list);
  settle(r, a, first, last);
}

/* fc_access_test tells whether the operations up to number last are complete by now. */
int fc_access_test(fc_rank *r, int64_t last) {
  fc_accesses *a = accesses(r);
  if (last >= a->next) last = a->next - 1;
  for (int64_t first = a->first; first <= last; first = a->first) {
    int n, done = 0;
    fc_request **list = open_ones(a, first, last, &n);
    r->waits = list, r->nwaits = n, r->index = -1;
    fc_pause(r, FC_TEST);
    for (int i = 0; i < n; i++) done += list[i]->done;
    free(list);
    settle(r, a, first, last);
    if (!done) return 0;
  }
  return 1;
}

/* fc_options_word is how the simulator is told of options: NIC, protocol, copies and gap. */
int64_t fc_options_word(const Fabricast_Options *o) {
  if (!o) return 0;
  return (int64_t)(uint16_t)o->nic | (int64_t)(uint8_t)o->protocol << 16 | (int64_t)(uint8_t)o->copies << 24 | (int64_t)(uint32_t)o->gap << 32;
}

static int check(fc_rank *r, const Fabricast_Options *o) {
  if (!o) return MPI_SUCCESS;
  REQUIRE(o->nic >= 0 && o->nic <= r->nics, MPI_COMM_WORLD, MPI_ERR_ARG, "found NIC option %d, expected 1 to %d, 1 + the number of the NIC, or 0", o->nic, r->nics);
  REQUIRE(o->gap >= 0 && o->gap <= r->most, MPI_COMM_WORLD, MPI_ERR_ARG, "found a gap of %d packet times, expected at most %d", o->gap, r->most);
  REQUIRE(o->protocol >= 0 && o->protocol <= FABRICAST_SYNCHRONOUS, MPI_COMM_WORLD, MPI_ERR_ARG, "found protocol %d, expected FABRICAST_EAGER (1) to FABRICAST_SYNCHRONOUS (%d), or 0", o->protocol,
          FABRICAST_SYNCHRONOUS);
  REQUIRE(o->copies >= 0 && o->copies <= FABRICAST_ONE_COPY, MPI_COMM_WORLD, MPI_ERR_ARG, "found copies %d, expected FABRICAST_ZERO_COPY (1) or FABRICAST_ONE_COPY (2), or 0", o->copies);
  REQUIRE(o->copies != FABRICAST_ONE_COPY || o->protocol <= FABRICAST_EAGER, MPI_COMM_WORLD, MPI_ERR_ARG,
          "found FABRICAST_ONE_COPY with protocol %d, expected FABRICAST_EAGER or 0: a rendezvous goes from memory to memory", o->protocol);
  return MPI_SUCCESS;
}

int Fabricast_Sends(const Fabricast_Options *options) {
  ENTER(Fabricast_Sends);
  int code = check(r, options);
  if (!code) r->options = fc_options_word(options);
  return code;
}

static int start(fc_rank *r, const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, const Fabricast_Options *options, MPI_Request *request) {
  int code = check(r, options);
  if (code) return code;
  int64_t before = r->options;
  r->options = fc_options_word(options);
  code = MPI_Isend(buf, count, type, dest, tag, comm, request);
  r->options = before;
  return code;
}

int Fabricast_Isend_with(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, const Fabricast_Options *options,
                         MPI_Request *request) {
  ENTER(Fabricast_Isend_with);
  return start(r, buf, count, type, dest, tag, comm, options, request);
}

int Fabricast_Send_with(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, const Fabricast_Options *options) {
  ENTER(Fabricast_Send_with);
  MPI_Request request;
  int code = start(r, buf, count, type, dest, tag, comm, options, &request);
  return code ? code : MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Looks for a message that nobody sends, which waits until the simulation is at the rank's clock. */
int Fabricast_Yield(void) {
  ENTER(Fabricast_Yield);
  r->source = -1, r->tag = -1, r->context = r->self_context;
  fc_pause(r, FC_IPROBE);
  return MPI_SUCCESS;
}
