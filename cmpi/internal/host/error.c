//go:build linux && (amd64 || arm64)

/* Errors: handlers, codes and what they mean. */
#define _GNU_SOURCE
#include <stdio.h>

#include "state.h"

/* Makes room for the reserved places and a few more. */
static void begin_slots(fc_table *t) {
  t->n = t->free;
  t->room = t->n + 4;
  t->slots = calloc(t->room, sizeof *t->slots);
}

int fc_table_add(fc_table *t, void *p) {
  if (!t->slots) begin_slots(t);
  for (int i = t->free; i < t->n; i++)
    if (!t->slots[i]) {
      t->slots[i] = p;
      t->free = i + 1;
      return i;
    }
  if (t->n == t->room) {
    t->room *= 2;
    t->slots = realloc(t->slots, t->room * sizeof *t->slots);
  }
  t->slots[t->n] = p;
  t->free = ++t->n;
  return t->n - 1;
}

/* fc_table_begin keeps the first places for handles with a fixed meaning. The table takes no memory
 * before something is put into it. */
void fc_table_begin(fc_table *t, int reserved) { t->free = reserved; }

/* fc_table_set puts something into a place with a fixed meaning. */
void fc_table_set(fc_table *t, int place, void *p) {
  if (!t->slots) begin_slots(t);
  t->slots[place] = p;
}

void fc_table_drop(fc_table *t, int index) {
  t->slots[index] = 0;
  if (index < t->free) t->free = index;
}

/* fc_fail ends the run. */
_Noreturn void fc_fail(fc_rank *r, const char *format, ...) {
  va_list a;
  va_start(a, format);
  if (vasprintf(&r->message, format, a) < 0) r->message = 0;
  va_end(a);
  fc_flush_lines(r);
  fc_leave(r, FC_FAILED);
}

const char *fc_bad_handle(int handle, int null, const char *what) {
  static __thread char text[96];
  if (handle == null)
    snprintf(text, sizeof text, "the %s is null", what);
  else
    snprintf(text, sizeof text, "0x%08x is no %s", handle, what);
  return text;
}

fc_rank *fc_enter_any_time(const char *name) {
  fc_rank *r = fc_current();
  r->name = name, r->inside = 1;
  return r;
}

fc_rank *fc_enter(const char *name) {
  fc_rank *r = fc_current();
  r->name = name, r->inside = 1;
  if (!r->initialized) fc_fail(r, "called before MPI_Init");
  if (r->finalized) fc_fail(r, "called after MPI_Finalize");
  if (r->measured) fc_end_computing(r);
  return r;
}

static const char *const classes[] = {
    [MPI_SUCCESS] = "no error", [MPI_ERR_BUFFER] = "wrong buffer", [MPI_ERR_COUNT] = "wrong count", [MPI_ERR_TYPE] = "wrong datatype",
    [MPI_ERR_TAG] = "wrong tag", [MPI_ERR_COMM] = "wrong communicator", [MPI_ERR_RANK] = "wrong rank", [MPI_ERR_REQUEST] = "wrong request",
    [MPI_ERR_ROOT] = "wrong root", [MPI_ERR_GROUP] = "wrong group", [MPI_ERR_OP] = "wrong operation", [MPI_ERR_TOPOLOGY] = "wrong topology",
    [MPI_ERR_DIMS] = "wrong dimensions", [MPI_ERR_ARG] = "wrong argument", [MPI_ERR_UNKNOWN] = "unknown error", [MPI_ERR_TRUNCATE] = "message truncated",
    [MPI_ERR_OTHER] = "other error", [MPI_ERR_INTERN] = "internal error", [MPI_ERR_IN_STATUS] = "the status tells the error",
    [MPI_ERR_PENDING] = "pending request", [MPI_ERR_ACCESS] = "permission denied", [MPI_ERR_AMODE] = "wrong mode of access",
    [MPI_ERR_ASSERT] = "wrong assertion", [MPI_ERR_BAD_FILE] = "wrong file name", [MPI_ERR_BASE] = "wrong base", [MPI_ERR_CONVERSION] = "conversion failed",
    [MPI_ERR_DISP] = "wrong displacement", [MPI_ERR_DUP_DATAREP] = "data representation defined twice", [MPI_ERR_FILE_EXISTS] = "the file exists",
    [MPI_ERR_FILE_IN_USE] = "the file is in use", [MPI_ERR_FILE] = "wrong file", [MPI_ERR_INFO_KEY] = "wrong info key", [MPI_ERR_INFO_NOKEY] = "no such info key",
    [MPI_ERR_INFO_VALUE] = "wrong info value", [MPI_ERR_INFO] = "wrong info", [MPI_ERR_IO] = "input or output failed", [MPI_ERR_KEYVAL] = "wrong attribute key",
    [MPI_ERR_LOCKTYPE] = "wrong type of lock", [MPI_ERR_NAME] = "unknown name", [MPI_ERR_NO_MEM] = "out of memory", [MPI_ERR_NOT_SAME] = "arguments differ between ranks",
    [MPI_ERR_NO_SPACE] = "no space left", [MPI_ERR_NO_SUCH_FILE] = "no such file", [MPI_ERR_PORT] = "wrong port", [MPI_ERR_QUOTA] = "quota exceeded",
    [MPI_ERR_READ_ONLY] = "read only", [MPI_ERR_RMA_CONFLICT] = "conflicting accesses to a window", [MPI_ERR_RMA_SYNC] = "wrong synchronization of a window",
    [MPI_ERR_SERVICE] = "wrong service", [MPI_ERR_SIZE] = "wrong size", [MPI_ERR_SPAWN] = "ranks cannot be spawned",
    [MPI_ERR_UNSUPPORTED_DATAREP] = "unsupported data representation", [MPI_ERR_UNSUPPORTED_OPERATION] = "unsupported operation", [MPI_ERR_WIN] = "wrong window",
    [MPI_ERR_RMA_RANGE] = "outside of the window", [MPI_ERR_RMA_ATTACH] = "memory cannot be attached", [MPI_ERR_RMA_FLAVOR] = "wrong flavor of window",
    [MPI_ERR_RMA_SHARED] = "memory cannot be shared",
};
#define NCLASSES ((int)(sizeof classes / sizeof *classes))

/* Codes that a program adds: class in the lower half, its number in the upper. */
#define ADDED 1024

static const char *describe(fc_rank *r, int code) {
  if (r->mpi && code >= ADDED && code < ADDED + r->mpi->next_code) return r->mpi->strings[code - ADDED] ? r->mpi->strings[code - ADDED] : "";
  return code >= 0 && code < NCLASSES && classes[code] ? classes[code] : "unknown error";
}

/* fc_error does what the communicator's error handler says. */
int fc_error(fc_rank *r, MPI_Comm comm, int code, const char *format, ...) {
  fc_comm *c = fc_comm_of(r, comm);
  MPI_Errhandler handler = c ? c->handler : MPI_ERRORS_ARE_FATAL;
  if (handler == MPI_ERRORS_RETURN) return code;
  if (handler != MPI_ERRORS_ARE_FATAL) {
    fc_handler *h = fc_table_get(&r->mpi->handlers, handler, MPI_ERRHANDLER_NULL);
    if (h) h->function(&comm, &code, 0);
    return code;
  }
  char *text = 0;
  va_list a;
  va_start(a, format);
  if (vasprintf(&text, format, a) < 0) text = 0;
  va_end(a);
  fc_fail(r, "%s: %s", describe(r, code), text ? text : "");
}

int MPI_Error_string(int code, char *string, int *length) {
  ENTER_ANY_TIME(MPI_Error_string);
  *length = snprintf(string, MPI_MAX_ERROR_STRING, "%s", describe(r, code));
  return MPI_SUCCESS;
}

int MPI_Error_class(int code, int *class_) {
  ENTER_ANY_TIME(MPI_Error_class);
  if (code < 0 || code >= ADDED + (r->mpi ? r->mpi->next_code : 0))
    return r->mpi ? fc_error(r, MPI_COMM_WORLD, MPI_ERR_ARG, "%d is no error code", code) : MPI_ERR_ARG;
  *class_ = r->mpi && code >= ADDED && code < ADDED + r->mpi->next_code ? r->mpi->classes[code - ADDED] : code;
  return MPI_SUCCESS;
}

static int add_code(fc_rank *r, int class_, int *code) {
  fc_state *s = r->mpi;
  s->strings = realloc(s->strings, (s->next_code + 1) * sizeof *s->strings);
  s->classes = realloc(s->classes, (s->next_code + 1) * sizeof *s->classes);
  *code = ADDED + s->next_code;
  s->strings[s->next_code] = 0, s->last_code = *code;
  s->classes[s->next_code++] = class_ ? class_ : *code;
  return MPI_SUCCESS;
}

int MPI_Add_error_class(int *class_) {
  ENTER(MPI_Add_error_class);
  TOLD(class_);
  return add_code(r, 0, class_);
}

int MPI_Add_error_code(int class_, int *code) {
  ENTER(MPI_Add_error_code);
  TOLD(code);
  return add_code(r, class_, code);
}

int MPI_Add_error_string(int code, const char *string) {
  ENTER(MPI_Add_error_string);
  REQUIRE(code >= ADDED && code < ADDED + r->mpi->next_code, MPI_COMM_WORLD, MPI_ERR_ARG, "code %d was not added", code);
  r->mpi->strings[code - ADDED] = strdup(string);
  return MPI_SUCCESS;
}

static int handler_new(fc_rank *r, void *function, MPI_Errhandler *handler) {
  fc_handler *h = calloc(1, sizeof *h);
  h->function = (void (*)(int *, int *, ...))function;
  *handler = MPI_ERRHANDLER_NULL + fc_table_add(&r->mpi->handlers, h);
  return MPI_SUCCESS;
}

int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function *function, MPI_Errhandler *errhandler) {
  ENTER(MPI_Comm_create_errhandler);
  TOLD(errhandler);
  return handler_new(r, (void *)function, errhandler);
}
int MPI_Errhandler_create(MPI_Handler_function *function, MPI_Errhandler *errhandler) {
  ENTER(MPI_Errhandler_create);
  TOLD(errhandler);
  return handler_new(r, (void *)function, errhandler);
}
int MPI_Win_create_errhandler(MPI_Win_errhandler_function *function, MPI_Errhandler *errhandler) {
  ENTER(MPI_Win_create_errhandler);
  TOLD(errhandler);
  return handler_new(r, (void *)function, errhandler);
}
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler) {
  ENTER(MPI_Comm_set_errhandler);
  COMM(c, comm);
  REQUIRE(errhandler != MPI_ERRHANDLER_NULL, comm, MPI_ERR_ARG, "the error handler is null");
  c->handler = errhandler;
  return MPI_SUCCESS;
}
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler) { return MPI_Comm_set_errhandler(comm, errhandler); }
int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *errhandler) {
  ENTER(MPI_Comm_get_errhandler);
  TOLD(errhandler);
  COMM(c, comm);
  *errhandler = c->handler;
  return MPI_SUCCESS;
}
int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler) { return MPI_Comm_get_errhandler(comm, errhandler); }
int MPI_Errhandler_free(MPI_Errhandler *errhandler) {
  ENTER(MPI_Errhandler_free); /* it may still be in use, so what it stands for stays */
  TOLD(errhandler);
  REQUIRE(*errhandler != MPI_ERRHANDLER_NULL, MPI_COMM_WORLD, MPI_ERR_ARG, "the error handler is null");
  *errhandler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}
int MPI_Comm_call_errhandler(MPI_Comm comm, int code) {
  ENTER(MPI_Comm_call_errhandler);
  COMM(c, comm);
  (void)c;
  fc_error(r, comm, code, "raised by the program");
  return MPI_SUCCESS;
}
