//go:build linux && (amd64 || arm64)

/* One-sided communication. The NICs of the simulator carry it out; ranks only start operations and
 * wait for them. A rank finds what it must know of another's window in memory: in that window or, if
 * another process has the rank, in a mirror of it. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdio.h>

#include "job.h"
#include "state.h"

typedef struct {
  fc_request *request;
  int target;
} fc_pending;

typedef struct fc_window {
  int handle, flavor, unit, region;
  char *base;
  MPI_Aint size;
  fc_comm *comm; /* null: a mirror, where only what comes before is right, and what is attached */
  struct fc_window **all; /* every rank's */
  fc_pending *pending;
  int npending, room;
  /* epochs */
  int fenced, lock_all;
  int accessed;           /* it has accessed others since the last fence, which only another one ends */
  char *held;             /* by target */
  int *starts, nstarts, *posts, nposts;
  fc_request *hearing;    /* what a posted window waits for */
  /* memory attached to a dynamic window */
  struct { char *base; MPI_Aint size; } *attached;
  int nattached;
  char *name;
  fc_attribute *attributes;
  MPI_Errhandler handler;
  MPI_Info info;
  int model;
  int64_t synced; /* 1 ps after it was last told to be, 0 if never */
} fc_window;

#define WINDOW(w, win) \
  fc_window *w = fc_table_get(&r->mpi->windows, win, MPI_WIN_NULL); \
  if (!w) return fc_error(r, MPI_COMM_WORLD, MPI_ERR_WIN, "%s", fc_bad_handle(win, MPI_WIN_NULL, "window"))

/* The region of all memory, for dynamic windows, begins here. */
#define FIRST 4096

/* What the window's error handler says. */
static int wrong(fc_rank *r, fc_window *w, int code, const char *format, ...) {
  char text[600];
  va_list a;
  va_start(a, format);
  vsnprintf(text, sizeof text, format, a);
  va_end(a);
  if (w->handler == MPI_ERRORS_RETURN) return code;
  if (w->handler != MPI_ERRORS_ARE_FATAL) {
    fc_handler *h = fc_table_get(&r->mpi->handlers, w->handler, MPI_ERRHANDLER_NULL);
    if (h) h->function(&w->handle, &code, 0);
    return code;
  }
  return fc_error(r, MPI_COMM_NULL, code, "%s", text);
}
#define EXPECT(condition, code, ...) \
  do { \
    if (!(condition)) return wrong(r, w, code, __VA_ARGS__); \
  } while (0)

/* Adds to what is known of a window. */
static void inform(MPI_Info to, MPI_Info from) {
  int n, length, flag;
  if (from == MPI_INFO_NULL || MPI_Info_get_nkeys(from, &n)) return;
  for (int i = 0; i < n; i++) {
    char key[MPI_MAX_INFO_KEY + 1];
    if (MPI_Info_get_nthkey(from, i, key) || MPI_Info_get_valuelen(from, key, &length, &flag)) return;
    char value[length + 1];
    MPI_Info_get(from, key, length, value, &flag);
    MPI_Info_set(to, key, value);
  }
}

/* The hints of the standard with the values that hold without them. */
static MPI_Info hints(int flavor, MPI_Info given) {
  static const char *const known[][2] = {{"no_locks", "false"}, {"accumulate_ordering", "rar,raw,war,waw"}, {"accumulate_ops", "same_op_no_op"},
                                         {"same_size", "false"}, {"same_disp_unit", "false"}};
  MPI_Info info;
  MPI_Info_create(&info);
  for (int i = 0; i < 5; i++) MPI_Info_set(info, known[i][0], known[i][1]);
  if (flavor == MPI_WIN_FLAVOR_SHARED || flavor == MPI_WIN_FLAVOR_ALLOCATE) MPI_Info_set(info, "alloc_shared_noncontig", "false");
  inform(info, given);
  return info;
}

static fc_window *make(fc_rank *r, fc_comm *c, int flavor, void *base, MPI_Aint size, int unit, MPI_Info info) {
  fc_window *w = calloc(1, sizeof *w);
  w->flavor = flavor, w->base = base, w->size = size, w->unit = unit, w->handler = MPI_ERRORS_ARE_FATAL, w->model = MPI_WIN_UNIFIED;
  int dynamic = flavor == MPI_WIN_FLAVOR_DYNAMIC;
  fc_call memory = {.owner = r, .omit = r->omit, .recv = dynamic ? (void *)FIRST : base, .recv_size = dynamic ? (1ll << 47) - FIRST - 4096 : size};
  r->call = &memory;
  fc_pause(r, FC_REGISTER);
  w->region = memory.new_context;
  fc_call meet = {.what = FC_WINDOW, .context = c->context, .rank = c->rank, .size = c->size, .ranks = c->ranks, .owner = r, .root = c->splits++,
                  .send = w, .send_size = offsetof(fc_window, comm), .recv_size = sizeof *w};
  r->call = &meet;
  fc_pause(r, FC_COLLECTIVE);
  w->all = (fc_window **)meet.new_ranks;
  w->comm = fc_comm_new(r, meet.new_context, c->size, c->rank, c->ranks);
  w->held = calloc(c->size, 1);
  const char *name = r->name;
  w->info = hints(flavor, info);
  r->name = name;
  w->handle = MPI_WIN_NULL + fc_table_add(&r->mpi->windows, w);
  return w;
}

#define MAKE(comm) \
  COMM(c, comm); \
  REQUIRE(!c->inter, comm, MPI_ERR_COMM, "expected an intracommunicator"); \
  REQUIRE(size >= 0, comm, MPI_ERR_SIZE, "found a size of %ld", (long)size); \
  REQUIRE(disp_unit > 0, comm, MPI_ERR_DISP, "found a displacement unit of %d", disp_unit)

int MPI_Win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win) {
  ENTER(MPI_Win_create);
  TOLD(win);
  MAKE(comm);
  if (!r->omit) fc_check_mapped(r, base, size);
  *win = make(r, c, MPI_WIN_FLAVOR_CREATE, base, size, disp_unit, info)->handle;
  return MPI_SUCCESS;
}
int MPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win) {
  ENTER(MPI_Win_allocate);
  TOLD(win);
  MAKE(comm);
  void *p = calloc(1, size + 1);
  REQUIRE(p, comm, MPI_ERR_NO_MEM, "found no %ld bytes", size);
  *(void **)base = p;
  *win = make(r, c, MPI_WIN_FLAVOR_ALLOCATE, p, size, disp_unit, info)->handle;
  return MPI_SUCCESS;
}
/* The parts of all ranks follow one another in the first one's memory. */
int MPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win) {
  ENTER(MPI_Win_allocate_shared);
  TOLD(win);
  MAKE(comm);
  fc_window *w = make(r, c, MPI_WIN_FLAVOR_SHARED, 0, 0, disp_unit, info);
  w->size = size;
  MPI_Barrier(w->comm->handle);
  for (int i = 0; i < c->size; i++)
    REQUIRE(w->all[i]->comm, comm, MPI_ERR_RMA_SHARED, "rank %d of the communicator is simulated by another process", i);
  MPI_Aint before = 0, total = 0;
  for (int i = 0; i < c->size; i++) {
    if (i == c->rank) before = total;
    total += w->all[i]->size;
  }
  if (c->rank == 0) w->base = calloc(1, total + 1);
  MPI_Barrier(w->comm->handle);
  w->base = w->all[0]->base + before;
  fc_call memory = {.owner = r, .omit = r->omit, .recv = w->base, .recv_size = size};
  r->call = &memory;
  fc_pause(r, FC_REGISTER);
  w->region = memory.new_context;
  MPI_Barrier(w->comm->handle);
  r->name = "MPI_Win_allocate_shared";
  *(void **)base = w->base;
  *win = w->handle;
  return MPI_SUCCESS;
}
int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint *size, int *disp_unit, void *base) {
  ENTER(MPI_Win_shared_query);
  TOLD(size && disp_unit);
  WINDOW(w, win);
  EXPECT(w->flavor == MPI_WIN_FLAVOR_SHARED, MPI_ERR_RMA_FLAVOR, "expected a window of shared memory");
  for (int i = 0; rank == MPI_PROC_NULL && i < w->comm->size; i++)
    if (w->all[i]->size || i == w->comm->size - 1) rank = i;
  EXPECT(rank >= 0 && rank < w->comm->size, MPI_ERR_RANK, "found rank %d", rank);
  *size = w->all[rank]->size, *disp_unit = w->all[rank]->unit, *(void **)base = w->all[rank]->base;
  return MPI_SUCCESS;
}
int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win) {
  ENTER(MPI_Win_create_dynamic);
  TOLD(win);
  COMM(c, comm);
  /* A program that runs again has its memory elsewhere, and would send other addresses than before. */
  if (r->job->saved)
    fc_fail(r, "a run with dynamic windows cannot be saved, because memory has other addresses when it goes on; expected one without checkpoints");
  *win = make(r, c, MPI_WIN_FLAVOR_DYNAMIC, MPI_BOTTOM, 0, 1, info)->handle;
  return MPI_SUCCESS;
}
/* Makes other processes know what is attached. */
static void tell_attached(fc_rank *r, fc_window *w) {
  if (!r->job->apart) return;
  fc_call call = {.context = w->comm->context, .rank = w->comm->rank, .owner = r, .send = w->attached, .send_size = w->nattached * sizeof *w->attached};
  r->call = &call;
  fc_pause(r, FC_ATTACH);
}

/* fc_mirror_attached stores what a rank of another process has told. */
void fc_mirror_attached(uintptr_t mirror, const char *data, size_t n) {
  fc_window *w = (fc_window *)mirror;
  w->attached = realloc(w->attached, n + 1);
  memcpy(w->attached, data, n);
  w->nattached = n / sizeof *w->attached;
}

int MPI_Win_attach(MPI_Win win, void *base, MPI_Aint size) {
  ENTER(MPI_Win_attach);
  WINDOW(w, win);
  EXPECT(w->flavor == MPI_WIN_FLAVOR_DYNAMIC, MPI_ERR_RMA_FLAVOR, "expected a dynamic window");
  EXPECT(size >= 0, MPI_ERR_SIZE, "found a size of %ld", (long)size);
  if (!r->omit) fc_check_mapped(r, base, size);
  w->attached = realloc(w->attached, (w->nattached + 1) * sizeof *w->attached);
  w->attached[w->nattached].base = base, w->attached[w->nattached++].size = size;
  tell_attached(r, w);
  return MPI_SUCCESS;
}
int MPI_Win_detach(MPI_Win win, const void *base) {
  ENTER(MPI_Win_detach);
  WINDOW(w, win);
  for (int i = 0; i < w->nattached; i++)
    if (w->attached[i].base == base) {
      w->attached[i] = w->attached[--w->nattached];
      tell_attached(r, w);
      return MPI_SUCCESS;
    }
  return wrong(r, w, MPI_ERR_BASE, "the memory is not attached");
}

/* --- Completing --- */

/* What an access has brought goes where the program wants it. */
static void arrive(fc_rank *r, fc_request *q) {
  if (q->fetches && q->packed) fc_unpack(fc_type_of(r, q->type), q->count, q->packed, q->capacity, q->buf);
  if (q->owned) fc_type_use(r, fc_type_of(r, q->type), -1);
  if (q->layout) fc_type_use(r, q->layout, -1);
  free(q->packed);
  q->packed = q->layout = 0, q->owned = 0;
}

/* fc_access_finish ends an access that the program has waited for by its handle. */
void fc_access_finish(fc_rank *r, fc_request *q) {
  fc_window *w = q->window;
  arrive(r, q);
  if (!w) return;
  int left = 0;
  for (int i = 0; i < w->npending; i++)
    if (w->pending[i].request != q) w->pending[left++] = w->pending[i];
  w->npending = left;
  q->window = 0;
}

/* Waits for what has been started on a target, or on all: -1. */
static void flush(fc_rank *r, fc_window *w, int target) {
  fc_request **list = malloc((w->npending + 1) * sizeof *list);
  int n = 0, left = 0;
  for (int i = 0; i < w->npending; i++)
    if (target < 0 || w->pending[i].target == target)
      list[n++] = w->pending[i].request;
    else
      w->pending[left++] = w->pending[i];
  w->npending = left;
  fc_request **waits = memcpy(malloc((n + 1) * sizeof *waits), list, n * sizeof *waits);
  fc_wait_all(r, waits, n);
  free(waits);
  for (int i = 0; i < n; i++) {
    fc_request *q = list[i];
    arrive(r, q);
    q->window = 0;
    if (!q->active) fc_request_drop(r, q);
  }
  free(list);
}

static fc_request *pend(fc_rank *r, fc_window *w, int target) {
  fc_request *q = fc_request_new(r, FC_REQUEST_ACCESS);
  if (w->npending == w->room) {
    w->room = w->room ? 2 * w->room : 8;
    w->pending = realloc(w->pending, w->room * sizeof *w->pending);
  }
  w->pending[w->npending++] = (fc_pending){q, target};
  return q;
}

static void take_lock(fc_rank *r, fc_window *w, int target, int alone) {
  fc_request q = {.kind = FC_REQUEST_ACCESS}, *list[1] = {&q};
  fc_push(r, (fc_op){.kind = FC_LOCK, .peer = fc_world_rank(w->comm, target), .context = w->all[target]->region, .op = alone, .request = &q});
  fc_wait_all(r, list, 1);
  w->held[target] = 1;
}

static void give_lock(fc_rank *r, fc_window *w, int target) {
  fc_push(r, (fc_op){.kind = FC_UNLOCK, .peer = fc_world_rank(w->comm, target), .context = w->all[target]->region});
  w->held[target] = 0;
}

/* --- Operations --- */

/* Where an operation on a target's memory goes. */
typedef struct {
  fc_window *w;
  fc_type *type; /* of the target */
  int target, count;
  int64_t place;
} fc_aim;

static int admitted(fc_rank *r, fc_window *w, int target) {
  if (w->held[target]) return 1;
  if (w->lock_all) {
    take_lock(r, w, target, 0);
    return 1;
  }
  for (int i = 0; i < w->nstarts; i++)
    if (w->starts[i] == target) return 1;
  if (w->fenced) w->accessed = 1;
  return w->fenced;
}

/* attached tells whether bytes are attached to a dynamic window, which may be in pieces that follow one another. */
static int attached(const fc_window *w, int64_t first, int64_t last) {
  for (int i = 0; first < last && i < w->nattached; i++) {
    int64_t base = (int64_t)w->attached[i].base, end = base + w->attached[i].size;
    if (base <= first && first < end) first = end, i = -1;
  }
  return first >= last;
}

static int aim(fc_rank *r, fc_window *w, int target, MPI_Aint disp, int count, MPI_Datatype type, fc_aim *a) {
  EXPECT(target >= 0 && target < w->comm->size, MPI_ERR_RANK, "found rank %d, expected 0 to %d", target, w->comm->size - 1);
  EXPECT(count >= 0, MPI_ERR_COUNT, "found a count of %d", count);
  fc_type *t = fc_type_of(r, type);
  EXPECT(t && t->committed, MPI_ERR_TYPE, "the target's datatype is null or has not been committed");
  EXPECT(admitted(r, w, target), MPI_ERR_RMA_SYNC, "rank %d's window is accessed outside of an epoch", target);
  fc_window *there = w->all[target];
  *a = (fc_aim){w, t, target, count, disp * there->unit};
  if (!count || !t->size) return MPI_SUCCESS;
  int64_t first = a->place + t->true_lb, last = a->place + (count - 1) * fc_extent(t) + t->true_ub;
  if (w->flavor == MPI_WIN_FLAVOR_DYNAMIC) {
    EXPECT(attached(there, first, last), MPI_ERR_RMA_RANGE, "%ld bytes at address 0x%lx are not attached to rank %d's window", (long)(last - first), (long)first, target);
    a->place -= FIRST;
  } else {
    EXPECT(first >= 0 && last <= there->size, MPI_ERR_RMA_RANGE, "bytes %ld to %ld are not within the %ld bytes of rank %d's window", (long)first, (long)last - 1,
           (long)there->size, target);
  }
  return MPI_SUCCESS;
}

/* A run of bytes in the target's memory. */
static fc_op at(const fc_aim *a, int kind, int64_t offset, int64_t n) {
  fc_window *w = a->w;
  return (fc_op){.kind = kind, .peer = fc_world_rank(w->comm, a->target), .self = w->comm->rank, .context = w->all[a->target]->region, .place = a->place + offset, .size = n};
}

/* Whether the target's memory with its gaps can be told by its type: it begins with its first byte
 * and is not shorter than what is transferred. */
static int told(const fc_aim *a) {
  const fc_type *t = a->type;
  int64_t extent = fc_extent(t);
  return extent >= 0 && (a->count - 1) * extent + t->true_ub - t->true_lb >= t->size * a->count;
}

/* An operation on all of the target's memory. */
static fc_op whole(fc_rank *r, const fc_aim *a, int kind) {
  fc_op op = at(a, kind, a->type->true_lb, a->type->size * a->count);
  op.omit = r->omit, op.request = pend(r, a->w, a->target);
  op.layout = op.request->layout = a->type;
  fc_type_use(r, a->type, 1);
  return op;
}

/* Calls something for each run of the target's memory. */
typedef void fc_each(fc_rank *r, const fc_aim *a, int64_t offset, int64_t n, int basic, int64_t done, void *with);
static void runs(fc_rank *r, const fc_aim *a, fc_each *each, void *with) {
  fc_type *t = a->type;
  if (t->contiguous || (t->nblocks == 1 && !t->blocks->more && a->count == 1)) {
    each(r, a, t->true_lb, t->size * a->count, t->blocks->basic, 0, with);
    return;
  }
  int64_t done = 0;
  for (int64_t i = 0; i < a->count; i++)
    for (int64_t k = 0; k < t->nblocks; k++) {
      const fc_block *b = &t->blocks[k];
      for (int64_t j = 0; j <= b->more; j++, done += b->length) each(r, a, i * fc_extent(t) + b->offset + j * b->stride, b->length, b->basic, done, with);
    }
}

/* Memory of the origin that is one run. */
static char *run_of(fc_rank *r, const void *buf, const fc_type *t, int64_t bytes, int how) {
  char *p = (char *)buf + t->true_lb;
  if (!r->omit && !fc_is_shared(p)) fc_check_memory(r, p, bytes, how);
  return p;
}

/* The bytes of an operation at the origin. */
static char *origin(fc_rank *r, const void *buf, int count, fc_type *t, char **held) {
  int64_t bytes = fc_bytes(r, t->size, count);
  *held = 0;
  if (t->contiguous) return run_of(r, buf, t, bytes, FC_READ);
  *held = fc_room(r, bytes);
  fc_pack(t, count, buf, *held);
  return *held;
}

static void put_run(fc_rank *r, const fc_aim *a, int64_t offset, int64_t n, int basic, int64_t done, void *with) {
  fc_op op = at(a, FC_PUT, offset, n);
  op.data = (char *)with + done, op.context = a->w->all[a->target]->region, op.tag = a->w->comm->context, op.omit = r->omit, op.result_size = r->options;
  op.request = pend(r, a->w, a->target);
  fc_push(r, op);
}

static void get_run(fc_rank *r, const fc_aim *a, int64_t offset, int64_t n, int basic, int64_t done, void *with) {
  fc_op op = at(a, FC_GET, offset, n);
  op.result = (char *)with + done, op.result_size = n, op.omit = r->omit;
  op.request = pend(r, a->w, a->target);
  fc_push(r, op);
}

#define ACCESS(win) \
  WINDOW(w, win); \
  if (target == MPI_PROC_NULL) return MPI_SUCCESS; \
  TYPE(t, type); \
  EXPECT(t->committed, MPI_ERR_TYPE, "the origin's datatype has not been committed"); \
  EXPECT(count >= 0, MPI_ERR_COUNT, "found a count of %d", count); \
  fc_aim a; \
  int code = aim(r, w, target, disp, target_count, target_type, &a); \
  if (code) return code

#define SAME_SIZE(a, t, count) \
  EXPECT((a).type->size *(a).count == (t)->size * (count), MPI_ERR_SIZE, "%ld bytes at the origin, %ld at the target", (long)((t)->size * (count)), \
         (long)((a).type->size * (a).count))

/* Both types of an operation mean the same bytes. */
static int check_types(fc_rank *r, const fc_aim *a, fc_type *t) {
  fc_window *w = a->w;
  char *found = fc_check_access(r, t, a->type, fc_world_rank(w->comm, a->target), a->type->size * a->count), text[600];
  if (!found) return MPI_SUCCESS;
  snprintf(text, sizeof text, "%s", found);
  free(found);
  return wrong(r, w, MPI_ERR_TYPE, "%s", text);
}

/* What is to be freed, or unpacked, when the last run is complete. */
static void attach(fc_rank *r, fc_window *w, char *held, void *buf, int fetches, int count, fc_type *t) {
  if (!held) return;
  if (!w->npending) {
    free(held);
    return;
  }
  fc_request *q = w->pending[w->npending - 1].request;
  q->packed = held, q->buf = buf, q->fetches = fetches, q->count = count, q->type = t->handle, q->capacity = t->size * count;
  fc_type_use(r, t, 1);
  q->owned = 1;
}

static int put(fc_rank *r, const void *buf, int count, MPI_Datatype type, int target, MPI_Aint disp, int target_count, MPI_Datatype target_type, MPI_Win win) {
  ACCESS(win);
  SAME_SIZE(a, t, count);
  if (!count || !t->size) return MPI_SUCCESS;
  if ((code = check_types(r, &a, t))) return code;
  char *held, *data = origin(r, buf, count, t, &held);
  if (a.type->contiguous || !told(&a)) {
    runs(r, &a, put_run, data);
  } else {
    fc_op op = whole(r, &a, FC_PUT);
    op.op = MPI_REPLACE, op.data = data, op.result_size = r->options;
    fc_push(r, op);
  }
  attach(r, w, held, 0, 0, count, t);
  return MPI_SUCCESS;
}

static int get(fc_rank *r, void *buf, int count, MPI_Datatype type, int target, MPI_Aint disp, int target_count, MPI_Datatype target_type, MPI_Win win) {
  ACCESS(win);
  SAME_SIZE(a, t, count);
  if (!count || !t->size) return MPI_SUCCESS;
  if ((code = check_types(r, &a, t))) return code;
  int64_t bytes = fc_bytes(r, t->size, count);
  char *held = t->contiguous ? 0 : fc_room(r, bytes);
  char *result = held ? held : run_of(r, buf, t, bytes, FC_WRITE);
  if (a.type->contiguous || !told(&a)) {
    runs(r, &a, get_run, result);
  } else {
    fc_op op = whole(r, &a, FC_GET);
    op.op = MPI_NO_OP, op.result = result, op.result_size = op.size;
    fc_push(r, op);
  }
  attach(r, w, held, buf, 1, count, t);
  return MPI_SUCCESS;
}

/* What accumulates carry. */
typedef struct {
  char *data, *result;
  MPI_Op op;
  int exchange;
} fc_sum;

static void sum_run(fc_rank *r, const fc_aim *a, int64_t offset, int64_t n, int basic, int64_t done, void *with) {
  fc_sum *s = with;
  fc_op op = at(a, s->exchange ? FC_EXCHANGE : FC_ACCUMULATE, offset, n);
  op.op = s->op, op.type = MPI_DATATYPE_NULL | basic, op.omit = r->omit;
  op.data = s->data + done;
  if (s->op == MPI_NO_OP) op.size = 0;
  op.result_size = r->options;
  if (s->exchange) op.result = s->result + done, op.result_size = n;
  op.request = pend(r, a->w, a->target);
  fc_push(r, op);
}

static int accumulate(fc_rank *r, const void *buf, int count, MPI_Datatype type, void *result, int result_count, MPI_Datatype result_type, int target, MPI_Aint disp,
                      int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win, int exchange) {
  if (op == MPI_NO_OP) count = target_count, type = target_type;
  ACCESS(win);
  SAME_SIZE(a, t, count);
  EXPECT(op > MPI_OP_NULL && op <= MPI_NO_OP, MPI_ERR_OP, "only predefined operations can be used on windows");
  if (!count || !t->size) return MPI_SUCCESS;
  char *held = 0, *kept = 0;
  fc_sum s = {.op = op, .exchange = exchange};
  fc_type *u = exchange ? fc_type_of(r, result_type) : t;
  EXPECT(u, MPI_ERR_TYPE, "the result's datatype is null");
  if ((code = check_types(r, &a, t)) || (code = check_types(r, &a, u))) return code;
  int locates = a.type->pairs && (op == MPI_MINLOC || op == MPI_MAXLOC);
  if (a.type->basic && a.type->pairs && t == a.type && u == a.type) { /* pairs, as they lie */
    int64_t bytes = fc_extent(t) * count;
    s.data = op == MPI_NO_OP ? (char *)buf : run_of(r, buf, t, bytes, FC_READ), s.result = exchange ? run_of(r, result, t, bytes, FC_WRITE) : result;
    sum_run(r, &a, 0, fc_extent(a.type) * a.count, a.type->basic, 0, &s);
    return MPI_SUCCESS;
  }
  EXPECT(!locates || (t->pairs == a.type->pairs && told(&a)), MPI_ERR_TYPE, "the operation needs the same pairs at both ends, which do not overlap");
  for (int64_t i = 0; i < a.type->nblocks && !locates; i++)
    EXPECT(fc_op_defined(op, a.type->blocks[i].basic) || a.type->blocks[i].basic == (MPI_BYTE & 0xff), MPI_ERR_OP, "the operation is not defined for the target's datatype");
  if (op != MPI_NO_OP) s.data = origin(r, buf, count, t, &held);
  if (exchange) {
    int64_t bytes = fc_bytes(r, u->size, result_count);
    s.result = u->contiguous ? run_of(r, result, u, bytes, FC_WRITE) : (kept = fc_room(r, bytes));
  }
  if (!locates && ((a.type->contiguous && a.type->nblocks == 1) || !told(&a))) {
    runs(r, &a, sum_run, &s);
  } else {
    fc_op o = whole(r, &a, exchange ? FC_EXCHANGE : FC_ACCUMULATE);
    o.op = op, o.data = s.data, o.result_size = r->options;
    if (exchange) o.result = s.result, o.result_size = o.size;
    if (op == MPI_NO_OP) o.size = 0;
    fc_push(r, o);
  }
  if (kept) {
    attach(r, w, kept, result, 1, result_count, u);
    /* the data has been handed over when the node has seen the operations */
    fc_pause(r, FC_SYNC);
    free(held);
  } else {
    attach(r, w, held, 0, 0, count, t);
  }
  return MPI_SUCCESS;
}

int MPI_Put(const void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp, int target_count, MPI_Datatype target_type, MPI_Win win) {
  ENTER(MPI_Put);
  return put(r, origin, count, type, target, disp, target_count, target_type, win);
}
int MPI_Get(void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp, int target_count, MPI_Datatype target_type, MPI_Win win) {
  ENTER(MPI_Get);
  return get(r, origin, count, type, target, disp, target_count, target_type, win);
}
int MPI_Accumulate(const void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp, int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win) {
  ENTER(MPI_Accumulate);
  return accumulate(r, origin, count, type, 0, 0, type, target, disp, target_count, target_type, op, win, 0);
}
int MPI_Get_accumulate(const void *origin, int count, MPI_Datatype type, void *result, int result_count, MPI_Datatype result_type, int target, MPI_Aint disp,
                       int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win) {
  ENTER(MPI_Get_accumulate);
  return accumulate(r, origin, count, type, result, result_count, result_type, target, disp, target_count, target_type, op, win, 1);
}
int MPI_Fetch_and_op(const void *origin, void *result, MPI_Datatype type, int target, MPI_Aint disp, MPI_Op op, MPI_Win win) {
  ENTER(MPI_Fetch_and_op);
  return accumulate(r, origin, 1, type, result, 1, type, target, disp, 1, type, op, win, 1);
}
int MPI_Compare_and_swap(const void *origin, const void *compare, void *result, MPI_Datatype type, int target, MPI_Aint disp, MPI_Win win) {
  ENTER(MPI_Compare_and_swap);
  int count = 1, target_count = 1;
  MPI_Datatype target_type = type;
  ACCESS(win);
  int truth = t->basic && fc_op_defined(MPI_LAND, t->basic) && !fc_op_defined(MPI_SUM, t->basic);
  EXPECT(truth || (t->basic && fc_op_defined(MPI_BAND, t->basic)), MPI_ERR_TYPE, "expected a predefined datatype of integers, truth values or bytes");
  char *both = malloc(2 * t->size);
  memcpy(both, compare, t->size), memcpy(both + t->size, origin, t->size);
  run_of(r, result, t, t->size, FC_WRITE);
  fc_op op = at(&a, FC_SWAP, 0, 2 * t->size);
  op.data = both, op.result = result, op.result_size = t->size, op.omit = r->omit;
  op.request = pend(r, w, target);
  fc_push(r, op);
  attach(r, w, both, 0, 0, 1, t);
  return MPI_SUCCESS;
}

static int pending(fc_rank *r, MPI_Win win) {
  fc_window *w = fc_table_get(&r->mpi->windows, win, MPI_WIN_NULL);
  return w ? w->npending : 0;
}

/* The request of an operation that has just been started: its own, or one that is complete
 * if it has become none or several. */
static int with_request(fc_rank *r, int before, int code, int target, MPI_Win win, MPI_Request *request) {
  if (code) return code;
  fc_window *w = fc_table_get(&r->mpi->windows, win, MPI_WIN_NULL);
  fc_request *q;
  if (w->npending == before + 1) {
    q = w->pending[before].request;
    q->window = w;
  } else {
    if (target != MPI_PROC_NULL) flush(r, w, target);
    q = fc_request_new(r, FC_REQUEST_ACCESS);
    q->done = 1;
  }
  q->active = 1, q->comm = w->comm->handle;
  *request = q->handle;
  return MPI_SUCCESS;
}
int MPI_Rput(const void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp, int target_count, MPI_Datatype target_type, MPI_Win win, MPI_Request *request) {
  ENTER(MPI_Rput);
  int before = pending(r, win);
  return with_request(r, before, put(r, origin, count, type, target, disp, target_count, target_type, win), target, win, request);
}
int MPI_Rget(void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp, int target_count, MPI_Datatype target_type, MPI_Win win, MPI_Request *request) {
  ENTER(MPI_Rget);
  int before = pending(r, win);
  return with_request(r, before, get(r, origin, count, type, target, disp, target_count, target_type, win), target, win, request);
}
int MPI_Raccumulate(const void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp, int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win,
                    MPI_Request *request) {
  ENTER(MPI_Raccumulate);
  int before = pending(r, win);
  return with_request(r, before, accumulate(r, origin, count, type, 0, 0, type, target, disp, target_count, target_type, op, win, 0), target, win, request);
}
int MPI_Rget_accumulate(const void *origin, int count, MPI_Datatype type, void *result, int result_count, MPI_Datatype result_type, int target, MPI_Aint disp,
                        int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win, MPI_Request *request) {
  ENTER(MPI_Rget_accumulate);
  int before = pending(r, win);
  return with_request(r, before, accumulate(r, origin, count, type, result, result_count, result_type, target, disp, target_count, target_type, op, win, 1), target, win, request);
}

/* --- Epochs --- */

static void meet(fc_rank *r, fc_window *w) {
  const char *name = r->name;
  MPI_Barrier(w->comm->handle);
  r->name = name;
}

int MPI_Win_fence(int assertion, MPI_Win win) {
  ENTER(MPI_Win_fence);
  WINDOW(w, win);
  EXPECT(!w->nstarts && !w->lock_all, MPI_ERR_RMA_SYNC, "another epoch has not ended");
  flush(r, w, -1);
  meet(r, w);
  w->fenced = !(assertion & MPI_MODE_NOSUCCEED), w->accessed = 0;
  return MPI_SUCCESS;
}

enum { POSTED, COMPLETED };

/* The members of a group as ranks of the window. */
static int *members(fc_rank *r, fc_window *w, fc_group *g) {
  int *list = malloc((g->size + 1) * sizeof *list);
  for (int i = 0; i < g->size; i++) {
    list[i] = 0;
    while (fc_world_rank(w->comm, list[i]) != g->ranks[i]) list[i]++;
  }
  return list;
}
static void tell(fc_rank *r, fc_window *w, const int *list, int n, int tag) {
  for (int i = 0; i < n; i++)
    fc_push(r, (fc_op){.kind = FC_NOTICE, .peer = fc_world_rank(w->comm, list[i]), .self = w->comm->rank, .tag = tag, .context = w->comm->context});
}
static void hear(fc_rank *r, fc_window *w, const int *list, int n, int tag) {
  for (int i = 0; i < n; i++) {
    fc_request q = {.kind = FC_REQUEST_RECV}, *one[1] = {&q};
    fc_push(r, (fc_op){.kind = FC_HEAR, .peer = list[i], .tag = tag, .context = w->comm->context, .request = &q});
    fc_wait_all(r, one, 1);
  }
}

int MPI_Win_post(MPI_Group group, int assertion, MPI_Win win) {
  ENTER(MPI_Win_post);
  WINDOW(w, win);
  GROUP(g, group);
  EXPECT(!w->posts, MPI_ERR_RMA_SYNC, "the window is posted already");
  w->posts = members(r, w, g), w->nposts = g->size;
  tell(r, w, w->posts, w->nposts, POSTED);
  return MPI_SUCCESS;
}
int MPI_Win_start(MPI_Group group, int assertion, MPI_Win win) {
  ENTER(MPI_Win_start);
  WINDOW(w, win);
  GROUP(g, group);
  EXPECT(!w->starts && !w->accessed, MPI_ERR_RMA_SYNC, "another epoch has not ended");
  w->starts = members(r, w, g), w->nstarts = g->size;
  hear(r, w, w->starts, w->nstarts, POSTED);
  return MPI_SUCCESS;
}
int MPI_Win_complete(MPI_Win win) {
  ENTER(MPI_Win_complete);
  WINDOW(w, win);
  EXPECT(w->starts, MPI_ERR_RMA_SYNC, "there was no MPI_Win_start");
  for (int i = 0; i < w->nstarts; i++) flush(r, w, w->starts[i]);
  tell(r, w, w->starts, w->nstarts, COMPLETED);
  free(w->starts);
  w->starts = 0, w->nstarts = 0;
  return MPI_SUCCESS;
}

static void end_post(fc_window *w) {
  free(w->posts), free(w->hearing);
  w->posts = 0, w->nposts = 0, w->hearing = 0;
}

/* Starts to listen for those who will complete. */
static void listen(fc_rank *r, fc_window *w) {
  if (w->hearing) return;
  w->hearing = calloc(w->nposts + 1, sizeof *w->hearing);
  for (int i = 0; i < w->nposts; i++) {
    w->hearing[i].kind = FC_REQUEST_RECV;
    fc_push(r, (fc_op){.kind = FC_HEAR, .peer = w->posts[i], .tag = COMPLETED, .context = w->comm->context, .request = &w->hearing[i]});
  }
}
int MPI_Win_wait(MPI_Win win) {
  ENTER(MPI_Win_wait);
  WINDOW(w, win);
  EXPECT(w->posts, MPI_ERR_RMA_SYNC, "there was no MPI_Win_post");
  if (!w->hearing) {
    hear(r, w, w->posts, w->nposts, COMPLETED);
  } else {
    for (int i = 0; i < w->nposts; i++) {
      fc_request *one[1] = {&w->hearing[i]};
      fc_wait_all(r, one, 1);
    }
  }
  end_post(w);
  return MPI_SUCCESS;
}
int MPI_Win_test(MPI_Win win, int *flag) {
  ENTER(MPI_Win_test);
  TOLD(flag);
  WINDOW(w, win);
  EXPECT(w->posts, MPI_ERR_RMA_SYNC, "there was no MPI_Win_post");
  listen(r, w);
  *flag = 0;
  for (int i = 0; i < w->nposts; i++) {
    fc_request *q = &w->hearing[i];
    if (q->done) continue;
    r->waits = &q, r->nwaits = 1;
    fc_pause(r, FC_TEST);
    if (!q->done) return MPI_SUCCESS;
  }
  *flag = 1;
  end_post(w);
  return MPI_SUCCESS;
}

int MPI_Win_lock(int type, int rank, int assertion, MPI_Win win) {
  ENTER(MPI_Win_lock);
  WINDOW(w, win);
  if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
  EXPECT(type == MPI_LOCK_SHARED || type == MPI_LOCK_EXCLUSIVE, MPI_ERR_LOCKTYPE, "found lock type %d", type);
  EXPECT(rank >= 0 && rank < w->comm->size, MPI_ERR_RANK, "found rank %d, expected 0 to %d", rank, w->comm->size - 1);
  EXPECT(!w->accessed, MPI_ERR_RMA_SYNC, "the epoch of a fence has not ended");
  EXPECT(!w->held[rank] && !w->lock_all && !w->starts, MPI_ERR_RMA_SYNC, "rank %d's window is locked already", rank);
  w->fenced = 0;
  take_lock(r, w, rank, type == MPI_LOCK_EXCLUSIVE);
  return MPI_SUCCESS;
}
int MPI_Win_unlock(int rank, MPI_Win win) {
  ENTER(MPI_Win_unlock);
  WINDOW(w, win);
  if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
  EXPECT(rank >= 0 && rank < w->comm->size && w->held[rank], MPI_ERR_RMA_SYNC, "rank %d's window is not locked", rank);
  flush(r, w, rank);
  give_lock(r, w, rank);
  return MPI_SUCCESS;
}
/* Whether a target is locked, or any: EVERYBODY. */
enum { EVERYBODY = -100 };
static int is_locked(const fc_window *w, int target) {
  if (w->lock_all || target >= 0) return w->lock_all || w->held[target];
  int locked = 0;
  for (int i = 0; i < w->comm->size && !locked; i++) locked = w->held[i];
  return locked;
}

int MPI_Win_lock_all(int assertion, MPI_Win win) {
  ENTER(MPI_Win_lock_all);
  WINDOW(w, win);
  EXPECT(!w->accessed, MPI_ERR_RMA_SYNC, "the epoch of a fence has not ended");
  EXPECT(!is_locked(w, EVERYBODY) && !w->starts, MPI_ERR_RMA_SYNC, "the window is locked already, or in another epoch");
  w->fenced = 0, w->lock_all = 1;
  return MPI_SUCCESS;
}
int MPI_Win_unlock_all(MPI_Win win) {
  ENTER(MPI_Win_unlock_all);
  WINDOW(w, win);
  EXPECT(w->lock_all, MPI_ERR_RMA_SYNC, "the window is not locked");
  flush(r, w, -1);
  for (int i = 0; i < w->comm->size; i++)
    if (w->held[i]) give_lock(r, w, i);
  w->lock_all = 0;
  return MPI_SUCCESS;
}

static int flush_locked(fc_rank *r, MPI_Win win, int target) {
  WINDOW(w, win);
  if (target == MPI_PROC_NULL) return MPI_SUCCESS;
  EXPECT(target == EVERYBODY || (target >= 0 && target < w->comm->size), MPI_ERR_RANK, "found rank %d, expected 0 to %d", target, w->comm->size - 1);
  EXPECT(is_locked(w, target), MPI_ERR_RMA_SYNC, "the window is not locked");
  flush(r, w, target);
  return MPI_SUCCESS;
}

#define FLUSH(name, parameters, target) \
  int MPI_Win_##name parameters { \
    ENTER(MPI_Win_##name); \
    return flush_locked(r, win, target); \
  }
FLUSH(flush, (int rank, MPI_Win win), rank)
FLUSH(flush_local, (int rank, MPI_Win win), rank)
FLUSH(flush_all, (MPI_Win win), EVERYBODY)
FLUSH(flush_local_all, (MPI_Win win), EVERYBODY)
/* All of a rank's view of its memory is the memory itself; others may have written it by now. */
int MPI_Win_sync(MPI_Win win) {
  ENTER(MPI_Win_sync);
  WINDOW(w, win);
  if (w->synced == r->clock + 1) { /* again, with nothing in between: it waits for what another rank writes */
    r->nwaits = 0;
    fc_pause(r, FC_TEST);
  }
  fc_pause(r, FC_SYNC);
  w->synced = r->clock + 1;
  return MPI_SUCCESS;
}

int MPI_Win_free(MPI_Win *win) {
  ENTER(MPI_Win_free);
  TOLD(win);
  WINDOW(w, *win);
  EXPECT(!w->accessed, MPI_ERR_RMA_SYNC, "the epoch of a fence has not ended");
  EXPECT(!is_locked(w, EVERYBODY) && !w->starts && !w->posts, MPI_ERR_RMA_SYNC, "an epoch has not ended");
  int code = fc_attributes_free(r, *win, &w->attributes);
  if (code) return wrong(r, w, code, "an attribute could not be deleted");
  flush(r, w, -1);
  meet(r, w);
  /* The region stays open: a lock that was given back may still be on its way to it. */
  fc_table_drop(&r->mpi->windows, *win - MPI_WIN_NULL);
  fc_table_drop(&r->mpi->comms, w->comm->handle - MPI_COMM_NULL);
  if (w->flavor == MPI_WIN_FLAVOR_ALLOCATE) free(w->base);
  w->base = 0; /* what is left of a window may still be looked at by others */
  MPI_Info_free(&w->info);
  free(w->held), free(w->pending), free(w->attached), free(w->name);
  w->attached = 0, w->nattached = 0;
  *win = MPI_WIN_NULL;
  return MPI_SUCCESS;
}

/* --- Asking --- */

int MPI_Win_get_group(MPI_Win win, MPI_Group *group) {
  ENTER(MPI_Win_get_group);
  TOLD(group);
  WINDOW(w, win);
  return MPI_Comm_group(w->comm->handle, group);
}
int MPI_Win_set_name(MPI_Win win, const char *name) {
  ENTER(MPI_Win_set_name);
  WINDOW(w, win);
  free(w->name);
  w->name = strndup(name, MPI_MAX_OBJECT_NAME - 1);
  return MPI_SUCCESS;
}
int MPI_Win_get_name(MPI_Win win, char *name, int *length) {
  ENTER(MPI_Win_get_name);
  TOLD(length);
  WINDOW(w, win);
  *length = snprintf(name, MPI_MAX_OBJECT_NAME, "%s", w->name ? w->name : "");
  return MPI_SUCCESS;
}
int MPI_Win_set_info(MPI_Win win, MPI_Info info) {
  ENTER(MPI_Win_set_info);
  WINDOW(w, win);
  inform(w->info, info);
  return MPI_SUCCESS;
}
int MPI_Win_get_info(MPI_Win win, MPI_Info *info) {
  ENTER(MPI_Win_get_info);
  TOLD(info);
  WINDOW(w, win);
  return MPI_Info_dup(w->info, info);
}

int MPI_Win_create_keyval(MPI_Win_copy_attr_function *copy, MPI_Win_delete_attr_function *del, int *keyval, void *extra) {
  ENTER(MPI_Win_create_keyval);
  TOLD(keyval);
  return fc_keyval_new(r, MPI_WIN_NULL >> 28, (void *)copy, (void *)del, keyval, extra);
}
int MPI_Win_free_keyval(int *keyval) {
  ENTER(MPI_Win_free_keyval);
  TOLD(keyval);
  return fc_keyval_free(r, MPI_WIN_NULL >> 28, keyval);
}
int MPI_Win_set_attr(MPI_Win win, int keyval, void *value) {
  ENTER(MPI_Win_set_attr);
  WINDOW(w, win);
  return fc_attribute_set(r, win, &w->attributes, keyval, value);
}
int MPI_Win_get_attr(MPI_Win win, int keyval, void *value, int *flag) {
  ENTER(MPI_Win_get_attr);
  TOLD(flag);
  WINDOW(w, win);
  void *p = 0;
  switch (keyval) {
    case MPI_WIN_BASE: p = w->base; break;
    case MPI_WIN_SIZE: p = &w->size; break;
    case MPI_WIN_DISP_UNIT: p = &w->unit; break;
    case MPI_WIN_CREATE_FLAVOR: p = &w->flavor; break;
    case MPI_WIN_MODEL: p = &w->model; break;
    default: return fc_attribute_get(r, win, w->attributes, keyval, value, flag);
  }
  *(void **)value = p, *flag = 1;
  return MPI_SUCCESS;
}
int MPI_Win_delete_attr(MPI_Win win, int keyval) {
  ENTER(MPI_Win_delete_attr);
  WINDOW(w, win);
  return fc_attribute_delete(r, win, &w->attributes, keyval);
}
int MPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler) {
  ENTER(MPI_Win_set_errhandler);
  WINDOW(w, win);
  w->handler = errhandler;
  return MPI_SUCCESS;
}
int MPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler *errhandler) {
  ENTER(MPI_Win_get_errhandler);
  TOLD(errhandler);
  WINDOW(w, win);
  *errhandler = w->handler;
  return MPI_SUCCESS;
}
int MPI_Win_call_errhandler(MPI_Win win, int code) {
  ENTER(MPI_Win_call_errhandler);
  WINDOW(w, win);
  wrong(r, w, code, "raised by the program");
  return MPI_SUCCESS;
}
