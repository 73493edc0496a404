//go:build linux && (amd64 || arm64)

/* Datatypes: what they are made of, packing and unpacking. */
#pragma GCC optimize("O2") /* on the way of every message; see host.go */
#include <complex.h>
#include <stdio.h>
#include <wchar.h>

#include "section.h"
#include "state.h"

/* Predefined types: name, C type. */
#define SIMPLE(X) \
  X(MPI_CHAR, char) X(MPI_SIGNED_CHAR, signed char) X(MPI_UNSIGNED_CHAR, unsigned char) X(MPI_BYTE, unsigned char) \
  X(MPI_WCHAR, wchar_t) X(MPI_SHORT, short) X(MPI_UNSIGNED_SHORT, unsigned short) X(MPI_INT, int) X(MPI_UNSIGNED, unsigned) \
  X(MPI_LONG, long) X(MPI_UNSIGNED_LONG, unsigned long) X(MPI_LONG_LONG_INT, long long) X(MPI_LONG_LONG, long long) X(MPI_UNSIGNED_LONG_LONG, unsigned long long) \
  X(MPI_FLOAT, float) X(MPI_DOUBLE, double) X(MPI_LONG_DOUBLE, long double) X(MPI_PACKED, unsigned char) X(MPI_INT8_T, int8_t) \
  X(MPI_INT16_T, int16_t) X(MPI_INT32_T, int32_t) X(MPI_INT64_T, int64_t) X(MPI_UINT8_T, uint8_t) X(MPI_UINT16_T, uint16_t) \
  X(MPI_UINT32_T, uint32_t) X(MPI_UINT64_T, uint64_t) X(MPI_C_BOOL, _Bool) X(MPI_C_COMPLEX, float complex) X(MPI_C_FLOAT_COMPLEX, float complex) \
  X(MPI_C_DOUBLE_COMPLEX, double complex) X(MPI_C_LONG_DOUBLE_COMPLEX, long double complex) X(MPI_AINT, MPI_Aint) \
  X(MPI_OFFSET, MPI_Offset) X(MPI_COUNT, MPI_Count) X(MPI_CHARACTER, char) X(MPI_LOGICAL, int) X(MPI_INTEGER, int) \
  X(MPI_INTEGER1, int8_t) X(MPI_INTEGER2, int16_t) X(MPI_INTEGER4, int32_t) X(MPI_INTEGER8, int64_t) X(MPI_REAL, float) \
  X(MPI_REAL4, float) X(MPI_REAL8, double) X(MPI_REAL16, _Float128) X(MPI_DOUBLE_PRECISION, double) X(MPI_COMPLEX, float complex) \
  X(MPI_COMPLEX8, float complex) X(MPI_COMPLEX16, double complex) X(MPI_COMPLEX32, _Complex _Float128) X(MPI_DOUBLE_COMPLEX, double complex) \
  X(MPI_CXX_BOOL, _Bool) X(MPI_CXX_FLOAT_COMPLEX, float complex) X(MPI_CXX_DOUBLE_COMPLEX, double complex) \
  X(MPI_CXX_LONG_DOUBLE_COMPLEX, long double complex)
#define PAIRS(X) \
  X(MPI_FLOAT_INT, float, MPI_FLOAT, int, MPI_INT) X(MPI_DOUBLE_INT, double, MPI_DOUBLE, int, MPI_INT) X(MPI_LONG_INT, long, MPI_LONG, int, MPI_INT) \
  X(MPI_SHORT_INT, short, MPI_SHORT, int, MPI_INT) X(MPI_2INT, int, MPI_INT, int, MPI_INT) X(MPI_LONG_DOUBLE_INT, long double, MPI_LONG_DOUBLE, int, MPI_INT) \
  X(MPI_2INTEGER, int, MPI_INTEGER, int, MPI_INTEGER) X(MPI_2REAL, float, MPI_REAL, float, MPI_REAL) \
  X(MPI_2DOUBLE_PRECISION, double, MPI_DOUBLE_PRECISION, double, MPI_DOUBLE_PRECISION)

#define INDEX(handle) ((handle)&0xff)
#define BLOCK(name, type) static fc_block name##_blocks[] = {{0, sizeof(type), INDEX(name)}};
SIMPLE(BLOCK)
#define PAIR_BLOCKS(name, a, A, b, B) \
  typedef struct { a x; b y; } name##_pair; \
  static fc_block name##_blocks[] = {{0, sizeof(a), INDEX(A)}, {offsetof(name##_pair, y), sizeof(b), INDEX(B)}};
PAIRS(PAIR_BLOCKS)

/* What the bytes of a C type are. */
#define LONG_REAL (__LDBL_MANT_DIG__ == 113 ? FC_REAL16 : FC_REAL10)
#define KIND(type) \
  _Generic((type){0}, char: FC_INT1, signed char: FC_INT1, unsigned char: FC_INT1, _Bool: FC_INT1, short: FC_INT2, unsigned short: FC_INT2, int: FC_INT4, \
           unsigned: FC_INT4, long: FC_INT8, unsigned long: FC_INT8, long long: FC_INT8, unsigned long long: FC_INT8, float: FC_REAL4, double: FC_REAL8, \
           long double: LONG_REAL, _Float128: FC_REAL16, float complex: FC_REAL4, double complex: FC_REAL8, long double complex: LONG_REAL, \
           _Complex _Float128: FC_REAL16)

#define ENTRY(n, type) \
  [INDEX(n)] = {.signature = (n) == MPI_BYTE || (n) == MPI_PACKED ? FC_ANYTHING : KIND(type), .handle = n, .basic = INDEX(n), .size = sizeof(type), .ub = sizeof(type), .true_ub = sizeof(type), .align = _Alignof(type), \
                .contiguous = 1, .committed = 1, .nblocks = 1, .blocks = n##_blocks, .combiner = MPI_COMBINER_NAMED, .name = #n},
#define PAIR_ENTRY(n, a, A, b, B) \
  [INDEX(n)] = {.pairs = INDEX(n), .handle = n, .basic = INDEX(n), .size = sizeof(a) + sizeof(b), .ub = sizeof(n##_pair), \
                .true_ub = offsetof(n##_pair, y) + sizeof(b), .align = _Alignof(n##_pair), .contiguous = sizeof(n##_pair) == sizeof(a) + sizeof(b), \
                .committed = 1, .nblocks = 2, .blocks = n##_blocks, .combiner = MPI_COMBINER_NAMED, .name = #n},
static fc_type predefined[FC_BASICS] = {SIMPLE(ENTRY) PAIRS(PAIR_ENTRY)[INDEX(MPI_LB)] = {.handle = MPI_LB, .basic = INDEX(MPI_LB), .align = 1, .committed = 1,
                                                                                     .combiner = MPI_COMBINER_NAMED, .name = "MPI_LB", .explicit_lb = 1},
                                   [INDEX(MPI_UB)] = {.handle = MPI_UB, .basic = INDEX(MPI_UB), .align = 1, .committed = 1, .combiner = MPI_COMBINER_NAMED,
                                                      .name = "MPI_UB", .explicit_ub = 1}};

/* Derived types have indices from here on. */
#define DERIVED 0x100

fc_type *fc_type_of(fc_rank *r, MPI_Datatype type) {
  unsigned i = (unsigned)type - MPI_DATATYPE_NULL;
  if (i < FC_BASICS) return predefined[i].handle ? &predefined[i] : 0;
  if (i < DERIVED) return 0;
  return fc_table_get(&r->mpi->types, type, MPI_DATATYPE_NULL + DERIVED);
}

fc_basics *fc_basics_of(fc_rank *r) {
  if (!r->mpi->basics) r->mpi->basics = calloc(1, sizeof *r->mpi->basics);
  return r->mpi->basics;
}

int64_t fc_basic_size(int basic) { return predefined[basic].size; }
int fc_basic_signature(int basic) { return predefined[basic].signature; }
const char *fc_basic_name(int basic) { return predefined[basic].name; }
int64_t fc_extent(const fc_type *t) { return t->ub - t->lb; }
const char *fc_type_name(const fc_type *t) { return t->name ? t->name : ""; }

/* --- Packing --- */

void fc_pack(const fc_type *t, int64_t count, const void *from, void *to) {
  if (!t->size) return;
  const char *base = from;
  char *p = to;
  if (t->contiguous) {
    memcpy(p, base + t->true_lb, t->size * count);
    return;
  }
  int64_t extent = fc_extent(t);
  for (int64_t i = 0; i < count; i++, base += extent)
    for (const fc_block *b = t->blocks, *end = b + t->nblocks; b < end; b++) {
      const char *run = base + b->offset;
      for (int64_t k = 0; k <= b->more; k++, run += b->stride, p += b->length) memcpy(p, run, b->length);
    }
}

void fc_unpack(const fc_type *t, int64_t count, const void *from, int64_t bytes, void *to) {
  char *base = to;
  const char *p = from;
  if (!t->size) return;
  if (bytes > t->size * count) bytes = t->size * count;
  if (t->contiguous) {
    memcpy(base + t->true_lb, p, bytes);
    return;
  }
  int64_t extent = fc_extent(t);
  for (int64_t i = 0; i < count && bytes > 0; i++, base += extent)
    for (const fc_block *b = t->blocks, *end = b + t->nblocks; b < end && bytes > 0; b++) {
      char *run = base + b->offset;
      for (int64_t k = 0; k <= b->more && bytes > 0; k++, run += b->stride) {
        int64_t n = b->length < bytes ? b->length : bytes;
        memcpy(run, p, n);
        p += n, bytes -= n;
      }
    }
}

/* --- Making types --- */

typedef struct {
  fc_type *t;
  int64_t room;
  int bounded; /* lb and ub have a value */
} builder;

static builder begin(fc_rank *r, int combiner) {
  builder b = {calloc(1, sizeof(fc_type)), 0, 0};
  b.t->combiner = combiner, b.t->align = 1, b.t->users = 1;
  return b;
}

/* Notes that a type has a run of bytes. */
static void cover(fc_type *t, int64_t offset, int64_t length) {
  if (!t->size || offset < t->true_lb) t->true_lb = offset;
  if (!t->size || offset + length > t->true_ub) t->true_ub = offset + length;
  t->size += length;
}

static void new_block(builder *b, int64_t offset, int64_t length, int basic) {
  fc_type *t = b->t;
  if (t->nblocks == b->room) {
    b->room = b->room ? 2 * b->room : 4;
    t->blocks = realloc(t->blocks, b->room * sizeof *t->blocks);
  }
  t->blocks[t->nblocks++] = (fc_block){offset, length, basic};
}

static int64_t last_run(const fc_block *b) { return b->offset + b->more * b->stride; }

/* Adds a run: to the one before, if it follows it at once, or to those before, if it is as far from them as they are from one another. */
static void append(builder *b, int64_t offset, int64_t length, int basic) {
  fc_type *t = b->t;
  if (!length) return;
  cover(t, offset, length);
  fc_block *last = t->nblocks ? &t->blocks[t->nblocks - 1] : 0;
  if (!last || last->basic != basic) {
    new_block(b, offset, length, basic);
    return;
  }
  int64_t before = last_run(last);
  if (before + last->length == offset) {
    if (!last->more) {
      last->length += length;
      return;
    }
    int64_t both = last->length + length;
    last->more--;
    new_block(b, before, both, basic);
  } else if (last->length == length && (!last->more || offset - before == last->stride)) {
    last->stride = offset - before;
    last->more++;
  } else {
    new_block(b, offset, length, basic);
  }
}

/* Adds as many runs behind the last two, if these are as far from one another. */
static int append_more(builder *b, int64_t n, int64_t stride) {
  fc_type *t = b->t;
  fc_block *last = &t->blocks[t->nblocks - 1];
  if (!last->more || last->stride != stride) return 0;
  last->more += n;
  int64_t size = t->size + n * last->length;
  cover(t, last_run(last), last->length);
  t->size = size;
  return 1;
}

static void append_block(builder *b, int64_t at, const fc_block *o) {
  at += o->offset;
  for (int64_t i = 0; i <= o->more; i++, at += o->stride) {
    append(b, at, o->length, o->basic);
    if (i && last_run(&b->t->blocks[b->t->nblocks - 1]) == at && append_more(b, o->more - i, o->stride)) return;
  }
}

static void bound(builder *b, const fc_type *o, int64_t at, int64_t count) {
  fc_type *t = b->t;
  if (o->align > t->align) t->align = o->align;
  int64_t extent = fc_extent(o), first = at, last = at + (count - 1) * extent;
  if (first > last) {
    int64_t swap = first;
    first = last, last = swap;
  }
  if (o->explicit_lb && (!t->explicit_lb || first + o->lb < t->lb)) t->lb = first + o->lb, t->explicit_lb = 1;
  if (o->explicit_ub && (!t->explicit_ub || last + o->ub > t->ub)) t->ub = last + o->ub, t->explicit_ub = 1;
  if (!o->nblocks && !o->size && (o->explicit_lb || o->explicit_ub) && !(o->explicit_lb && o->explicit_ub)) return; /* a marker */
  if (!t->explicit_lb && (!b->bounded || first + o->lb < t->lb)) t->lb = first + o->lb;
  if (!t->explicit_ub && (!b->bounded || last + o->ub > t->ub)) t->ub = last + o->ub;
  b->bounded = 1;
}

/* Puts count elements of a type at a place. */
static void place(builder *b, const fc_type *o, int64_t at, int64_t count) {
  if (count <= 0) return;
  int64_t more, all;
  if (__builtin_mul_overflow(o->size, count, &more) || __builtin_add_overflow(b->t->size, more, &all))
    fc_fail(fc_current(), "found %lld elements of %lld bytes each, expected what a datatype can hold", (long long)count, (long long)o->size);
  bound(b, o, at, count);
  if (o->size) b->t->pairs = !b->t->size || b->t->pairs == o->pairs ? o->pairs : 0;
  if (o->contiguous && o->nblocks == 1) {
    append(b, at + o->blocks->offset, o->size * count, o->blocks->basic);
    return;
  }
  int64_t extent = fc_extent(o);
  for (int64_t i = 0; i < count; i++, at += extent)
    for (int64_t k = 0; k < o->nblocks; k++) append_block(b, at, &o->blocks[k]);
}

static void judge(fc_type *t) {
  t->contiguous = t->nblocks == 0 || (t->size == fc_extent(t) && !t->blocks->more);
  for (int64_t i = 0; i + 1 < t->nblocks && t->contiguous; i++)
    if (t->blocks[i + 1].more || t->blocks[i].offset + t->blocks[i].length != t->blocks[i + 1].offset) t->contiguous = 0;
}

static int *ints(const int *from, int n, int *to, int *at) {
  for (int i = 0; i < n; i++) to[(*at)++] = from[i];
  return to;
}

/* Finishes a type: integers, addresses and types are what it was made of. */
static int end(fc_rank *r, builder *b, int ni, int *integers, int na, const MPI_Aint *addresses, int nt, const MPI_Datatype *types, MPI_Datatype *newtype) {
  fc_type *t = b->t;
  judge(t);
  t->nintegers = ni, t->integers = integers;
  t->naddresses = na, t->addresses = na ? memcpy(malloc(na * sizeof(MPI_Aint)), addresses, na * sizeof(MPI_Aint)) : 0;
  t->ntypes = nt, t->types = nt ? memcpy(malloc(nt * sizeof(MPI_Datatype)), types, nt * sizeof(MPI_Datatype)) : 0;
  for (int i = 0; i < nt; i++) fc_type_use(r, fc_type_of(r, types[i]), 1);
  t->handle = *newtype = MPI_DATATYPE_NULL + DERIVED + fc_table_add(&r->mpi->types, t);
  return MPI_SUCCESS;
}

/* A list of integers: up to three, and up to two arrays. */
static int *list(int n1, int n2, int n3, int count, const int *a, int na, const int *c, int nc) {
  int first[3] = {n1, n2, n3}, at = 0;
  int *l = malloc((count + na + nc + 1) * sizeof *l);
  ints(first, count, l, &at);
  ints(a, na, l, &at);
  return ints(c, nc, l, &at);
}

#define COUNT(n) REQUIRE((n) >= 0, MPI_COMM_WORLD, MPI_ERR_COUNT, "found a count of %d", (int)(n))
#define LENGTHS(count, lengths) \
  for (int i = 0; i < (count); i++) REQUIRE((lengths)[i] >= 0, MPI_COMM_WORLD, MPI_ERR_COUNT, "found a block of %d elements", (lengths)[i])
#define OLD TYPE(o, oldtype)

int MPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype *newtype) {
  ENTER(MPI_Type_contiguous);
  TOLD(newtype);
  OLD;
  COUNT(count);
  builder b = begin(r, MPI_COMBINER_CONTIGUOUS);
  place(&b, o, 0, count);
  return end(r, &b, 1, list(count, 0, 0, 1, 0, 0, 0, 0), 0, 0, 1, &oldtype, newtype);
}

static builder vector(fc_rank *r, int combiner, int count, int length, int64_t stride, fc_type *o) {
  builder b = begin(r, combiner);
  for (int64_t i = 0; i < count; i++) {
    place(&b, o, i * stride, length);
    if (i == 1 && b.t->nblocks == 1 && b.t->blocks->more == 1 && append_more(&b, count - 2, stride)) {
      bound(&b, o, (count - 1) * stride, length);
      break;
    }
  }
  return b;
}

int MPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype *newtype) {
  ENTER(MPI_Type_vector);
  TOLD(newtype);
  OLD;
  COUNT(count);
  COUNT(blocklength);
  builder b = vector(r, MPI_COMBINER_VECTOR, count, blocklength, stride * fc_extent(o), o);
  return end(r, &b, 3, list(count, blocklength, stride, 3, 0, 0, 0, 0), 0, 0, 1, &oldtype, newtype);
}

int MPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype *newtype) {
  ENTER(MPI_Type_create_hvector);
  TOLD(newtype);
  OLD;
  COUNT(count);
  COUNT(blocklength);
  builder b = vector(r, MPI_COMBINER_HVECTOR, count, blocklength, stride, o);
  return end(r, &b, 2, list(count, blocklength, 0, 2, 0, 0, 0, 0), 1, &stride, 1, &oldtype, newtype);
}
int MPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype *newtype) {
  return MPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype);
}

int MPI_Type_indexed(int count, const int *lengths, const int *displacements, MPI_Datatype oldtype, MPI_Datatype *newtype) {
  ENTER(MPI_Type_indexed);
  TOLD(newtype);
  OLD;
  COUNT(count);
  LENGTHS(count, lengths);
  builder b = begin(r, MPI_COMBINER_INDEXED);
  for (int i = 0; i < count; i++) place(&b, o, displacements[i] * fc_extent(o), lengths[i]);
  return end(r, &b, 1 + 2 * count, list(count, 0, 0, 1, lengths, count, displacements, count), 0, 0, 1, &oldtype, newtype);
}

int MPI_Type_create_hindexed(int count, const int *lengths, const MPI_Aint *displacements, MPI_Datatype oldtype, MPI_Datatype *newtype) {
  ENTER(MPI_Type_create_hindexed);
  TOLD(newtype);
  OLD;
  COUNT(count);
  LENGTHS(count, lengths);
  builder b = begin(r, MPI_COMBINER_HINDEXED);
  for (int i = 0; i < count; i++) place(&b, o, displacements[i], lengths[i]);
  return end(r, &b, 1 + count, list(count, 0, 0, 1, lengths, count, 0, 0), count, displacements, 1, &oldtype, newtype);
}
int MPI_Type_hindexed(int count, int *lengths, MPI_Aint *displacements, MPI_Datatype oldtype, MPI_Datatype *newtype) {
  return MPI_Type_create_hindexed(count, lengths, displacements, oldtype, newtype);
}

int MPI_Type_create_indexed_block(int count, int length, const int *displacements, MPI_Datatype oldtype, MPI_Datatype *newtype) {
  ENTER(MPI_Type_create_indexed_block);
  TOLD(newtype);
  OLD;
  COUNT(count);
  COUNT(length);
  builder b = begin(r, MPI_COMBINER_INDEXED_BLOCK);
  for (int i = 0; i < count; i++) place(&b, o, displacements[i] * fc_extent(o), length);
  return end(r, &b, 2 + count, list(count, length, 0, 2, displacements, count, 0, 0), 0, 0, 1, &oldtype, newtype);
}

int MPI_Type_create_hindexed_block(int count, int length, const MPI_Aint *displacements, MPI_Datatype oldtype, MPI_Datatype *newtype) {
  ENTER(MPI_Type_create_hindexed_block);
  TOLD(newtype);
  OLD;
  COUNT(count);
  COUNT(length);
  builder b = begin(r, MPI_COMBINER_HINDEXED_BLOCK);
  for (int i = 0; i < count; i++) place(&b, o, displacements[i], length);
  return end(r, &b, 2, list(count, length, 0, 2, 0, 0, 0, 0), count, displacements, 1, &oldtype, newtype);
}

int MPI_Type_create_struct(int count, const int *lengths, const MPI_Aint *displacements, const MPI_Datatype *types, MPI_Datatype *newtype) {
  ENTER(MPI_Type_create_struct);
  TOLD(newtype);
  COUNT(count);
  LENGTHS(count, lengths);
  builder b = begin(r, MPI_COMBINER_STRUCT);
  for (int i = 0; i < count; i++) {
    TYPE(o, types[i]);
    place(&b, o, displacements[i], lengths[i]);
  }
  fc_type *t = b.t;
  int64_t rest = t->align > 1 ? fc_extent(t) % t->align : 0;
  if (rest && !t->explicit_lb && !t->explicit_ub) t->ub += t->align - rest;
  return end(r, &b, 1 + count, list(count, 0, 0, 1, lengths, count, 0, 0), count, displacements, count, types, newtype);
}
int MPI_Type_struct(int count, int *lengths, MPI_Aint *displacements, MPI_Datatype *types, MPI_Datatype *newtype) {
  return MPI_Type_create_struct(count, lengths, displacements, types, newtype);
}

int MPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *newtype) {
  ENTER(MPI_Type_create_resized);
  TOLD(newtype);
  OLD;
  builder b = begin(r, MPI_COMBINER_RESIZED);
  place(&b, o, 0, 1);
  b.t->lb = lb, b.t->ub = lb + extent, b.t->explicit_lb = b.t->explicit_ub = 1;
  MPI_Aint addresses[2] = {lb, extent};
  return end(r, &b, 0, 0, 2, addresses, 1, &oldtype, newtype);
}

int MPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype *newtype) {
  ENTER(MPI_Type_dup);
  TOLD(newtype);
  OLD;
  builder b = begin(r, MPI_COMBINER_DUP);
  place(&b, o, 0, 1);
  fc_type *t = b.t;
  t->lb = o->lb, t->ub = o->ub, t->explicit_lb = o->explicit_lb, t->explicit_ub = o->explicit_ub, t->committed = o->committed;
  int code = fc_attributes_copy(r, oldtype, o->basic ? fc_basics_of(r)->attributes[o->basic] : o->attributes, &t->attributes);
  if (code) {
    free(t->blocks), free(t);
    *newtype = MPI_DATATYPE_NULL;
    return fc_error(r, MPI_COMM_WORLD, code, "an attribute could not be copied");
  }
  return end(r, &b, 0, 0, 0, 0, 1, &oldtype, newtype);
}

/* Places elements of an array section, as many as wanted, in the array's order: the last dimension is the slowest. */
static void place_section(builder *b, const fc_type *o, const fc_array *a, int64_t each, int d, int64_t at, int64_t *left) {
  for (ptrdiff_t i = 0; i < a->dim[d].extent && *left > 0; i++, at += a->dim[d].stride) {
    if (d > 0) {
      place_section(b, o, a, each, d - 1, at, left);
      continue;
    }
    place(b, o, at, each);
    --*left;
  }
}

/* fc_type_of_section is so many elements of a type in an array section. They need not be elements of the array, but must fill them. */
MPI_Datatype fc_type_of_section(fc_rank *r, const fc_array *a, int64_t count, MPI_Datatype type) {
  fc_type *t = fc_type_of(r, type);
  const fc_block *kind = t->nblocks == 1 ? t->blocks : 0;
  int64_t bytes = fc_bytes(r, t->size, count), part = kind ? predefined[kind->basic].size : 1, element = (int64_t)a->element;
  if (!kind || !t->contiguous || !t->committed || !element || element % part || bytes % element)
    fc_fail(r, "found an array section with gaps and a datatype that does not fill its elements of %lld bytes, expected the datatype of the elements", (long long)element);
  builder b = begin(r, MPI_COMBINER_HINDEXED);
  int64_t left = bytes / element, wanted = left;
  place_section(&b, &predefined[kind->basic], a, element / part, a->rank - 1, 0, &left);
  if (left) fc_fail(r, "found %lld elements in an array section, expected at least %lld", (long long)(wanted - left), (long long)wanted);
  MPI_Datatype made;
  end(r, &b, 0, 0, 0, 0, 0, 0, &made);
  fc_type_of(r, made)->committed = 1;
  return made;
}

/* Places the elements of a block of an array, the slowest dimension first. */
static void subarray(builder *b, const fc_type *o, int n, const int *sizes, const int *subsizes, const int *starts, const int *order, int64_t at, int64_t span) {
  int d = order[0];
  span /= sizes[d];
  for (int i = 0; i < subsizes[d]; i++) {
    int64_t here = at + (starts[d] + i) * span;
    if (n > 1)
      subarray(b, o, n - 1, sizes, subsizes, starts, order + 1, here, span);
    else {
      place(b, o, here, subsizes[d]);
      return;
    }
  }
}

int MPI_Type_create_subarray(int n, const int *sizes, const int *subsizes, const int *starts, int order, MPI_Datatype oldtype, MPI_Datatype *newtype) {
  ENTER(MPI_Type_create_subarray);
  TOLD(newtype);
  OLD;
  REQUIRE(n > 0 && n <= 64, MPI_COMM_WORLD, MPI_ERR_DIMS, "found %d dimensions", n);
  REQUIRE(order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN, MPI_COMM_WORLD, MPI_ERR_ARG, "found order %d", order);
  builder b = begin(r, MPI_COMBINER_SUBARRAY);
  int dims[64];
  int64_t span = fc_extent(o);
  for (int i = 0; i < n; i++) {
    REQUIRE(sizes[i] > 0 && subsizes[i] > 0 && starts[i] >= 0 && starts[i] + subsizes[i] <= sizes[i], MPI_COMM_WORLD, MPI_ERR_ARG,
            "dimension %d: elements %d to %d of %d", i, starts[i], starts[i] + subsizes[i] - 1, sizes[i]);
    dims[i] = order == MPI_ORDER_C ? i : n - 1 - i;
    span *= sizes[i];
  }
  subarray(&b, o, n, sizes, subsizes, starts, dims, 0, span);
  b.t->lb = 0, b.t->ub = span, b.t->explicit_lb = b.t->explicit_ub = 1;
  int *l = malloc((3 * n + 2) * sizeof *l), at = 0;
  ints(&n, 1, l, &at), ints(sizes, n, l, &at), ints(subsizes, n, l, &at), ints(starts, n, l, &at), ints(&order, 1, l, &at);
  return end(r, &b, 3 * n + 2, l, 0, 0, 1, &oldtype, newtype);
}

int MPI_Type_commit(MPI_Datatype *type) {
  ENTER(MPI_Type_commit);
  TOLD(type);
  TYPE(t, *type);
  if (!t->basic) t->committed = 1;
  return MPI_SUCCESS;
}

/* fc_type_use counts who needs a derived type, and frees it after the last. */
void fc_type_use(fc_rank *r, fc_type *t, int by) {
  if (!t || t->basic || (t->users += by) > 0) return;
  for (int i = 0; i < t->ntypes; i++) fc_type_use(r, fc_type_of(r, t->types[i]), -1);
  fc_table_drop(&r->mpi->types, t->handle - MPI_DATATYPE_NULL - DERIVED);
  free(t->blocks), free(t->integers), free(t->addresses), free(t->types), free(t->name), free(t);
}

int MPI_Type_free(MPI_Datatype *type) {
  ENTER(MPI_Type_free);
  TOLD(type);
  TYPE(t, *type);
  REQUIRE(!t->basic, MPI_COMM_WORLD, MPI_ERR_TYPE, "%s is predefined", t->name);
  int code = fc_attributes_free(r, *type, &t->attributes);
  if (code) return fc_error(r, MPI_COMM_WORLD, code, "an attribute could not be deleted");
  fc_type_use(r, t, -1);
  *type = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

/* --- Asking --- */

int MPI_Type_size(MPI_Datatype type, int *size) {
  ENTER(MPI_Type_size);
  TOLD(size);
  TYPE(t, type);
  *size = t->size > 0x7fffffff ? MPI_UNDEFINED : (int)t->size;
  return MPI_SUCCESS;
}
int MPI_Type_size_x(MPI_Datatype type, MPI_Count *size) {
  ENTER(MPI_Type_size_x);
  TOLD(size);
  TYPE(t, type);
  *size = t->size;
  return MPI_SUCCESS;
}
int MPI_Type_extent(MPI_Datatype type, MPI_Aint *extent) {
  ENTER(MPI_Type_extent);
  TOLD(extent);
  TYPE(t, type);
  *extent = fc_extent(t);
  return MPI_SUCCESS;
}
int MPI_Type_lb(MPI_Datatype type, MPI_Aint *displacement) {
  ENTER(MPI_Type_lb);
  TOLD(displacement);
  TYPE(t, type);
  *displacement = t->lb;
  return MPI_SUCCESS;
}
int MPI_Type_ub(MPI_Datatype type, MPI_Aint *displacement) {
  ENTER(MPI_Type_ub);
  TOLD(displacement);
  TYPE(t, type);
  *displacement = t->ub;
  return MPI_SUCCESS;
}
int MPI_Type_get_extent(MPI_Datatype type, MPI_Aint *lb, MPI_Aint *extent) {
  ENTER(MPI_Type_get_extent);
  TOLD(lb && extent);
  TYPE(t, type);
  *lb = t->lb, *extent = fc_extent(t);
  return MPI_SUCCESS;
}
int MPI_Type_get_extent_x(MPI_Datatype type, MPI_Count *lb, MPI_Count *extent) {
  ENTER(MPI_Type_get_extent_x);
  TOLD(lb && extent);
  TYPE(t, type);
  *lb = t->lb, *extent = fc_extent(t);
  return MPI_SUCCESS;
}
int MPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint *lb, MPI_Aint *extent) {
  ENTER(MPI_Type_get_true_extent);
  TOLD(lb && extent);
  TYPE(t, type);
  *lb = t->true_lb, *extent = t->true_ub - t->true_lb;
  return MPI_SUCCESS;
}
int MPI_Type_get_true_extent_x(MPI_Datatype type, MPI_Count *lb, MPI_Count *extent) {
  ENTER(MPI_Type_get_true_extent_x);
  TOLD(lb && extent);
  TYPE(t, type);
  *lb = t->true_lb, *extent = t->true_ub - t->true_lb;
  return MPI_SUCCESS;
}

int MPI_Type_get_envelope(MPI_Datatype type, int *integers, int *addresses, int *datatypes, int *combiner) {
  ENTER(MPI_Type_get_envelope);
  TOLD(integers && addresses && datatypes && combiner);
  TYPE(t, type);
  *integers = t->nintegers, *addresses = t->naddresses, *datatypes = t->ntypes, *combiner = t->combiner;
  return MPI_SUCCESS;
}

int MPI_Type_get_contents(MPI_Datatype type, int ni, int na, int nt, int *integers, MPI_Aint *addresses, MPI_Datatype *datatypes) {
  ENTER(MPI_Type_get_contents);
  TYPE(t, type);
  REQUIRE(!t->basic, MPI_COMM_WORLD, MPI_ERR_TYPE, "%s is predefined", t->name);
  REQUIRE(ni >= t->nintegers && na >= t->naddresses && nt >= t->ntypes, MPI_COMM_WORLD, MPI_ERR_ARG, "the arrays are too small for what the datatype was made of");
  if (t->nintegers) memcpy(integers, t->integers, t->nintegers * sizeof *integers);
  if (t->naddresses) memcpy(addresses, t->addresses, t->naddresses * sizeof *addresses);
  for (int i = 0; i < t->ntypes; i++) {
    datatypes[i] = t->types[i];
    fc_type_use(r, fc_type_of(r, t->types[i]), 1);
  }
  return MPI_SUCCESS;
}

int MPI_Type_set_name(MPI_Datatype type, const char *name) {
  ENTER(MPI_Type_set_name);
  TYPE(t, type);
  char **own = t->basic ? &fc_basics_of(r)->names[t->basic] : &t->name; /* predefined types are shared by all ranks */
  free(*own);
  *own = strndup(name, MPI_MAX_OBJECT_NAME - 1);
  return MPI_SUCCESS;
}
int MPI_Type_get_name(MPI_Datatype type, char *name, int *length) {
  ENTER(MPI_Type_get_name);
  TOLD(length);
  TYPE(t, type);
  const char *given = t->basic ? fc_basics_of(r)->names[t->basic] : 0;
  *length = snprintf(name, MPI_MAX_OBJECT_NAME, "%s", given ? given : fc_type_name(t));
  return MPI_SUCCESS;
}

int MPI_Type_match_size(int typeclass, int size, MPI_Datatype *type) {
  ENTER(MPI_Type_match_size);
  TOLD(type);
  static const struct { int class_, size; MPI_Datatype type; } known[] = {
      {MPI_TYPECLASS_REAL, 4, MPI_REAL4}, {MPI_TYPECLASS_REAL, 8, MPI_REAL8}, {MPI_TYPECLASS_REAL, 16, MPI_REAL16},
      {MPI_TYPECLASS_INTEGER, 1, MPI_INTEGER1}, {MPI_TYPECLASS_INTEGER, 2, MPI_INTEGER2}, {MPI_TYPECLASS_INTEGER, 4, MPI_INTEGER4},
      {MPI_TYPECLASS_INTEGER, 8, MPI_INTEGER8}, {MPI_TYPECLASS_COMPLEX, 8, MPI_COMPLEX8}, {MPI_TYPECLASS_COMPLEX, 16, MPI_COMPLEX16},
      {MPI_TYPECLASS_COMPLEX, 32, MPI_COMPLEX32}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i].class_ == typeclass && known[i].size == size) {
      *type = known[i].type;
      return MPI_SUCCESS;
    }
  return fc_error(r, MPI_COMM_WORLD, MPI_ERR_ARG, "no type of class %d has %d bytes", typeclass, size);
}

/* --- Counting what came --- */

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count) {
  ENTER(MPI_Get_count);
  STATUS(status);
  TOLD(count);
  TYPE(t, type);
  int64_t n = status->fabricast_bytes;
  if (!t->size)
    *count = n ? MPI_UNDEFINED : 0;
  else
    *count = n % t->size || n / t->size > 0x7fffffff ? MPI_UNDEFINED : (int)(n / t->size);
  return MPI_SUCCESS;
}

static int64_t elements_each(const fc_type *t) {
  int64_t n = 0;
  for (int64_t i = 0; i < t->nblocks; i++) n += fc_block_size(&t->blocks[i]) / predefined[t->blocks[i].basic].size;
  return n;
}

/* fc_elements tells how many basic elements so many bytes are; -1: they end within one. */
int64_t fc_elements(const fc_type *t, int64_t bytes) {
  if (!t->size) return 0;
  int64_t n = bytes / t->size * elements_each(t);
  bytes %= t->size;
  for (int64_t i = 0; i < t->nblocks && bytes > 0; i++) {
    int64_t size = predefined[t->blocks[i].basic].size, all = fc_block_size(&t->blocks[i]), part = all < bytes ? all : bytes;
    if (part % size) return -1;
    n += part / size;
    bytes -= part;
  }
  return n;
}
int MPI_Get_elements_x(const MPI_Status *status, MPI_Datatype type, MPI_Count *count) {
  ENTER(MPI_Get_elements_x);
  STATUS(status);
  TOLD(count);
  TYPE(t, type);
  int64_t n = fc_elements(t, status->fabricast_bytes);
  *count = n < 0 ? MPI_UNDEFINED : n;
  return MPI_SUCCESS;
}
int MPI_Get_elements(const MPI_Status *status, MPI_Datatype type, int *count) {
  ENTER(MPI_Get_elements);
  STATUS(status);
  TOLD(count);
  TYPE(t, type);
  int64_t n = fc_elements(t, status->fabricast_bytes);
  *count = n < 0 || n > 0x7fffffff ? MPI_UNDEFINED : (int)n;
  return MPI_SUCCESS;
}
/* As in MPICH and Open MPI, what is set counts the datatype, not what it is made of, in spite of the functions' names. */
static int set_elements(fc_rank *r, MPI_Status *status, MPI_Datatype type, MPI_Count count) {
  TYPE(t, type);
  status->fabricast_bytes = t->size * count;
  return MPI_SUCCESS;
}
int MPI_Status_set_elements_x(MPI_Status *status, MPI_Datatype type, MPI_Count count) {
  ENTER(MPI_Status_set_elements_x);
  STATUS(status);
  return set_elements(r, status, type, count);
}
int MPI_Status_set_elements(MPI_Status *status, MPI_Datatype type, int count) {
  ENTER(MPI_Status_set_elements);
  STATUS(status);
  return set_elements(r, status, type, count);
}

/* --- Packing by the program --- */

int MPI_Pack(const void *inbuf, int incount, MPI_Datatype type, void *outbuf, int outsize, int *position, MPI_Comm comm) {
  ENTER(MPI_Pack);
  TOLD(position);
  TYPE(t, type);
  COUNT(incount);
  int64_t n = t->size * incount;
  REQUIRE(*position >= 0 && *position + n <= outsize, comm, MPI_ERR_TRUNCATE, "%lld bytes at %d do not fit into %d", (long long)n, *position, outsize);
  fc_pack(t, incount, inbuf, (char *)outbuf + *position);
  *position += n;
  return MPI_SUCCESS;
}
int MPI_Unpack(const void *inbuf, int insize, int *position, void *outbuf, int outcount, MPI_Datatype type, MPI_Comm comm) {
  ENTER(MPI_Unpack);
  TOLD(position);
  TYPE(t, type);
  COUNT(outcount);
  int64_t n = t->size * outcount;
  REQUIRE(*position >= 0 && *position + n <= insize, comm, MPI_ERR_TRUNCATE, "%lld bytes at %d are not in %d", (long long)n, *position, insize);
  fc_unpack(t, outcount, (const char *)inbuf + *position, n, outbuf);
  *position += n;
  return MPI_SUCCESS;
}
int MPI_Pack_size(int incount, MPI_Datatype type, MPI_Comm comm, int *size) {
  ENTER(MPI_Pack_size);
  TOLD(size);
  TYPE(t, type);
  COUNT(incount);
  *size = t->size * incount;
  return MPI_SUCCESS;
}

int MPI_Get_address(const void *location, MPI_Aint *address) {
  ENTER_ANY_TIME(MPI_Get_address);
  TOLD(address);
  *address = (MPI_Aint)location;
  return MPI_SUCCESS;
}
int MPI_Address(void *location, MPI_Aint *address) { return MPI_Get_address(location, address); }
MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint displacement) { return base + displacement; }
MPI_Aint MPI_Aint_diff(MPI_Aint a, MPI_Aint b) { return a - b; }
