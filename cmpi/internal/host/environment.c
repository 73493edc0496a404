//go:build linux && (amd64 || arm64)

/* The beginning and the end, clocks, names. */
#define _GNU_SOURCE
#include <stdio.h>

#include "memory.h"
#include "state.h"

static int begin(fc_rank *r, int required, int *provided) {
  if (r->implicit) {
    r->implicit = 0;
    if (provided) *provided = r->mpi->thread_level = required < MPI_THREAD_SERIALIZED ? required : MPI_THREAD_SERIALIZED;
    return MPI_SUCCESS;
  }
  if (r->initialized) fc_fail(r, "called a second time");
  fc_state *s = r->mpi = calloc(1, sizeof *s);
  s->last_code = MPI_ERR_LASTCODE;
  fc_comm_begin(r);
  fc_table_begin(&s->groups, 2);
  fc_table_begin(&s->types, 0);
  fc_table_begin(&s->operations, 0x20);
  fc_table_begin(&s->requests, 1);
  fc_table_begin(&s->infos, 2);
  fc_table_begin(&s->handlers, 3);
  fc_table_begin(&s->keyvals, 1);
  fc_table_begin(&s->windows, 1);
  fc_table_begin(&s->messages, 2);
  r->initialized = 1;
  s->thread_level = required < MPI_THREAD_SERIALIZED ? required : MPI_THREAD_SERIALIZED;
  if (provided) *provided = s->thread_level;
  return MPI_SUCCESS;
}

int MPI_Init(int *argc, char ***argv) {
  ENTER_ANY_TIME(MPI_Init);
  return begin(r, MPI_THREAD_SINGLE, 0);
}
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  ENTER_ANY_TIME(MPI_Init_thread);
  return begin(r, required, provided);
}
int MPI_Initialized(int *flag) {
  ENTER_ANY_TIME(MPI_Initialized);
  *flag = r->initialized;
  return MPI_SUCCESS;
}
int MPI_Finalized(int *flag) {
  ENTER_ANY_TIME(MPI_Finalized);
  *flag = r->finalized;
  return MPI_SUCCESS;
}
int MPI_Query_thread(int *provided) {
  ENTER(MPI_Query_thread);
  TOLD(provided);
  *provided = r->mpi->thread_level;
  return MPI_SUCCESS;
}
int MPI_Is_thread_main(int *flag) {
  ENTER_ANY_TIME(MPI_Is_thread_main);
  *flag = 1;
  return MPI_SUCCESS;
}

/* Sends that nobody will wait for any more must still be taken by the network. */
static void reap(fc_rank *r) {
  while (r->mpi->orphans) {
    fc_request *q = r->mpi->orphans, *list[1] = {q};
    r->mpi->orphans = q->next;
    if (q->kind == FC_REQUEST_RECV && !q->done) {
      if (r->ops) fc_pause(r, FC_SYNC);
      r->waits = list, r->nwaits = 1;
      fc_pause(r, FC_SETTLE);
      if (!q->done) continue; /* counted with the others */
    }
    fc_wait_all(r, list, 1);
    fc_finish_request(r, q, MPI_STATUS_IGNORE);
  }
}

int MPI_Finalize(void) {
  ENTER(MPI_Finalize);
  fc_comm *self = fc_comm_of(r, MPI_COMM_SELF);
  fc_attributes_free(r, MPI_COMM_SELF, &self->attributes);
  reap(r);
  r->name = "MPI_Finalize";
  for (int i = 0; i < r->mpi->requests.n; i++) {
    fc_request *q = r->mpi->requests.slots[i];
    if (q && q->active) r->leaks++;
  }
  r->finalized = 1;
  return MPI_SUCCESS;
}

int MPI_Abort(MPI_Comm comm, int code) {
  ENTER_ANY_TIME(MPI_Abort);
  r->code = code;
  fc_flush_lines(r);
  fc_leave(r, FC_ABORT);
}

double MPI_Wtime(void) {
  return fc_now(fc_current()) * 1e-12;
}
double MPI_Wtick(void) { return 1e-12; }

int MPI_Pcontrol(const int level, ...) { return MPI_SUCCESS; }

int MPI_Get_version(int *version, int *subversion) {
  ENTER_ANY_TIME(MPI_Get_version);
  *version = MPI_VERSION, *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}
int MPI_Get_library_version(char *version, int *length) {
  ENTER_ANY_TIME(MPI_Get_library_version);
  *length = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "Fabricast, a simulated network");
  return MPI_SUCCESS;
}
int MPI_Get_processor_name(char *name, int *length) {
  ENTER(MPI_Get_processor_name);
  TOLD(length);
  *length = snprintf(name, MPI_MAX_PROCESSOR_NAME, "host%d", r->host);
  return MPI_SUCCESS;
}

int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *base) {
  ENTER(MPI_Alloc_mem);
  REQUIRE(size >= 0, MPI_COMM_WORLD, MPI_ERR_ARG, "found a size of %ld", size);
  void *p = fc_huge(malloc(size ? size : 1), size);
  REQUIRE(p, MPI_COMM_WORLD, MPI_ERR_NO_MEM, "found no %ld bytes", size);
  *(void **)base = p;
  return MPI_SUCCESS;
}
int MPI_Free_mem(void *base) {
  ENTER_ANY_TIME(MPI_Free_mem);
  free(base);
  return MPI_SUCCESS;
}

/* Handles are the same in Fortran. */
#define CONVERT(name, type) \
  type MPI_##name##_f2c(MPI_Fint handle) { return handle; } \
  MPI_Fint MPI_##name##_c2f(type handle) { return handle; }
CONVERT(Comm, MPI_Comm)
CONVERT(Group, MPI_Group)
CONVERT(Type, MPI_Datatype)
CONVERT(Op, MPI_Op)
CONVERT(Request, MPI_Request)
CONVERT(Win, MPI_Win)
CONVERT(Info, MPI_Info)
CONVERT(Errhandler, MPI_Errhandler)
CONVERT(Message, MPI_Message)
CONVERT(File, MPI_File)
#define CONVERT_STATUS(name, from, to) \
  int MPI_Status_##name(const from *a, to *b) { \
    ENTER_ANY_TIME(MPI_Status_##name); \
    memcpy(b, a, sizeof(MPI_Status)); \
    return MPI_SUCCESS; \
  }
CONVERT_STATUS(c2f08, MPI_Status, MPI_F08_status)
CONVERT_STATUS(f082c, MPI_F08_status, MPI_Status)
CONVERT_STATUS(f2f08, MPI_Fint, MPI_F08_status)
CONVERT_STATUS(f082f, MPI_F08_status, MPI_Fint)
CONVERT_STATUS(f2c, MPI_Fint, MPI_Status)
CONVERT_STATUS(c2f, MPI_Status, MPI_Fint)
