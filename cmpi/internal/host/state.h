/* What MPI keeps for a rank. */
#ifndef FABRICAST_STATE_H
#define FABRICAST_STATE_H

#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "memory.h"

#define FC_BASICS 0x43 /* predefined types have indices below */

/* Handles of one kind: kind | index. */
typedef struct {
  void **slots;
  int n, room, free; /* free: a slot that may be free before n */
} fc_table;

int fc_table_add(fc_table *t, void *p);
void fc_table_drop(fc_table *t, int index);
void fc_table_begin(fc_table *t, int reserved);
void fc_table_set(fc_table *t, int place, void *p);
static inline void *fc_table_get(const fc_table *t, int handle, int kind) {
  unsigned i = (unsigned)handle - (unsigned)kind;
  return i < (unsigned)t->n ? t->slots[i] : 0;
}

/* Attributes of a communicator, datatype or window, in the order of setting. */
typedef struct fc_attribute {
  int key;
  int language; /* in which it was set: a pointer in C, an integer in Fortran */
  void *value;
  struct fc_attribute *next;
} fc_attribute;

typedef struct {
  int (*copy)(int, int, void *, void *, void *, int *);
  int (*remove)(int, int, void *, void *);
  void *extra;
  int users, freed, kind; /* kind: of objects, the upper bits of their handles */
  int language;           /* of its functions */
} fc_keyval;

typedef struct {
  void (*function)(int *, int *, ...);
  int users;
} fc_handler;

/* Processes in an order. */
typedef struct {
  int size, rank;
  int *ranks; /* world ranks */
} fc_group;

/* Who is next to whom. */
typedef struct {
  int kind, ndims, nnodes, nedges;
  int *dims, *periods, *coords; /* cart */
  int *index, *edges;           /* graph */
  int indegree, outdegree, weighted;
  int *sources, *destinations, *source_weights, *destination_weights;
} fc_topology;

typedef struct {
  int handle;
  int context, send_context; /* and the next, for collectives */
  int size, rank;
  int remote_size;    /* of an intercommunicator */
  const int *ranks;   /* world ranks of the group; null: the world's own */
  const int *remote;  /* of the remote group */
  int inter, freed, users;
  int collectives;    /* in the background, so far */
  int splits;         /* of it, so far */
  MPI_Errhandler handler;
  MPI_Comm local;     /* intercommunicator: the local group's own */
  char *name;
  fc_attribute *attributes;
  fc_topology *topology;
} fc_comm;

/* A run of bytes of one elementary type. */
typedef struct {
  int64_t offset, length;
  int basic;
  int64_t more, stride; /* as many runs more of the same length, each so far behind the one before */
} fc_block;

typedef struct fc_type {
  int handle, basic; /* basic: index of a predefined type, 0: derived */
  int64_t size, lb, ub, true_lb, true_ub;
  int align, contiguous, committed, users, explicit_lb, explicit_ub;
  int pairs;      /* the predefined pair that it is made of alone, or is; 0: it is not */
  int signature;  /* see signature.c; 0: not known yet */
  int elementary; /* of Fortran's numbers by precision: the predefined type */
  int64_t nblocks;
  fc_block *blocks;
  int combiner, nintegers, naddresses, ntypes;
  int *integers;
  MPI_Aint *addresses;
  MPI_Datatype *types;
  char *name;
  fc_attribute *attributes;
} fc_type;

typedef struct {
  MPI_User_function *function;
  int commutes, users;
} fc_operation;

typedef struct fc_info {
  int n;
  struct { char *key, *value; } *pairs;
} fc_info;

/* What attributes and the functions for them are like; those of MPI 1 are default integers in Fortran. */
enum { FC_IN_C, FC_IN_FORTRAN, FC_IN_OLD_FORTRAN };

/* What a rank has attached to predefined types, which all ranks share. Few programs do so. */
typedef struct {
  fc_attribute *attributes[FC_BASICS];
  char *names[FC_BASICS];
} fc_basics;

typedef struct fc_state {
  fc_table comms, groups, types, operations, requests, infos, handlers, keyvals, windows, messages;
  fc_request *orphans; /* freed before they were complete */
  fc_request *spare;
  struct fc_finish *finished; /* memory of a collective that has ended, for the next one */
  char *buffer;        /* attached for buffered sends */
  int buffer_size, thread_level, next_code, last_code; /* last_code: as attribute */
  int64_t buffered;    /* bytes of it that are in use */
  uint32_t names;      /* that sends have been given */
  int language; /* of the program where it calls */
  MPI_Datatype *numbers; /* of Type_create_f90_* */
  int nnumbers;
  char **strings;      /* of error codes that the program has added */
  int *classes;        /* their classes */
  fc_basics *basics;   /* null: nothing yet */
} fc_state;

/* Every function of MPI begins with this. */
#define ENTER(function) \
  fc_rank *r __attribute__((cleanup(fc_left))) = fc_enter(#function); \
  r->site = __builtin_return_address(0)
#define ENTER_ANY_TIME(function) fc_rank *r __attribute__((cleanup(fc_left))) = fc_enter_any_time(#function)
static inline void fc_left(fc_rank **r) { (*r)->inside = 0; }
fc_rank *fc_enter(const char *name);
fc_rank *fc_enter_any_time(const char *name);

#define REQUIRE(condition, comm, code, ...) \
  do { \
    if (!(condition)) return fc_error(r, comm, code, __VA_ARGS__); \
  } while (0)

/* Where a function tells something must be a place. */
#define TOLD(places) REQUIRE(places, MPI_COMM_WORLD, MPI_ERR_ARG, "the place for what the call tells is null")

/* A status is a place, or ignored. */
#define STATUS(status) REQUIRE(status, MPI_COMM_WORLD, MPI_ERR_ARG, "the status is null, expected a place for it or MPI_STATUS_IGNORE")

static inline fc_comm *fc_comm_of(fc_rank *r, MPI_Comm comm) { return r->mpi ? fc_table_get(&r->mpi->comms, comm, MPI_COMM_NULL) : 0; }
fc_type *fc_type_of(fc_rank *r, MPI_Datatype type);
fc_basics *fc_basics_of(fc_rank *r);
int64_t fc_elements(const fc_type *t, int64_t bytes);
static inline int64_t fc_block_size(const fc_block *b) { return b->length * (b->more + 1); }
fc_group *fc_group_of(fc_rank *r, MPI_Group group);
fc_request *fc_request_of(fc_rank *r, MPI_Request request);

#define COMM(c, comm) \
  fc_comm *c = fc_comm_of(r, comm); \
  REQUIRE(c, MPI_COMM_WORLD, MPI_ERR_COMM, "%s", fc_bad_handle(comm, MPI_COMM_NULL, "communicator"))
#define TYPE(t, type) \
  fc_type *t = fc_type_of(r, type); \
  REQUIRE(t, MPI_COMM_WORLD, MPI_ERR_TYPE, "%s", fc_bad_handle(type, MPI_DATATYPE_NULL, "datatype"))
#define GROUP(g, group) \
  fc_group *g = fc_group_of(r, group); \
  REQUIRE(g, MPI_COMM_WORLD, MPI_ERR_GROUP, "%s", fc_bad_handle(group, MPI_GROUP_NULL, "group"))
const char *fc_bad_handle(int handle, int null, const char *what);

/* signature.c */
enum { FC_ANYTHING = 1, FC_INT1, FC_INT2, FC_INT4, FC_INT8, FC_REAL4, FC_REAL8, FC_REAL10, FC_REAL16, FC_MIXED }; /* of one kind; from here on of several */
int fc_basic_signature(int basic);
const char *fc_basic_name(int basic);
int fc_type_signature(fc_type *t);
int fc_signatures_match(int a, int b, int64_t bytes);
void fc_describe_type(int basic, int number, char *text, size_t room);
char *fc_check_types(fc_rank *r, const fc_request *q);
int fc_mistaken_part(fc_rank *r, MPI_Comm comm, const fc_call *call);
char *fc_check_access(fc_rank *r, fc_type *origin, fc_type *target, int rank, int64_t bytes);
int fc_type_error(fc_rank *r, MPI_Comm comm, char *wrong);
extern const char fc_first_name[];

static inline int fc_signature(fc_type *t) { return t->signature ? t->signature : fc_type_signature(t); }

/* fc_kind is the signature, with the predefined type if it is one. */
static inline int32_t fc_kind(fc_type *t) { return fc_signature(t) | t->basic << 16; }

/* fc_mark is what a message carries beside its contents: signature, predefined type if it is one, and the call; 0 if there is nothing to be compared. */
static inline uint64_t fc_mark(const fc_rank *r, fc_type *t) {
  int s = fc_signature(t);
  return s <= FC_ANYTHING ? 0 : (uint64_t)s << 48 | (uint64_t)t->basic << 40 | (uint32_t)(r->name - fc_first_name);
}

/* request.c */
fc_request *fc_request_new(fc_rank *r, int kind);
void fc_request_drop(fc_rank *r, fc_request *q);
void fc_wait_all(fc_rank *r, fc_request **list, int n);
int fc_finish_request(fc_rank *r, fc_request *q, MPI_Status *status);

/* p2p.c */
enum { FC_STANDARD, FC_SYNCHRONOUS, FC_BUFFERED, FC_READY }; /* how a send completes */
void fc_post(fc_rank *r, fc_request *q);
void fc_waits_for(fc_rank *r, const fc_request *q);
void fc_send_bytes(fc_rank *r, fc_comm *c, const void *p, int64_t n, int peer, int tag);
int64_t fc_recv_bytes(fc_rank *r, fc_comm *c, void *p, int64_t n, int peer, int tag);
int64_t fc_swap_bytes(fc_rank *r, fc_comm *c, const void *p, int64_t n, void *q, int64_t m, int peer, int tag);
void fc_empty_status(MPI_Status *s);
void fc_set_status(MPI_Status *s, int source, int tag, int64_t bytes);
int fc_look(fc_rank *r, int why, int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status);

/* type.c */
int64_t fc_basic_size(int basic);
void fc_pack(const fc_type *t, int64_t count, const void *from, void *to);
void fc_unpack(const fc_type *t, int64_t count, const void *from, int64_t bytes, void *to);
int64_t fc_extent(const fc_type *t);
void fc_type_use(fc_rank *r, fc_type *t, int by);
const char *fc_type_name(const fc_type *t);

/* comm.c */
int fc_world_rank(const fc_comm *c, int rank);
int fc_remote_rank(const fc_comm *c, int rank);
fc_comm *fc_comm_new(fc_rank *r, int context, int size, int rank, const int *ranks);
void fc_comm_begin(fc_rank *r);
int fc_comm_split(fc_rank *r, fc_comm *c, int color, int key, fc_comm **made);
fc_group *fc_group_new(fc_rank *r, int size, MPI_Group *handle);

/* attribute.c */
int fc_attributes_copy(fc_rank *r, int handle, fc_attribute *from, fc_attribute **to);
int fc_attributes_free(fc_rank *r, int handle, fc_attribute **list);

int fc_attribute_set(fc_rank *r, int handle, fc_attribute **list, int key, void *value);
int fc_attribute_get(fc_rank *r, int handle, fc_attribute *list, int key, void *value, int *flag);
int fc_attribute_delete(fc_rank *r, int handle, fc_attribute **list, int key);
int fc_keyval_new(fc_rank *r, int kind, void *copy, void *remove, int *key, void *extra);
int fc_keyval_free(fc_rank *r, int kind, int *key);

/* window.c */
void fc_access_finish(fc_rank *r, fc_request *q);

/* op.c */
int fc_op_defined(MPI_Op op, int basic);
int fc_op_check(fc_rank *r, MPI_Op op, fc_type *t);
void fc_op_use(fc_rank *r, MPI_Op op, int by);
int fc_op_commutes(fc_rank *r, MPI_Op op);
void fc_combine(fc_rank *r, MPI_Op op, MPI_Datatype type, void *in, void *inout, int64_t count);

/* topology.c */
int fc_grid_neighbour(const fc_topology *t, int rank, int direction, int by);

/* collective.c */
typedef struct fc_finish fc_finish;
int fc_finish_collective(fc_rank *r, fc_finish *f);
void fc_comm_made(fc_rank *r, fc_comm *made, const fc_call *by);

#endif
