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

/* Turns the bytes of every number around. */
static void reverse(const fc_type *t, int64_t count, char *p) {
  for (int64_t i = 0; i < count; i++)
    for (int64_t k = 0; k < t->nblocks; k++) {
      int64_t n = unit(t->blocks[k].basic);
      for (char *end = p + t->blocks[k].length; p < end; p += n)
        for (int64_t a = 0, b = n - 1; a < b; a++, b--) {
          char swap = p[a];
          p[a] = p[b], p[b] = swap;
        }
    }
}

#define REPRESENTATION(name) REQUIRE(!strcmp(name, "external32"), MPI_COMM_WORLD, MPI_ERR_ARG, "found data representation '%s', expected external32", name)
#define COUNT(n) REQUIRE((n) >= 0, MPI_COMM_WORLD, MPI_ERR_COUNT, "found a count of %d", (int)(n))

int MPI_Pack_external(const char datarep[], const void *inbuf, int incount, MPI_Datatype type, void *outbuf, MPI_Aint outsize, MPI_Aint *position) {
  ENTER(MPI_Pack_external);
  REPRESENTATION(datarep);
  TYPE(t, type);
  COUNT(incount);
  int64_t n = t->size * incount;
  REQUIRE(*position >= 0 && *position + n <= outsize, MPI_COMM_WORLD, MPI_ERR_TRUNCATE, "%ld bytes at %ld do not fit into %ld", (long)n, (long)*position, (long)outsize);
  char *to = (char *)outbuf + *position;
  fc_pack(t, incount, inbuf, to);
  reverse(t, incount, to);
  *position += n;
  return MPI_SUCCESS;
}

int MPI_Unpack_external(const char datarep[], const void *inbuf, MPI_Aint insize, MPI_Aint *position, void *outbuf, int outcount, MPI_Datatype type) {
  ENTER(MPI_Unpack_external);
  REPRESENTATION(datarep);
  TYPE(t, type);
  COUNT(outcount);
  int64_t n = t->size * outcount;
  REQUIRE(*position >= 0 && *position + n <= insize, MPI_COMM_WORLD, MPI_ERR_TRUNCATE, "%ld bytes at %ld are not in %ld", (long)n, (long)*position, (long)insize);
  char *own = memcpy(malloc(n + 1), (const char *)inbuf + *position, n);
  reverse(t, outcount, own);
  fc_unpack(t, outcount, own, n, outbuf);
  free(own);
  *position += n;
  return MPI_SUCCESS;
}

int MPI_Pack_external_size(const char datarep[], int incount, MPI_Datatype type, MPI_Aint *size) {
  ENTER(MPI_Pack_external_size);
  REPRESENTATION(datarep);
  TYPE(t, type);
  COUNT(incount);
  *size = t->size * incount;
  return MPI_SUCCESS;
}
