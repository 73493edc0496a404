//go:build linux && (amd64 || arm64)

/* Reductions: predefined operations on predefined types, and the program's own. */
#pragma GCC optimize("O2") /* on the way of every message; see host.go */
#include <complex.h>

#include "state.h"

#define LOOP(type, expression) \
  { \
    const type *a = in; \
    type *b = inout; \
    for (int64_t i = 0; i < n; i++) b[i] = expression; \
  }

#define ORDERED(type) \
  case MPI_MAX: LOOP(type, a[i] > b[i] ? a[i] : b[i]) return 1; \
  case MPI_MIN: LOOP(type, a[i] < b[i] ? a[i] : b[i]) return 1;
#define RING(type) \
  case MPI_SUM: LOOP(type, a[i] + b[i]) return 1; \
  case MPI_PROD: LOOP(type, a[i] * b[i]) return 1;
#define LOGICAL(type) \
  case MPI_LAND: LOOP(type, a[i] && b[i]) return 1; \
  case MPI_LOR: LOOP(type, a[i] || b[i]) return 1; \
  case MPI_LXOR: LOOP(type, !a[i] != !b[i]) return 1;
#define BITS(type) \
  case MPI_BAND: LOOP(type, a[i] & b[i]) return 1; \
  case MPI_BOR: LOOP(type, a[i] | b[i]) return 1; \
  case MPI_BXOR: LOOP(type, a[i] ^ b[i]) return 1;
#define PLACE(type) \
  case MPI_REPLACE: LOOP(type, a[i]) return 1; \
  case MPI_NO_OP: return 1;

/* Each function tells whether the operation is defined. */
#define KERNEL(name, type, ...) \
  static int name(MPI_Op op, const void *in, void *inout, int64_t n) { \
    switch (op) { __VA_ARGS__ PLACE(type) } \
    return 0; \
  }
#define INTEGER(name, type) KERNEL(name, type, ORDERED(type) RING(type) LOGICAL(type) BITS(type))
#define REAL(name, type) KERNEL(name, type, ORDERED(type) RING(type) LOGICAL(type))
#define COMPLEX(name, type) KERNEL(name, type, RING(type))
#define PAIR(name, first) \
  typedef struct { first x; int k; } name##_t; \
  static int name(MPI_Op op, const void *in, void *inout, int64_t n) { \
    const name##_t *a = in; \
    name##_t *b = inout; \
    switch (op) { \
      case MPI_MAXLOC: \
        for (int64_t i = 0; i < n; i++) \
          if (a[i].x > b[i].x || (a[i].x == b[i].x && a[i].k < b[i].k)) b[i] = a[i]; \
        return 1; \
      case MPI_MINLOC: \
        for (int64_t i = 0; i < n; i++) \
          if (a[i].x < b[i].x || (a[i].x == b[i].x && a[i].k < b[i].k)) b[i] = a[i]; \
        return 1; \
        PLACE(name##_t) \
    } \
    return 0; \
  }

INTEGER(int8, int8_t)
INTEGER(int16, int16_t)
INTEGER(int32, int32_t)
INTEGER(int64, int64_t)
INTEGER(uint8, uint8_t)
INTEGER(uint16, uint16_t)
INTEGER(uint32, uint32_t)
INTEGER(uint64, uint64_t)
REAL(real4, float)
REAL(real8, double)
REAL(real10, long double)
REAL(real16, _Float128)
COMPLEX(complex8, float complex)
COMPLEX(complex16, double complex)
COMPLEX(complex20, long double complex)
COMPLEX(complex32, _Complex _Float128)
KERNEL(truth, _Bool, LOGICAL(_Bool))
KERNEL(logical, int, LOGICAL(int))
KERNEL(byte, uint8_t, BITS(uint8_t))
PAIR(float_int, float)
PAIR(double_int, double)
PAIR(long_int, long)
PAIR(short_int, short)
PAIR(int_int, int)
PAIR(long_double_int, long double)
#define SAME_PAIR(name, type) \
  typedef struct { type x, k; } name##_t; \
  static int name(MPI_Op op, const void *in, void *inout, int64_t n) { \
    const name##_t *a = in; \
    name##_t *b = inout; \
    int greater = op == MPI_MAXLOC; \
    if (op != MPI_MAXLOC && op != MPI_MINLOC) return 0; \
    for (int64_t i = 0; i < n; i++) \
      if ((greater ? a[i].x > b[i].x : a[i].x < b[i].x) || (a[i].x == b[i].x && a[i].k < b[i].k)) b[i] = a[i]; \
    return 1; \
  }
SAME_PAIR(two_real, float)
SAME_PAIR(two_double, double)

#define AT(type) [(type)&0xff]
static int (*const kernels[FC_BASICS])(MPI_Op, const void *, void *, int64_t) = {
    AT(MPI_CHAR) = int8, AT(MPI_SIGNED_CHAR) = int8, AT(MPI_UNSIGNED_CHAR) = uint8, AT(MPI_BYTE) = byte, AT(MPI_WCHAR) = int32, AT(MPI_SHORT) = int16,
    AT(MPI_UNSIGNED_SHORT) = uint16, AT(MPI_INT) = int32, AT(MPI_UNSIGNED) = uint32, AT(MPI_LONG) = int64, AT(MPI_UNSIGNED_LONG) = uint64,
    AT(MPI_LONG_LONG_INT) = int64, AT(MPI_LONG_LONG) = int64, AT(MPI_UNSIGNED_LONG_LONG) = uint64, AT(MPI_FLOAT) = real4, AT(MPI_DOUBLE) = real8, AT(MPI_LONG_DOUBLE) = real10,
    AT(MPI_PACKED) = byte, AT(MPI_INT8_T) = int8, AT(MPI_INT16_T) = int16, AT(MPI_INT32_T) = int32, AT(MPI_INT64_T) = int64, AT(MPI_UINT8_T) = uint8,
    AT(MPI_UINT16_T) = uint16, AT(MPI_UINT32_T) = uint32, AT(MPI_UINT64_T) = uint64, AT(MPI_C_BOOL) = truth, AT(MPI_C_COMPLEX) = complex8, AT(MPI_C_FLOAT_COMPLEX) = complex8,
    AT(MPI_C_DOUBLE_COMPLEX) = complex16, AT(MPI_C_LONG_DOUBLE_COMPLEX) = complex20, AT(MPI_AINT) = int64, AT(MPI_OFFSET) = int64, AT(MPI_COUNT) = int64,
    AT(MPI_FLOAT_INT) = float_int, AT(MPI_DOUBLE_INT) = double_int, AT(MPI_LONG_INT) = long_int, AT(MPI_SHORT_INT) = short_int, AT(MPI_2INT) = int_int,
    AT(MPI_LONG_DOUBLE_INT) = long_double_int, AT(MPI_CHARACTER) = int8, AT(MPI_LOGICAL) = logical, AT(MPI_INTEGER) = int32, AT(MPI_INTEGER1) = int8,
    AT(MPI_INTEGER2) = int16, AT(MPI_INTEGER4) = int32, AT(MPI_INTEGER8) = int64, AT(MPI_REAL) = real4, AT(MPI_REAL4) = real4, AT(MPI_REAL8) = real8,
    AT(MPI_REAL16) = real16, AT(MPI_DOUBLE_PRECISION) = real8, AT(MPI_COMPLEX) = complex8, AT(MPI_COMPLEX8) = complex8, AT(MPI_COMPLEX16) = complex16,
    AT(MPI_COMPLEX32) = complex32, AT(MPI_DOUBLE_COMPLEX) = complex16, AT(MPI_2INTEGER) = int_int, AT(MPI_2REAL) = two_real,
    AT(MPI_2DOUBLE_PRECISION) = two_double, AT(MPI_CXX_BOOL) = truth, AT(MPI_CXX_FLOAT_COMPLEX) = complex8, AT(MPI_CXX_DOUBLE_COMPLEX) = complex16,
    AT(MPI_CXX_LONG_DOUBLE_COMPLEX) = complex20,
};

static const char *const names[] = {"null", "MPI_MAX", "MPI_MIN", "MPI_SUM", "MPI_PROD", "MPI_LAND", "MPI_BAND", "MPI_LOR", "MPI_BOR", "MPI_LXOR",
                                    "MPI_BXOR", "MPI_MINLOC", "MPI_MAXLOC", "MPI_REPLACE", "MPI_NO_OP"};

/* fc_op_name is what an operation is called in messages. */
const char *fc_op_name(MPI_Op op) { return op > MPI_OP_NULL && op <= MPI_NO_OP ? names[op & 0xff] : "an operation of its own"; }

static fc_operation *own(fc_rank *r, MPI_Op op) { return fc_table_get(&r->mpi->operations, op, MPI_OP_NULL); }

/* fc_op_check tells whether an operation can be applied to a type. */
int fc_op_check(fc_rank *r, MPI_Op op, fc_type *t) {
  if (own(r, op)) return MPI_SUCCESS;
  REQUIRE(op > MPI_OP_NULL && op <= MPI_NO_OP, MPI_COMM_WORLD, MPI_ERR_OP, "%s", fc_bad_handle(op, MPI_OP_NULL, "operation"));
  REQUIRE(op != MPI_REPLACE && op != MPI_NO_OP, MPI_COMM_WORLD, MPI_ERR_OP, "%s is for windows alone", names[op & 0xff]);
  /* A derived type of one elementary type counts as many of these. */
  int basic = t->basic ? t->basic : t->elementary;
  REQUIRE(basic && kernels[basic] && kernels[basic](op, 0, 0, 0), MPI_COMM_WORLD, MPI_ERR_OP, "%s is not defined for %s", names[op & 0xff],
          t->name ? t->name : "a derived datatype");
  return MPI_SUCCESS;
}

/* fc_op_defined tells whether a predefined operation is defined for a predefined type. */
int fc_op_defined(MPI_Op op, int basic) { return kernels[basic] && kernels[basic](op, 0, 0, 0); }

/* fc_op_use counts who needs an operation of the program; it is gone with the last. */
void fc_op_use(fc_rank *r, MPI_Op op, int by) {
  fc_operation *o = own(r, op);
  if (!o || (o->users += by) > 0) return;
  fc_table_drop(&r->mpi->operations, op - MPI_OP_NULL);
  free(o);
}

int fc_op_commutes(fc_rank *r, MPI_Op op) {
  fc_operation *o = own(r, op);
  return o ? o->commutes : 1;
}

/* fc_combine sets inout to in op inout. */
void fc_combine(fc_rank *r, MPI_Op op, MPI_Datatype type, void *in, void *inout, int64_t count) {
  fc_operation *o = own(r, op);
  if (o) {
    int n = count;
    int64_t lb = fc_type_of(r, type)->lb;
    o->function((char *)in - lb, (char *)inout - lb, &n, &type);
    return;
  }
  fc_type *t = fc_type_of(r, type);
  int basic = t->basic ? t->basic : t->elementary;
  if (kernels[basic]) kernels[basic](op, in, inout, count);
}

int MPI_Op_create(MPI_User_function *function, int commute, MPI_Op *op) {
  ENTER(MPI_Op_create);
  TOLD(op);
  REQUIRE(function, MPI_COMM_WORLD, MPI_ERR_ARG, "the function is null");
  fc_operation *o = calloc(1, sizeof *o);
  o->function = function, o->commutes = commute != 0, o->users = 1;
  *op = MPI_OP_NULL + fc_table_add(&r->mpi->operations, o);
  return MPI_SUCCESS;
}
int MPI_Op_free(MPI_Op *op) {
  ENTER(MPI_Op_free);
  TOLD(op);
  fc_operation *o = own(r, *op);
  REQUIRE(o, MPI_COMM_WORLD, MPI_ERR_OP, "expected an operation that the program has made");
  fc_op_use(r, *op, -1);
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}
int MPI_Op_commutative(MPI_Op op, int *commute) {
  ENTER(MPI_Op_commutative);
  TOLD(commute);
  REQUIRE(own(r, op) || (op > MPI_OP_NULL && op <= MPI_NO_OP), MPI_COMM_WORLD, MPI_ERR_OP, "%s", fc_bad_handle(op, MPI_OP_NULL, "operation"));
  *commute = fc_op_commutes(r, op);
  return MPI_SUCCESS;
}
int MPI_Reduce_local(const void *inbuf, void *inoutbuf, int count, MPI_Datatype type, MPI_Op op) {
  ENTER(MPI_Reduce_local);
  TYPE(t, type);
  REQUIRE(count >= 0, MPI_COMM_WORLD, MPI_ERR_COUNT, "found a count of %d", count);
  REQUIRE(!count || (inbuf != inoutbuf && inbuf != MPI_IN_PLACE && inoutbuf != MPI_IN_PLACE), MPI_COMM_WORLD, MPI_ERR_BUFFER, "expected two places in memory");
  int code = fc_op_check(r, op, t);
  if (!code && count > 0) fc_combine(r, op, type, (void *)inbuf, inoutbuf, count);
  return code;
}

/* What fc_combine is called with on the rank's stack. */
struct combination {
  fc_rank *r;
  MPI_Op op;
  MPI_Datatype type;
  void *in, *inout;
  int64_t count;
};

static void combine_there(void *argument) {
  struct combination *c = argument;
  fc_combine(c->r, c->op, c->type, c->in, c->inout, c->count);
}

/* fc_combine_as is fc_combine for whoever is not on the rank's stack. It returns 0 if all went well, 1 if the program's own function did not
 * come to its end, and otherwise the address at which memory was missing. */
uintptr_t fc_combine_as(fc_rank *r, MPI_Op op, MPI_Datatype type, void *in, void *inout, int64_t count) {
  struct combination c = {r, op, type, in, inout, count};
  if (own(r, op)) return !fc_do(r, combine_there, &c);
  return fc_guarded(combine_there, &c);
}

/* Combines packed pairs with those in memory of a type made of them, element by element. */
static void scatter_pairs(MPI_Op op, const fc_type *t, const char *data, char *memory, int64_t bytes) {
  const fc_type *pair = fc_type_of(0, MPI_DATATYPE_NULL | t->pairs);
  char *there = malloc(t->size);
  for (const char *end = data + bytes; data < end; memory += fc_extent(t)) {
    fc_pack(t, 1, memory, there);
    for (int64_t at = 0; at < t->size; at += pair->size, data += pair->size) {
      _Alignas(16) char mine[64], theirs[64];
      fc_unpack(pair, 1, data, pair->size, mine), fc_unpack(pair, 1, there + at, pair->size, theirs);
      kernels[t->pairs](op, mine, theirs, 1);
      fc_pack(pair, 1, theirs, there + at);
    }
    fc_unpack(t, 1, there, t->size, memory);
  }
  free(there);
}

/* What the functions below are called with. */
struct exchange {
  MPI_Op op;
  const void *layout;
  char *data, *memory;
  int64_t bytes;
};

static void scatter(MPI_Op op, const void *layout, char *data, char *memory, int64_t bytes) {
  const fc_type *t = layout;
  char *p = memory - t->true_lb;
  if (t->pairs && (op == MPI_MINLOC || op == MPI_MAXLOC)) {
    scatter_pairs(op, t, data, p, bytes);
    return;
  }
  for (char *end = data + bytes; data < end; p += fc_extent(t))
    for (int64_t k = 0; k < t->nblocks; k++) {
      fc_block *b = &t->blocks[k];
      for (int64_t i = 0; i <= b->more; i++, data += b->length)
        kernels[b->basic](op, data, p + b->offset + i * b->stride, b->length / fc_basic_size(b->basic));
    }
}

static void scatter_there(void *argument) {
  struct exchange *x = argument;
  scatter(x->op, x->layout, x->data, x->memory, x->bytes);
}

static void gather_there(void *argument) {
  struct exchange *x = argument;
  const fc_type *t = x->layout;
  fc_pack(t, x->bytes / t->size, x->memory - t->true_lb, x->data);
}

static void combine_basic_there(void *argument) {
  struct exchange *x = argument;
  const fc_type *t = x->layout;
  kernels[t->basic](x->op, x->data, x->memory, x->bytes / fc_extent(t));
}

/* fc_scatter combines packed data with memory of a type with gaps, which begins with its first byte. Like the others it returns the address at
 * which memory was missing, or 0. */
uintptr_t fc_scatter(MPI_Op op, const void *layout, char *data, char *memory, int64_t bytes) {
  return fc_guarded(scatter_there, &(struct exchange){op, layout, data, memory, bytes});
}

/* fc_gather packs what is in such memory. */
uintptr_t fc_gather(const void *layout, char *data, const char *memory, int64_t bytes) {
  return fc_guarded(gather_there, &(struct exchange){0, layout, data, (char *)memory, bytes});
}

/* fc_layout_bytes tells a type as it lies in memory, without what belongs to a rank, and how many bytes that are. */
size_t fc_layout_bytes(const void *layout, char *bytes) {
  const fc_type *t = layout;
  size_t n = t->nblocks * sizeof *t->blocks;
  if (!bytes) return sizeof *t + n;
  fc_type bare = {.basic = t->basic, .size = t->size, .lb = t->lb, .ub = t->ub, .true_lb = t->true_lb, .true_ub = t->true_ub,
                  .align = t->align, .contiguous = t->contiguous, .committed = 1, .users = 1, .pairs = t->pairs, .nblocks = t->nblocks};
  memcpy(bytes, &bare, sizeof bare);
  memcpy(bytes + sizeof bare, t->blocks, n);
  return sizeof *t + n;
}

/* fc_layout_copied makes a type of that, which is never freed. */
void *fc_layout_copied(const char *bytes) {
  fc_type *t = memcpy(malloc(sizeof *t), bytes, sizeof *t);
  t->blocks = memcpy(malloc(t->nblocks * sizeof *t->blocks + 1), bytes + sizeof *t, t->nblocks * sizeof *t->blocks);
  return t;
}

/* fc_combine_basic is for predefined operations and types, which belong to no rank. */
uintptr_t fc_combine_basic(MPI_Op op, MPI_Datatype type, void *in, void *inout, int64_t bytes) {
  return fc_guarded(combine_basic_there, &(struct exchange){op, fc_type_of(0, type), in, inout, bytes});
}
