//go:build linux && (amd64 || arm64)

/* Calls from Fortran: what cannot be derived from the C interface. */
#include <string.h>

#include "fortran.h"
#include "job.h"

/* Constants such as MPI_IN_PLACE are known by their places in a common block, of which each rank has its own. */
enum { BOTTOM = 0, IN_PLACE = 4, STATUS = 8, STATUSES = 32, UNWEIGHTED = 60, WEIGHTS_EMPTY = 64 };

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

int *fc_weights_of(const int *p) {
  const char *c = constants();
  if (!c) return (int *)p;
  if ((const char *)p == c + UNWEIGHTED) return MPI_UNWEIGHTED;
  return (const char *)p == c + WEIGHTS_EMPTY ? MPI_WEIGHTS_EMPTY : (int *)p;
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

static void init(int *ierror) { fc_tell(ierror, MPI_Init(0, 0)); }
static void init_thread(int *required, int *provided, int *ierror) { fc_tell(ierror, MPI_Init_thread(0, 0, *required, provided)); }
static void pcontrol(int *level) { MPI_Pcontrol(*level); }
static MPI_Aint aint_add(MPI_Aint *base, MPI_Aint *displacement) { return MPI_Aint_add(*base, *displacement); }
static MPI_Aint aint_diff(MPI_Aint *a, MPI_Aint *b) { return MPI_Aint_diff(*a, *b); }

/* Fortran counts from 1. */
static void from_one(int *index) {
  if (*index != MPI_UNDEFINED) ++*index;
}
static void all_from_one(int count, int *indices) {
  for (int i = 0; i < count; i++) ++indices[i];
}
static void waitany(int *count, MPI_Request *requests, int *index, MPI_Status *status, int *ierror) {
  fc_tell(ierror, MPI_Waitany(*count, requests, index, fc_status_of(status)));
  from_one(index);
}
static void testany(int *count, MPI_Request *requests, int *index, int *flag, MPI_Status *status, int *ierror) {
  fc_tell(ierror, MPI_Testany(*count, requests, index, flag, fc_status_of(status)));
  from_one(index);
}
static void waitsome(int *count, MPI_Request *requests, int *outcount, int *indices, MPI_Status *statuses, int *ierror) {
  fc_tell(ierror, MPI_Waitsome(*count, requests, outcount, indices, fc_status_of(statuses)));
  all_from_one(*outcount, indices);
}
static void testsome(int *count, MPI_Request *requests, int *outcount, int *indices, MPI_Status *statuses, int *ierror) {
  fc_tell(ierror, MPI_Testsome(*count, requests, outcount, indices, fc_status_of(statuses)));
  all_from_one(*outcount, indices);
}

/* What info has not leaves the value as it was. */
static void info_get(MPI_Info *info, const char *key, int *length, char *value, int *flag, int *ierror, size_t key_n, size_t value_n) {
  char *name = fc_c_string(key, key_n), text[MPI_MAX_INFO_VAL + 1] = "";
  fc_tell(ierror, MPI_Info_get(*info, name, *length < MPI_MAX_INFO_VAL ? *length : MPI_MAX_INFO_VAL, text, flag));
  if (*flag) fc_fortran_string(text, value, value_n);
  free(name);
}

/* The address that comes back is of use only where it can be told as one, in mpi_f08. */
static void buffer_detach(void *buffer, int *size, int *ierror) {
  void *was;
  (void)buffer;
  fc_tell(ierror, MPI_Buffer_detach(&was, size));
}
static void buffer_detach_typed(void **buffer, int *size, int *ierror) { fc_tell(ierror, MPI_Buffer_detach(buffer, size)); }

/* The functions of MPI 1 have addresses in plain integers. */
static void address(void *location, int *place, int *ierror) {
  MPI_Aint a = 0;
  fc_tell(ierror, MPI_Get_address(fc_buffer_of(location), &a));
  *place = a;
}
#define PLAIN(name, function) \
  static void name(MPI_Datatype *type, int *result, int *ierror) { \
    MPI_Aint a = 0; \
    fc_tell(ierror, function(*type, &a)); \
    *result = a; \
  }
PLAIN(type_extent, MPI_Type_extent)
PLAIN(type_lb, MPI_Type_lb)
PLAIN(type_ub, MPI_Type_ub)

static void type_hvector(int *count, int *length, int *stride, MPI_Datatype *old, MPI_Datatype *made, int *ierror) {
  fc_tell(ierror, MPI_Type_hvector(*count, *length, *stride, *old, made));
}
static MPI_Aint *wide(const int *from, int n) {
  MPI_Aint *to = malloc((n + 1) * sizeof *to);
  for (int i = 0; i < n; i++) to[i] = from[i];
  return to;
}
static void type_hindexed(int *count, int *lengths, int *places, MPI_Datatype *old, MPI_Datatype *made, int *ierror) {
  MPI_Aint *p = wide(places, *count);
  fc_tell(ierror, MPI_Type_hindexed(*count, lengths, p, *old, made));
  free(p);
}
static void type_struct(int *count, int *lengths, int *places, MPI_Datatype *types, MPI_Datatype *made, int *ierror) {
  MPI_Aint *p = wide(places, *count);
  fc_tell(ierror, MPI_Type_struct(*count, lengths, p, types, made));
  free(p);
}

/* MPI_Sizeof of numbers of each kind. */
#define SIZEOF(name, bytes) \
  static void sizeof_##name(void *x, int *size, int *ierror) { \
    (void)x; \
    *size = bytes; \
    fc_tell(ierror, MPI_SUCCESS); \
  }
#include "fortran_sizeof.h"

/* Handles of mpi_f08 are compared. */
static int equal(const int *a, const int *b) { return *a == *b; }
static int unequal(const int *a, const int *b) { return *a != *b; }

static void status_copy(const MPI_Status *from, MPI_Status *to, int *ierror) {
  memcpy(to, from, sizeof *to);
  fc_tell(ierror, MPI_SUCCESS);
}

static const fc_fortran written[] = {
#define FC_WRITTEN(name, function) {#name, (void *)function},
#include "fortran_written.h"
#define SIZEOF(name, bytes) {"mpi_sizeof_" #name "_", (void *)sizeof_##name},
#include "fortran_sizeof.h"
    {0, 0}};
extern const fc_fortran fc_fortran_generated[];

static void *among(const fc_fortran *list, const char *name) {
  for (; list->name; list++)
    if (!strcmp(list->name, name)) return list->address;
  return 0;
}

/* fc_fortran_symbol is a function that Fortran calls; null if there is none of the name. */
void *fc_fortran_symbol(const char *name) {
  static const fc_fortran *const lists[] = {written, fc_fortran_attributes, fc_fortran_generated};
  void *found = 0;
  for (int i = 0; i < 3 && !found; i++) found = among(lists[i], name);
  return found;
}
