//go:build linux && (amd64 || arm64)

/* Calls from Fortran with functions of the program, and attributes, which are integers there and pointers in C. */
#include "fortran.h"
#include "state.h"

/* Whatever the next function does with keys and attributes is meant as in Fortran. */
static void in_language(int language) {
  fc_rank *r = fc_current();
  if (r->mpi) r->mpi->language = language;
}

#define CREATE(name, function, language, integer) \
  static void name(void *copy, void *remove, int *keyval, integer *extra, int *ierror) { \
    in_language(language); \
    fc_tell(ierror, function(copy, remove, keyval, (void *)(MPI_Aint)*extra)); \
    in_language(FC_IN_C); \
  }
CREATE(comm_create_keyval, MPI_Comm_create_keyval, FC_IN_FORTRAN, MPI_Aint)
CREATE(type_create_keyval, MPI_Type_create_keyval, FC_IN_FORTRAN, MPI_Aint)
CREATE(win_create_keyval, MPI_Win_create_keyval, FC_IN_FORTRAN, MPI_Aint)
CREATE(keyval_create, MPI_Keyval_create, FC_IN_OLD_FORTRAN, int)

#define SET(name, function, language, integer) \
  static void name(int *handle, int *keyval, integer *value, int *ierror) { \
    in_language(language); \
    fc_tell(ierror, function(*handle, *keyval, (void *)(MPI_Aint)*value)); \
    in_language(FC_IN_C); \
  }
SET(comm_set_attr, MPI_Comm_set_attr, FC_IN_FORTRAN, MPI_Aint)
SET(type_set_attr, MPI_Type_set_attr, FC_IN_FORTRAN, MPI_Aint)
SET(win_set_attr, MPI_Win_set_attr, FC_IN_FORTRAN, MPI_Aint)
SET(attr_put, MPI_Attr_put, FC_IN_OLD_FORTRAN, int)

/* What the library itself knows comes as what C gets a pointer to. */
static MPI_Aint known(int key, void *p) {
  switch (key) {
    case MPI_TAG_UB: case MPI_HOST: case MPI_IO: case MPI_WTIME_IS_GLOBAL: case MPI_LASTUSEDCODE: case MPI_APPNUM: case MPI_UNIVERSE_SIZE:
    case MPI_WIN_DISP_UNIT: case MPI_WIN_CREATE_FLAVOR: case MPI_WIN_MODEL: return *(int *)p;
    case MPI_WIN_SIZE: return *(MPI_Aint *)p;
  }
  return (MPI_Aint)p;
}

#define GET(name, function, integer) \
  static void name(int *handle, int *keyval, integer *value, int *flag, int *ierror) { \
    void *p = 0; \
    in_language(FC_IN_FORTRAN); \
    fc_tell(ierror, function(*handle, *keyval, &p, flag)); \
    in_language(FC_IN_C); \
    if (*flag) *value = known(*keyval, p); \
  }
GET(comm_get_attr, MPI_Comm_get_attr, MPI_Aint)
GET(type_get_attr, MPI_Type_get_attr, MPI_Aint)
GET(win_get_attr, MPI_Win_get_attr, MPI_Aint)
GET(attr_get, MPI_Attr_get, int)

/* The functions that the standard defines. */
static void null_copy(int *handle, int *keyval, void *extra, void *in, void *out, int *flag, int *ierror) {
  (void)handle, (void)keyval, (void)extra, (void)in, (void)out;
  *flag = 0, *ierror = MPI_SUCCESS;
}
static void null_delete(int *handle, int *keyval, void *value, void *extra, int *ierror) {
  (void)handle, (void)keyval, (void)value, (void)extra;
  *ierror = MPI_SUCCESS;
}
#define DUP(name, integer) \
  static void name(int *handle, int *keyval, integer *extra, integer *in, integer *out, int *flag, int *ierror) { \
    (void)handle, (void)keyval, (void)extra; \
    *out = *in, *flag = 1, *ierror = MPI_SUCCESS; \
  }
DUP(dup, MPI_Aint)
DUP(dup_plain, int)
static void no_conversion(void) {}

/* Generalized requests. */
typedef struct {
  void (*query)(MPI_Aint *, MPI_Status *, int *);
  void (*free)(MPI_Aint *, int *);
  void (*cancel)(MPI_Aint *, int *, int *);
  MPI_Aint *extra; /* the program's own variable, which its functions may change */
} general;

static int general_query(void *extra, MPI_Status *status) {
  general *g = extra;
  int code = MPI_SUCCESS;
  g->query(g->extra, status, &code);
  return code;
}
static int general_free(void *extra) {
  general *g = extra;
  int code = MPI_SUCCESS;
  g->free(g->extra, &code);
  free(g);
  return code;
}
static int general_cancel(void *extra, int complete) {
  general *g = extra;
  int code = MPI_SUCCESS;
  g->cancel(g->extra, &complete, &code);
  return code;
}
static void grequest_start(void *query, void *free_, void *cancel, MPI_Aint *extra, MPI_Request *request, int *ierror) {
  general *g = malloc(sizeof *g);
  g->query = (void (*)(MPI_Aint *, MPI_Status *, int *))query, g->free = (void (*)(MPI_Aint *, int *))free_;
  g->cancel = (void (*)(MPI_Aint *, int *, int *))cancel, g->extra = extra;
  fc_tell(ierror, MPI_Grequest_start(general_query, general_free, general_cancel, g, request));
}

const fc_fortran fc_fortran_attributes[] = {
#define FC_WRITTEN(name, function) {#name, (void *)function},
#include "fortran_attributes.h"
    {0, 0}};
