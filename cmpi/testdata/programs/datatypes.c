/* Datatypes: constructors, extents, packing, what they were made of, messages with gaps. */
#include <mpi.h>
#include <stdio.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static void about(const char *name, MPI_Datatype t) {
  MPI_Aint lb, extent, tlb, textent;
  int n, ni, na, nd, combiner;
  MPI_Type_size(t, &n);
  MPI_Type_get_extent(t, &lb, &extent);
  MPI_Type_get_true_extent(t, &tlb, &textent);
  MPI_Type_get_envelope(t, &ni, &na, &nd, &combiner);
  if (rank == 0) printf("%s: size %d lb %ld extent %ld true %ld %ld made of %d %d %d\n", name, n, (long)lb, (long)extent, (long)tlb, (long)textent, ni, na, nd), fflush(stdout);
}

/* Sends one element of a type to oneself as bytes, and back. */
static void travel(const char *name, MPI_Datatype t, int count) {
  unsigned char a[4096], b[4096], p[4096];
  for (int i = 0; i < 4096; i++) a[i] = i * 7 + i / 256, b[i] = 0;
  int n, at = 0, elements, whole;
  MPI_Status s;
  MPI_Type_commit(&t);
  MPI_Pack_size(count, t, MPI_COMM_WORLD, &n);
  MPI_Pack(a + 1024, count, t, p, sizeof p, &at, MPI_COMM_WORLD);
  MPI_Request q;
  MPI_Irecv(b + 1024, count + 1, t, rank, 3, MPI_COMM_WORLD, &q);
  MPI_Send(a + 1024, count, t, rank, 3, MPI_COMM_WORLD);
  MPI_Wait(&q, &s);
  MPI_Get_count(&s, t, &whole);
  MPI_Get_elements(&s, t, &elements);
  unsigned h = 0, g = 0;
  for (int i = 0; i < 4096; i++) h = h * 31 + b[i];
  for (int i = 0; i < at; i++) g = g * 31 + p[i];
  memset(b, 0, sizeof b);
  at = 0;
  MPI_Unpack(p, n, &at, b + 1024, count, t, MPI_COMM_WORLD);
  unsigned k = 0;
  for (int i = 0; i < 4096; i++) k = k * 31 + b[i];
  if (rank == 0) printf("%s: %u %u %d, count %d elements %d\n", name, h, g, h == k, whole, elements), fflush(stdout);
  about(name, t);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Datatype t, u, v, w;
  MPI_Type_contiguous(3, MPI_INT, &t);
  travel("contiguous", t, 4);
  MPI_Type_vector(3, 2, 4, MPI_SHORT, &u);
  travel("vector", u, 3);
  MPI_Type_create_hvector(2, 1, 40, u, &v);
  travel("hvector of vector", v, 2);
  int lengths[] = {2, 0, 1, 3}, places[] = {5, 1, 0, 9};
  MPI_Type_indexed(4, lengths, places, MPI_FLOAT, &w);
  travel("indexed", w, 2);
  MPI_Aint bytes[] = {64, 0, 8, 20};
  MPI_Type_create_hindexed(4, lengths, bytes, MPI_INT, &w);
  travel("hindexed", w, 1);
  MPI_Type_create_indexed_block(3, 2, places, MPI_DOUBLE, &w);
  travel("indexed block", w, 1);
  struct mixed { char c; double d[2]; int i; short s; };
  MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT, MPI_SHORT};
  int ones[] = {1, 2, 1, 1};
  MPI_Aint at[] = {offsetof(struct mixed, c), offsetof(struct mixed, d), offsetof(struct mixed, i), offsetof(struct mixed, s)};
  MPI_Type_create_struct(4, ones, at, types, &w);
  travel("struct", w, 3);
  MPI_Datatype resized;
  MPI_Type_create_resized(w, -8, 64, &resized);
  travel("resized", resized, 3);
  MPI_Type_create_resized(MPI_INT, 0, 12, &resized);
  travel("resized int", resized, 5);
  int sizes[] = {5, 6, 7}, parts[] = {2, 3, 4}, starts[] = {1, 2, 3};
  MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &w);
  travel("subarray", w, 1);
  MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_INT, &w);
  travel("subarray in Fortran's order", w, 1);
  MPI_Type_dup(u, &w);
  travel("dup", w, 2);
  MPI_Type_vector(3, 1, -2, MPI_INT, &w);
  travel("backwards", w, 1);
  MPI_Type_contiguous(0, MPI_INT, &w);
  travel("empty", w, 2);
  travel("double int", MPI_DOUBLE_INT, 3);
  int ni, na, nd, combiner, integers[8];
  MPI_Aint addresses[1];
  MPI_Datatype made[1];
  MPI_Type_get_envelope(u, &ni, &na, &nd, &combiner);
  MPI_Type_get_contents(u, ni, na, nd, integers, addresses, made);
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  MPI_Type_get_name(made[0], name, &length);
  if (rank == 0) printf("contents %d %d %d %s, a vector %d\n", integers[0], integers[1], integers[2], name, combiner == MPI_COMBINER_VECTOR), fflush(stdout);
  MPI_Type_set_name(u, "columns");
  MPI_Type_get_name(u, name, &length);
  if (rank == 0) printf("name %s %d\n", name, length), fflush(stdout);
  /* A column of one rank's matrix becomes a row of the next one's. */
  int matrix[6][6], row[6];
  MPI_Datatype column;
  for (int i = 0; i < 36; i++) matrix[i / 6][i % 6] = rank * 100 + i;
  MPI_Type_vector(6, 1, 6, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Sendrecv(&matrix[0][2], 1, column, (rank + 1) % size, 0, row, 6, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) printf("column %d %d %d\n", row[0], row[1], row[5]), fflush(stdout);
  int all[6][8];
  memset(all, 0, sizeof all);
  MPI_Type_free(&column);
  MPI_Type_vector(6, 1, 8, MPI_INT, &column);
  MPI_Type_create_resized(column, 0, sizeof(int), &w);
  MPI_Type_commit(&w);
  MPI_Gather(row, 6, MPI_INT, all, 1, w, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("gathered %d %d %d %d\n", all[0][0], all[0][1], all[5][size - 1], all[3][1]), fflush(stdout);
  MPI_Finalize();
  return 0;
}
