//go:build linux && (amd64 || arm64)

/* Packing in the format external32: the bytes of every number from the most significant on. */
#include "state.h"

/* How many bytes belong together in a predefined type: numbers, of which complex ones have two. */
static int64_t unit(int basic) {
  MPI_Datatype type = MPI_DATATYPE_NULL | basic;
  switch (type) {
    case MPI_C_FLOAT_COMPLEX: case MPI_C_DOUBLE_COMPLEX: case MPI_C_LONG_DOUBLE_COMPLEX: case MPI_COMPLEX: case MPI_COMPLEX8: case MPI_COMPLEX16:
    case MPI_COMPLEX32: case MPI_DOUBLE_COMPLEX: case MPI_CXX_FLOAT_COMPLEX: case MPI_CXX_DOUBLE_COMPLEX: case MPI_CXX_LONG_DOUBLE_COMPLEX:
      return fc_basic_size(basic) / 2;
    default:
      return fc_basic_size(basic);
  }
}

/* How many bytes it has outside: there are types that are shorter there. */
static int64_t outside(int basic) {
  switch (MPI_DATATYPE_NULL | basic) {
    case MPI_LONG: case MPI_UNSIGNED_LONG: return 4;
    case MPI_WCHAR: return 2;
    default: return unit(basic);
  }
}

/* Numbers of 80 bits are told in 128. */
static int is_extended(int basic) {
  MPI_Datatype type = MPI_DATATYPE_NULL | basic;
  return type == MPI_LONG_DOUBLE || type == MPI_C_LONG_DOUBLE_COMPLEX || type == MPI_CXX_LONG_DOUBLE_COMPLEX;
}

/* Writes a number as it is outside, the most significant byte first. */
static void encode(int basic, const char *from, char *to) {
  char bytes[16];
  int64_t n = outside(basic);
  memcpy(bytes, from, unit(basic));
  if (is_extended(basic)) {
    long double x;
    memcpy(&x, from, sizeof x);
    _Float128 wide = x;
    memcpy(bytes, &wide, sizeof wide);
  }
  for (int64_t i = 0; i < n; i++) to[i] = bytes[n - 1 - i];
}

static void decode(int basic, const char *from, char *to) {
  char bytes[16];
  int64_t n = outside(basic);
  memset(bytes, (MPI_DATATYPE_NULL | basic) == MPI_LONG && *from < 0 ? -1 : 0, sizeof bytes);
  for (int64_t i = 0; i < n; i++) bytes[n - 1 - i] = from[i];
  if (is_extended(basic)) {
    _Float128 wide;
    memcpy(&wide, bytes, sizeof wide);
    long double x = wide;
    memcpy(bytes, &x, sizeof x);
  }
  memcpy(to, bytes, unit(basic));
}

/* The bytes of an element outside. */
static int64_t size_of(const fc_type *t) {
  int64_t n = 0;
  for (int64_t k = 0; k < t->nblocks; k++) n += fc_block_size(&t->blocks[k]) / unit(t->blocks[k].basic) * outside(t->blocks[k].basic);
  return n;
}

/* Goes through the numbers of packed elements, here and outside. */
static void convert(const fc_type *t, int64_t count, char *here, char *there, int writes) {
  for (int64_t i = 0; i < count; i++)
    for (int64_t k = 0; k < t->nblocks; k++) {
      int basic = t->blocks[k].basic;
      for (char *end = here + fc_block_size(&t->blocks[k]); here < end; here += unit(basic), there += outside(basic))
        if (writes)
          encode(basic, here, there);
        else
          decode(basic, there, here);
    }
}

#define REPRESENTATION(name) REQUIRE(!strcmp(name, "external32"), MPI_COMM_WORLD, MPI_ERR_ARG, "found data representation '%s', expected external32", name)
#define COUNT(n) REQUIRE((n) >= 0, MPI_COMM_WORLD, MPI_ERR_COUNT, "found a count of %d", (int)(n))

int MPI_Pack_external(const char datarep[], const void *inbuf, int incount, MPI_Datatype type, void *outbuf, MPI_Aint outsize, MPI_Aint *position) {
  ENTER(MPI_Pack_external);
  TOLD(position);
  REPRESENTATION(datarep);
  TYPE(t, type);
  COUNT(incount);
  int64_t n = size_of(t) * incount;
  REQUIRE(*position >= 0 && *position + n <= outsize, MPI_COMM_WORLD, MPI_ERR_TRUNCATE, "%ld bytes at %ld do not fit into %ld", (long)n, (long)*position, (long)outsize);
  char *own = fc_room(r, fc_bytes(r, t->size, incount));
  fc_pack(t, incount, inbuf, own);
  convert(t, incount, own, (char *)outbuf + *position, 1);
  free(own);
  *position += n;
  return MPI_SUCCESS;
}

int MPI_Unpack_external(const char datarep[], const void *inbuf, MPI_Aint insize, MPI_Aint *position, void *outbuf, int outcount, MPI_Datatype type) {
  ENTER(MPI_Unpack_external);
  TOLD(position);
  REPRESENTATION(datarep);
  TYPE(t, type);
  COUNT(outcount);
  int64_t n = size_of(t) * outcount;
  REQUIRE(*position >= 0 && *position + n <= insize, MPI_COMM_WORLD, MPI_ERR_TRUNCATE, "%ld bytes at %ld are not in %ld", (long)n, (long)*position, (long)insize);
  char *own = fc_room(r, fc_bytes(r, t->size, outcount));
  convert(t, outcount, own, (char *)inbuf + *position, 0);
  fc_unpack(t, outcount, own, t->size * outcount, outbuf);
  free(own);
  *position += n;
  return MPI_SUCCESS;
}

int MPI_Pack_external_size(const char datarep[], int incount, MPI_Datatype type, MPI_Aint *size) {
  ENTER(MPI_Pack_external_size);
  TOLD(size);
  REPRESENTATION(datarep);
  TYPE(t, type);
  COUNT(incount);
  *size = size_of(t) * incount;
  return MPI_SUCCESS;
}
