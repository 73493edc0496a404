//go:build linux && (amd64 || arm64)

/* Calls from Fortran: what cannot be derived from the C interface. */
#include <string.h>

#include "fortran.h"
#include "job.h"

/* Constants such as MPI_IN_PLACE are known by their places in a common block, of which each rank has its own. */
enum { BOTTOM = 0, IN_PLACE = 4, STATUS = 8, STATUSES = 32 };

static const char *constants(void) {
  fc_rank *r = fc_current();
  return r->job->constants ? r->image + r->job->constants : 0;
}

void *fc_buffer_of(const void *p) {
  const char *c = constants();
  if (!c) return (void *)p;
  if (p == c + IN_PLACE) return MPI_IN_PLACE;
  return p == c + BOTTOM ? MPI_BOTTOM : (void *)p;
}

MPI_Status *fc_status_of(MPI_Status *s) {
  const char *c = constants();
  return c && ((char *)s == c + STATUS || (char *)s == c + STATUSES) ? MPI_STATUS_IGNORE : s;
}

char *fc_c_string(const char *s, size_t n) {
  while (n && s[n - 1] == ' ') n--;
  while (n && *s == ' ') s++, n--;
  return strndup(s, n);
}

void fc_fortran_string(const char *from, char *to, size_t n) {
  size_t m = strlen(from);
  memset(to, ' ', n);
  memcpy(to, from, m < n ? m : n);
}

static void init(int *ierror) { *ierror = MPI_Init(0, 0); }
static void init_thread(int *required, int *provided, int *ierror) { *ierror = MPI_Init_thread(0, 0, *required, provided); }
static void pcontrol(int *level) { MPI_Pcontrol(*level); }

/* Fortran counts from 1. */
static void from_one(int *index) {
  if (*index != MPI_UNDEFINED) ++*index;
}
static void waitany(int *count, MPI_Request *requests, int *index, MPI_Status *status, int *ierror) {
  *ierror = MPI_Waitany(*count, requests, index, fc_status_of(status));
  from_one(index);
}
static void testany(int *count, MPI_Request *requests, int *index, int *flag, MPI_Status *status, int *ierror) {
  *ierror = MPI_Testany(*count, requests, index, flag, fc_status_of(status));
  from_one(index);
}
static void waitsome(int *count, MPI_Request *requests, int *outcount, int *indices, MPI_Status *statuses, int *ierror) {
  *ierror = MPI_Waitsome(*count, requests, outcount, indices, fc_status_of(statuses));
  for (int i = 0; i < *outcount; i++) ++indices[i];
}
static void testsome(int *count, MPI_Request *requests, int *outcount, int *indices, MPI_Status *statuses, int *ierror) {
  *ierror = MPI_Testsome(*count, requests, outcount, indices, fc_status_of(statuses));
  for (int i = 0; i < *outcount; i++) ++indices[i];
}

/* The functions of MPI 1 have addresses in plain integers. */
static void type_extent(MPI_Datatype *type, int *extent, int *ierror) {
  MPI_Aint e = 0;
  *ierror = MPI_Type_extent(*type, &e);
  *extent = e;
}
static void type_hvector(int *count, int *length, int *stride, MPI_Datatype *old, MPI_Datatype *made, int *ierror) {
  *ierror = MPI_Type_hvector(*count, *length, *stride, *old, made);
}
static MPI_Aint *wide(const int *from, int n) {
  MPI_Aint *to = malloc((n + 1) * sizeof *to);
  for (int i = 0; i < n; i++) to[i] = from[i];
  return to;
}
static void type_hindexed(int *count, int *lengths, int *places, MPI_Datatype *old, MPI_Datatype *made, int *ierror) {
  MPI_Aint *p = wide(places, *count);
  *ierror = MPI_Type_hindexed(*count, lengths, p, *old, made);
  free(p);
}
static void type_struct(int *count, int *lengths, int *places, MPI_Datatype *types, MPI_Datatype *made, int *ierror) {
  MPI_Aint *p = wide(places, *count);
  *ierror = MPI_Type_struct(*count, lengths, p, types, made);
  free(p);
}

/* Values of predefined attributes come as integers. */
static void comm_get_attr(MPI_Comm *comm, int *key, MPI_Aint *value, int *flag, int *ierror) {
  int *p = 0;
  *ierror = MPI_Comm_get_attr(*comm, *key, &p, flag);
  if (*flag) *value = *p;
}
static void attr_get(MPI_Comm *comm, int *key, int *value, int *flag, int *ierror) {
  int *p = 0;
  *ierror = MPI_Comm_get_attr(*comm, *key, &p, flag);
  if (*flag) *value = *p;
}

static const fc_fortran written[] = {
    {"mpi_init_", (void *)init}, {"mpi_init_thread_", (void *)init_thread}, {"mpi_pcontrol_", (void *)pcontrol}, {"mpi_waitany_", (void *)waitany},
    {"mpi_testany_", (void *)testany}, {"mpi_waitsome_", (void *)waitsome}, {"mpi_testsome_", (void *)testsome}, {"mpi_type_extent_", (void *)type_extent},
    {"mpi_type_hvector_", (void *)type_hvector}, {"mpi_type_hindexed_", (void *)type_hindexed}, {"mpi_type_struct_", (void *)type_struct},
    {"mpi_comm_get_attr_", (void *)comm_get_attr}, {"mpi_attr_get_", (void *)attr_get}, {"mpi_wtime_", (void *)MPI_Wtime}, {"mpi_wtick_", (void *)MPI_Wtick},
    {0, 0}};
extern const fc_fortran fc_fortran_generated[];

/* fc_fortran_symbol is a function that Fortran calls; null if there is none of the name. */
void *fc_fortran_symbol(const char *name) {
  for (const fc_fortran *f = written; f->name; f++)
    if (!strcmp(f->name, name)) return f->address;
  for (const fc_fortran *f = fc_fortran_generated; f->name; f++)
    if (!strcmp(f->name, name)) return f->address;
  return 0;
}
