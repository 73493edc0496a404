/* Datatypes: partial elements, holes, negative bounds, orders of arrays, packing, and what types tell of themselves. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static void tell(const char *name, MPI_Datatype t) {
  MPI_Aint lb, extent, true_lb, true_extent;
  MPI_Count x, y;
  int bytes, ni, na, nd, combiner;
  MPI_Type_get_extent(t, &lb, &extent);
  MPI_Type_get_true_extent(t, &true_lb, &true_extent);
  MPI_Type_size(t, &bytes);
  MPI_Type_get_extent_x(t, &x, &y);
  MPI_Type_get_envelope(t, &ni, &na, &nd, &combiner);
  if (rank == 0)
    printf("%s: size %d lb %ld extent %ld true %ld %ld (%d) %d %d %d\n", name, bytes, (long)lb, (long)extent, (long)true_lb, (long)true_extent, x == lb && y == extent,
           ni, na, nd);
}

/* Sends elements of a type to oneself as bytes, and prints them. */
static void through(const char *name, MPI_Datatype t, int count, char *memory, int at) {
  char bytes[4096];
  int n, position = 0, room;
  MPI_Status s;
  MPI_Sendrecv(memory + at, count, t, rank, 0, bytes, sizeof bytes, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &s);
  MPI_Get_count(&s, MPI_BYTE, &n);
  unsigned hash = 0;
  for (int i = 0; i < n; i++) hash = hash * 31 + (unsigned char)bytes[i];
  MPI_Pack_size(count, t, MPI_COMM_WORLD, &room);
  char packed[4096];
  MPI_Pack(memory + at, count, t, packed, sizeof packed, &position, MPI_COMM_WORLD);
  if (rank == 0) printf("%s: %d bytes %08x, packed alike %d, room %d\n", name, n, hash, position == n && !memcmp(bytes, packed, n), room >= n);
  char again[4096];
  memset(again, 0, sizeof again);
  position = 0;
  MPI_Unpack(packed, n, &position, again + at, count, t, MPI_COMM_WORLD);
  hash = 0;
  for (int i = 0; i < 4096; i++) hash = hash * 31 + (unsigned char)again[i];
  if (rank == 0) printf("%s: unpacked %08x\n", name, hash);
}

static void parts(void) {
  MPI_Datatype pair, triple, hole;
  MPI_Status s;
  int n, m, d[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, e[12] = {0};
  MPI_Count x;
  MPI_Type_contiguous(2, MPI_INT, &pair), MPI_Type_commit(&pair);
  MPI_Type_contiguous(3, pair, &triple), MPI_Type_commit(&triple);
  for (int k = 0; k < 8; k++) {
    MPI_Sendrecv(d, k, MPI_INT, rank, 0, e, 2, triple, rank, 0, MPI_COMM_WORLD, &s);
    MPI_Get_count(&s, triple, &n);
    MPI_Get_elements(&s, triple, &m);
    MPI_Get_elements_x(&s, triple, &x);
    if (rank == 0) printf("%d ints: count %d elements %d %d\n", k, n == MPI_UNDEFINED ? -1 : n, m, (int)x);
  }
  int lengths[2] = {1, 2};
  MPI_Aint places[2] = {0, 8};
  MPI_Datatype kinds[2] = {MPI_CHAR, MPI_SHORT};
  MPI_Type_create_struct(2, lengths, places, kinds, &hole), MPI_Type_commit(&hole);
  tell("hole", hole);
  char bytes[16] = "abcdefghijklmno", into[64];
  for (int k = 0; k <= 10; k++) {
    if (k % 5 == 2 || k % 5 == 4) continue; /* in the middle of a number */
    memset(into, 0, sizeof into);
    MPI_Sendrecv(bytes, k, MPI_PACKED, rank, 0, into, 3, hole, rank, 0, MPI_COMM_WORLD, &s);
    MPI_Get_count(&s, hole, &n);
    MPI_Get_elements(&s, hole, &m);
    if (rank == 0) printf("%d bytes: count %d elements %d\n", k, n == MPI_UNDEFINED ? -1 : n, m);
  }
  MPI_Type_free(&pair), MPI_Type_free(&triple), MPI_Type_free(&hole);
}

static void shapes(void) {
  static char memory[4096];
  MPI_Datatype t, u, v;
  for (int i = 0; i < 4096; i++) memory[i] = i * 7 + i / 256;
  int sizes[3] = {4, 5, 6}, parts[3] = {2, 3, 2}, starts[3] = {1, 1, 3};
  for (int order = 0; order < 2; order++) {
    MPI_Type_create_subarray(3, sizes, parts, starts, order ? MPI_ORDER_FORTRAN : MPI_ORDER_C, MPI_SHORT, &t);
    MPI_Type_commit(&t);
    tell(order ? "fortran" : "c", t), through(order ? "fortran" : "c", t, 2, memory, 0);
    MPI_Type_free(&t);
  }
  MPI_Type_create_resized(MPI_INT, -8, 24, &t), MPI_Type_commit(&t);
  tell("negative", t), through("negative", t, 4, memory, 8);
  MPI_Type_vector(3, 2, -4, t, &u), MPI_Type_commit(&u);
  tell("backwards", u), through("backwards", u, 2, memory, 1024);
  MPI_Type_free(&t), MPI_Type_free(&u);
  int at[4] = {5, 0, 9, 2};
  MPI_Aint far[4] = {100, 0, 37, 1001};
  MPI_Type_create_indexed_block(4, 2, at, MPI_DOUBLE, &t), MPI_Type_commit(&t);
  tell("blocks", t), through("blocks", t, 2, memory, 0);
  MPI_Type_create_hindexed_block(4, 3, far, MPI_SHORT, &u), MPI_Type_commit(&u);
  tell("far", u), through("far", u, 2, memory, 0);
  int lengths[4] = {0, 2, 1, 0};
  MPI_Type_indexed(4, lengths, at, MPI_LONG, &v), MPI_Type_commit(&v);
  tell("some empty", v), through("some empty", v, 3, memory, 0);
  MPI_Datatype all[3] = {t, v, MPI_CHAR}, w;
  int one[3] = {1, 2, 3};
  MPI_Aint places[3] = {16, 256, 3};
  MPI_Type_create_struct(3, one, places, all, &w), MPI_Type_commit(&w);
  tell("nested", w), through("nested", w, 2, memory, 0);
  MPI_Type_free(&t), MPI_Type_free(&u), MPI_Type_free(&v), MPI_Type_free(&w);
  MPI_Type_contiguous(0, MPI_INT, &t), MPI_Type_commit(&t);
  tell("nothing", t), through("nothing", t, 5, memory, 0);
  MPI_Type_create_hvector(3, 1, 5, MPI_CHAR, &u), MPI_Type_dup(u, &v), MPI_Type_commit(&v);
  tell("every fifth", v), through("every fifth", v, 7, memory, 0);
  MPI_Type_free(&t), MPI_Type_free(&u), MPI_Type_free(&v);
  int gsizes[2] = {7, 9}, distribs[2] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK}, dargs[2] = {2, MPI_DISTRIBUTE_DFLT_DARG}, grid[2] = {2, 2};
  for (int p = 0; p < 4; p++) {
    MPI_Type_create_darray(4, p, 2, gsizes, distribs, dargs, grid, MPI_ORDER_C, MPI_INT, &t), MPI_Type_commit(&t);
    tell("distributed", t), through("distributed", t, 1, memory, 0);
    MPI_Type_free(&t);
  }
}

static void external(void) {
  char bytes[64];
  MPI_Aint at = 0, n;
  short s = 0x0102;
  double d = 1.5;
  float f[2] = {-2, 3};
  char c = 'x';
  MPI_Pack_external("external32", &s, 1, MPI_SHORT, bytes, sizeof bytes, &at);
  MPI_Pack_external("external32", &d, 1, MPI_DOUBLE, bytes, sizeof bytes, &at);
  MPI_Pack_external("external32", f, 2, MPI_FLOAT, bytes, sizeof bytes, &at);
  MPI_Pack_external("external32", &c, 1, MPI_CHAR, bytes, sizeof bytes, &at);
  if (rank == 0) {
    printf("external:");
    for (int i = 0; i < at; i++) printf(" %02x", (unsigned char)bytes[i]);
    printf("\n");
  }
  at = 0, s = 0, d = 0, f[0] = f[1] = 0;
  MPI_Unpack_external("external32", bytes, sizeof bytes, &at, &s, 1, MPI_SHORT);
  MPI_Unpack_external("external32", bytes, sizeof bytes, &at, &d, 1, MPI_DOUBLE);
  MPI_Unpack_external("external32", bytes, sizeof bytes, &at, f, 2, MPI_FLOAT);
  MPI_Pack_external_size("external32", 3, MPI_DOUBLE, &n);
  if (rank == 0) printf("external: %x %g %g %g, %d\n", s, d, f[0], f[1], (int)n);
}

static void contents(void) {
  MPI_Datatype t, made[2];
  int numbers[10], sizes[2] = {4, 6}, parts[2] = {2, 2}, starts[2] = {1, 3}, ni, na, nd, combiner;
  MPI_Aint places[4];
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_FLOAT, &t);
  MPI_Type_get_envelope(t, &ni, &na, &nd, &combiner);
  MPI_Type_get_contents(t, ni, na, nd, numbers, places, made);
  if (rank == 0) {
    printf("contents: %d %d %d %d", ni, na, nd, combiner == MPI_COMBINER_SUBARRAY);
    for (int i = 0; i < 7; i++) printf(" %d", numbers[i]);
    printf(" %d %d\n", numbers[7] == MPI_ORDER_FORTRAN, made[0] == MPI_FLOAT);
  }
  MPI_Type_free(&t);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  parts();
  shapes();
  external();
  contents();
  MPI_Finalize();
  return 0;
}
