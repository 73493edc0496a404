/* One-sided communication: fences, post and start, locks, flushes, atomics, dynamic and shared windows. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
#define SAY(...) do { if (rank == 0) { printf(__VA_ARGS__); fflush(stdout); } } while (0)

static void tell(const char *what, const int *x, int n) {
  unsigned h = 17, all[64], g = 1;
  for (int i = 0; i < n; i++) h = h * 31 + x[i];
  MPI_Gather(&h, 1, MPI_UNSIGNED, all, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
  for (int i = 0; i < size; i++) g = g * 37 + all[i];
  SAY("%s %u\n", what, g);
}

static void fences(void) {
  int *mine = calloc(4 * size, sizeof(int)), out[4], in[4] = {0};
  MPI_Win win;
  MPI_Win_create(mine, 4 * size * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < 4; i++) out[i] = 10 * rank + i;
  for (int to = 0; to < size; to++) MPI_Put(out, 4, MPI_INT, to, 4 * rank, 4, MPI_INT, win);
  MPI_Win_fence(0, win);
  tell("put", mine, 4 * size);
  MPI_Get(in, 4, MPI_INT, (rank + 1) % size, 4 * rank, 4, MPI_INT, win);
  MPI_Win_fence(0, win);
  tell("get", in, 4);
  int one[4] = {1, 2, 3, rank};
  for (int to = 0; to < size; to++) MPI_Accumulate(one, 4, MPI_INT, to, 0, 4, MPI_INT, MPI_SUM, win);
  MPI_Win_fence(0, win);
  tell("sum", mine, 4);
  for (int to = 0; to < size; to++) MPI_Accumulate(&rank, 1, MPI_INT, to, 5, 1, MPI_INT, MPI_MAX, win);
  MPI_Win_fence(0, win);
  tell("max", mine, 8);
  MPI_Datatype columns;
  MPI_Type_vector(2, 1, 2, MPI_INT, &columns);
  MPI_Type_commit(&columns);
  MPI_Put(out, 1, columns, (rank + 1) % size, 8, 2, MPI_INT, win);
  MPI_Win_fence(0, win);
  tell("from columns", mine, 12);
  MPI_Win_fence(0, win);
  MPI_Put(out, 2, MPI_INT, (rank + 2) % size, 1, 1, columns, win);
  MPI_Get(in, 1, columns, (rank + 1) % size, 8, 1, columns, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  tell("to columns", mine, 12);
  tell("columns got", in, 4);
  MPI_Type_free(&columns);
  MPI_Win_free(&win);
  free(mine);
}

static void post_start(void) {
  int mine[2] = {-1, -1}, x = 100 + rank, ranks[1], flag = 0;
  MPI_Win win;
  MPI_Group world, left, right;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  ranks[0] = (rank + size - 1) % size;
  MPI_Group_incl(world, 1, ranks, &left);
  ranks[0] = (rank + 1) % size;
  MPI_Group_incl(world, 1, ranks, &right);
  MPI_Win_create(mine, sizeof mine, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (int i = 0; i < 2; i++) {
    MPI_Win_post(left, 0, win);
    MPI_Win_start(right, 0, win);
    MPI_Put(&x, 1, MPI_INT, (rank + 1) % size, i, 1, MPI_INT, win);
    MPI_Win_complete(win);
    if (i)
      while (!flag) MPI_Win_test(win, &flag);
    else
      MPI_Win_wait(win);
    x += 1000;
  }
  tell("post and start", mine, 2);
  MPI_Win_free(&win);
}

static void locks(void) {
  int *mine;
  long ticket = 0, *counter, was;
  MPI_Win win, counters;
  MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  memset(mine, 0, 64 * sizeof(int));
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 5; i++) {
    int v;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Get(&v, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    v++;
    MPI_Put(&v, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  tell("counted under locks", mine, 1);
  MPI_Win_lock_all(0, win);
  int values[64];
  for (int to = 1; to < size; to++) {
    values[to] = to;
    MPI_Put(&values[to], 1, MPI_INT, to, rank, 1, MPI_INT, win);
  }
  MPI_Win_flush_local_all(win);
  MPI_Win_flush_all(win);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  tell("lock all", mine, size);
  MPI_Win_allocate(2 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &counters);
  counter[0] = 0, counter[1] = -1;
  MPI_Barrier(MPI_COMM_WORLD);
  long sum = 0, add = rank + 1;
  MPI_Win_lock(MPI_LOCK_SHARED, size - 1, 0, counters);
  MPI_Fetch_and_op(&add, &ticket, MPI_LONG, size - 1, 0, MPI_SUM, counters);
  long expected = -1, mark = rank;
  MPI_Compare_and_swap(&mark, &expected, &was, MPI_LONG, size - 1, 1, counters);
  MPI_Win_unlock(size - 1, counters);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, size - 1, 0, counters);
  MPI_Get_accumulate(0, 0, MPI_LONG, &sum, 1, MPI_LONG, size - 1, 0, 1, MPI_LONG, MPI_NO_OP, counters);
  MPI_Win_unlock(size - 1, counters);
  int winner = was == -1, winners;
  MPI_Allreduce(&winner, &winners, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  SAY("atomics %ld, winners %d\n", sum, winners);
  double d[3] = {rank, 2 * rank, 1}, *shared_sum, before[3];
  MPI_Win doubles;
  MPI_Win_allocate(3 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &shared_sum, &doubles);
  memset(shared_sum, 0, 3 * sizeof(double));
  MPI_Win_fence(0, doubles);
  MPI_Get_accumulate(d, 3, MPI_DOUBLE, before, 3, MPI_DOUBLE, 0, 0, 3, MPI_DOUBLE, MPI_SUM, doubles);
  MPI_Win_fence(0, doubles);
  SAY("sums %g %g %g\n", shared_sum[0], shared_sum[1], shared_sum[2]);
  MPI_Request q;
  MPI_Win_lock_all(0, doubles);
  MPI_Rget(before, 3, MPI_DOUBLE, 0, 0, 3, MPI_DOUBLE, doubles, &q);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  MPI_Win_unlock_all(doubles);
  int same = before[0] * 10 + before[2];
  tell("rget", &same, 1);
  MPI_Win_free(&doubles);
  MPI_Win_free(&counters);
  MPI_Win_free(&win);
}

static void dynamic(void) {
  MPI_Win win;
  int *memory = calloc(100, sizeof(int)), x = rank + 7;
  MPI_Aint address, *all = malloc(size * sizeof *all);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, memory, 100 * sizeof(int));
  MPI_Get_address(memory, &address);
  MPI_Allgather(&address, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD);
  MPI_Win_fence(0, win);
  MPI_Put(&x, 1, MPI_INT, (rank + 1) % size, MPI_Aint_add(all[(rank + 1) % size], 12), 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  tell("dynamic", memory, 100);
  MPI_Win_detach(win, memory);
  MPI_Win_free(&win);
}

static void about(void) {
  MPI_Win win;
  static int x;
  int flag, *unit, *flavor, length;
  MPI_Aint *bytes;
  void *base;
  char name[MPI_MAX_OBJECT_NAME];
  MPI_Win_create(&x, sizeof x, 2, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag);
  MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag);
  MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag);
  MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag);
  MPI_Win_set_name(win, "view");
  MPI_Win_get_name(win, name, &length);
  SAY("about %d %ld %d %d %s\n", flag, (long)*bytes, *unit, *flavor == MPI_WIN_FLAVOR_CREATE, name);
  MPI_Win_free(&win);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  fences();
  post_start();
  locks();
  dynamic();
  about();
  MPI_Finalize();
  return 0;
}
