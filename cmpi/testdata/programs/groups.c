/* Groups with ranges, communicators made of them, collectives that go on in the background, and names. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static void tell(const char *name, MPI_Group g) {
  MPI_Group all;
  int n, me;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_size(g, &n), MPI_Group_rank(g, &me);
  int ours[16], theirs[16];
  for (int i = 0; i < n; i++) ours[i] = i;
  MPI_Group_translate_ranks(g, n, ours, all, theirs);
  char line[200];
  int at = sprintf(line, "rank %d %s: %d of %d:", rank, name, me == MPI_UNDEFINED ? -1 : me, n);
  for (int i = 0; i < n; i++) at += sprintf(line + at, " %d", theirs[i]);
  puts(line);
  MPI_Group_free(&all);
}

static void groups(void) {
  MPI_Group all, a, b, c;
  int result, up[2][3] = {{0, 3, 2}, {1, 1, 1}}, down[1][3] = {{3, 0, -1}}, two[2] = {3, 1};
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_range_incl(all, 2, up, &a), tell("up", a);
  MPI_Group_range_incl(all, 1, down, &b), tell("down", b);
  MPI_Group_compare(all, b, &result);
  printf("rank %d similar %d\n", rank, result == MPI_SIMILAR);
  MPI_Group_free(&b);
  MPI_Group_range_excl(all, 1, &up[1], &b), tell("without", b);
  MPI_Group_incl(all, 2, two, &c), tell("two", c);
  MPI_Group_free(&b);
  MPI_Group_union(c, a, &b), tell("union", b);
  MPI_Group_free(&b);
  MPI_Group_intersection(a, c, &b), tell("intersection", b);
  MPI_Group_free(&b);
  MPI_Group_difference(a, c, &b), tell("difference", b);
  MPI_Group_free(&b);
  MPI_Group_excl(all, 2, two, &b), tell("excl", b);
  MPI_Group_intersection(b, c, &b);
  printf("rank %d empty %d\n", rank, b == MPI_GROUP_EMPTY);
  MPI_Comm comm, other;
  MPI_Comm_create(MPI_COMM_WORLD, c, &comm);
  if (rank == 1 || rank == 3) {
    int r, s;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Comm_rank(comm, &r);
    MPI_Comm_create_group(comm, c, 5, &other);
    MPI_Comm_compare(comm, other, &s);
    MPI_Comm_set_name(other, "the other");
    MPI_Comm_get_name(other, name, &result);
    printf("rank %d is %d, %d, %s %d\n", rank, r, s == MPI_CONGRUENT, name, result);
    MPI_Comm_free(&other), MPI_Comm_free(&comm);
  } else {
    printf("rank %d none %d\n", rank, comm == MPI_COMM_NULL);
  }
  MPI_Comm_split(MPI_COMM_WORLD, rank == 2 ? MPI_UNDEFINED : 7, -rank, &comm);
  if (comm == MPI_COMM_NULL) {
    printf("rank %d left out\n", rank);
  } else {
    int r;
    MPI_Comm_rank(comm, &r);
    printf("rank %d split %d\n", rank, r);
    MPI_Comm_free(&comm);
  }
  MPI_Group_free(&all), MPI_Group_free(&a), MPI_Group_free(&c);
}

static void background(void) {
  int x[4], y[4] = {0}, z[4] = {0}, v = rank, sum = 0, flag, turns = 0, prefix = -1;
  MPI_Request q[5];
  MPI_Comm dup;
  for (int i = 0; i < 4; i++) x[i] = rank * 4 + i;
  MPI_Comm_idup(MPI_COMM_WORLD, &dup, &q[0]);
  MPI_Iallreduce(&v, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q[1]);
  MPI_Ialltoall(x, 1, MPI_INT, y, 1, MPI_INT, MPI_COMM_WORLD, &q[2]);
  MPI_Iexscan(&v, &prefix, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q[3]);
  if (rank == 1) memcpy(z, x, sizeof z);
  MPI_Ibcast(z, 4, MPI_INT, 1, MPI_COMM_WORLD, &q[4]);
  do MPI_Testall(5, q, &flag, MPI_STATUSES_IGNORE), turns++;
  while (!flag && turns < 100000000);
  printf("rank %d: %d, %d %d %d %d, %d, %d\n", rank, sum, y[0], y[1], y[2], y[3], rank ? prefix : 0, z[3]);
  MPI_Ibarrier(dup, &q[0]);
  MPI_Wait(&q[0], MPI_STATUS_IGNORE);
  int counts[4] = {1, 1, 1, 1}, part = 0;
  MPI_Ireduce_scatter(x, &part, counts, MPI_INT, MPI_MAX, dup, &q[0]);
  MPI_Igather(&v, 1, MPI_INT, y, 1, MPI_INT, 3, dup, &q[1]);
  MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
  printf("rank %d: %d %d\n", rank, part, rank == 3 ? y[2] : 0);
  MPI_Comm_free(&dup);
}

static void between(void) {
  MPI_Comm half, inter, merged;
  int flag, n, r, x = rank, y = -1, got[4];
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 11, &inter);
  MPI_Comm_test_inter(inter, &flag), MPI_Comm_remote_size(inter, &n);
  MPI_Allgather(&x, 1, MPI_INT, got, 1, MPI_INT, inter);
  MPI_Bcast(&y, 1, MPI_INT, rank < 2 ? (rank == 1 ? (y = 55, MPI_ROOT) : MPI_PROC_NULL) : 1, inter);
  MPI_Intercomm_merge(inter, rank < 2, &merged);
  MPI_Comm_rank(merged, &r);
  printf("rank %d: %d %d, %d %d, %d, %d\n", rank, flag, n, got[0], got[1], y, r);
  MPI_Status s;
  MPI_Sendrecv(&x, 1, MPI_INT, rank % 2, 0, &y, 1, MPI_INT, MPI_ANY_SOURCE, 0, inter, &s);
  printf("rank %d: %d from %d\n", rank, y, s.MPI_SOURCE);
  MPI_Comm_free(&merged), MPI_Comm_free(&inter), MPI_Comm_free(&half);
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  groups();
  background();
  between();
  MPI_Finalize();
  return 0;
}
