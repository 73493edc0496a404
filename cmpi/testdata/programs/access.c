/* One-sided communication in its corners: groups for post and start, locks of all, requests, atomics, shared and
 * dynamic windows, datatypes with gaps on both sides. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static void active(void) {
  int box[8], x[4], flag;
  MPI_Win win;
  MPI_Group all, group;
  memset(box, -1, sizeof box);
  MPI_Win_create(box, sizeof box, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  int even[2] = {0, 2}, odd[2] = {1, 3};
  MPI_Group_incl(all, 2, rank % 2 ? even : odd, &group);
  if (rank % 2) {
    MPI_Win_start(group, 0, win);
    for (int i = 0; i < 4; i++) x[i] = rank * 10 + i;
    MPI_Put(x, 2, MPI_INT, 0, rank - 1, 2, MPI_INT, win);
    MPI_Accumulate(x, 1, MPI_INT, 2, 5, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_complete(win);
  } else {
    MPI_Win_post(group, 0, win);
    do MPI_Win_test(win, &flag);
    while (!flag);
  }
  printf("rank %d box: %d %d %d %d %d %d %d %d\n", rank, box[0], box[1], box[2], box[3], box[4], box[5], box[6], box[7]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  int y = -5;
  MPI_Get(&y, 1, MPI_INT, (rank + 1) % size, 1, 1, MPI_INT, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  printf("rank %d got %d\n", rank, y);
  MPI_Group_free(&group), MPI_Group_free(&all), MPI_Win_free(&win);
}

static void passive(void) {
  long *base, one = 1, before, sum = 0, many[8], result[8];
  MPI_Win win;
  MPI_Request q[8];
  MPI_Win_allocate(16 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
  for (int i = 0; i < 16; i++) base[i] = i;
  MPI_Win_unlock(rank, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < 5; i++) {
    MPI_Fetch_and_op(&one, &before, MPI_LONG, 0, 0, MPI_SUM, win);
    MPI_Win_flush(0, win);
    sum += before;
  }
  long total;
  MPI_Allreduce(&sum, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("counted %ld\n", total);
  for (int i = 0; i < 8; i++) many[i] = 100 * rank + i;
  MPI_Rput(many, 2, MPI_LONG, (rank + 1) % size, 4 + 2 * (rank % 2), 2, MPI_LONG, win, &q[0]);
  MPI_Raccumulate(many, 2, MPI_LONG, 1, 10, 2, MPI_LONG, MPI_MAX, win, &q[1]);
  MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
  MPI_Win_flush_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Rget(result, 8, MPI_LONG, 1, 4, 8, MPI_LONG, win, &q[0]);
  MPI_Wait(&q[0], MPI_STATUS_IGNORE);
  printf("rank %d result: %ld %ld %ld %ld %ld %ld %ld\n", rank, result[0], result[1], result[2], result[3], result[6], result[7], result[4]);
  MPI_Barrier(MPI_COMM_WORLD);
  long expected = 3, mine = 1000 + rank, old;
  MPI_Compare_and_swap(&mine, &expected, &old, MPI_LONG, 2, 3, win);
  MPI_Win_flush(2, win);
  int won = old == 3, winners;
  MPI_Allreduce(&won, &winners, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("winners %d\n", winners);
  MPI_Get_accumulate(many, 4, MPI_LONG, result, 4, MPI_LONG, 3, 12, 4, MPI_LONG, MPI_NO_OP, win);
  MPI_Win_flush_local(3, win);
  printf("rank %d kept: %ld %ld\n", rank, result[0], result[3]);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

static void shared(void) {
  MPI_Comm node;
  MPI_Win win;
  int *mine, *theirs, unit;
  MPI_Aint bytes;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  MPI_Comm_free(&node);
  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &node);
  MPI_Win_allocate_shared(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, node, &mine, &win);
  MPI_Win_lock_all(0, win);
  mine[2] = 77;
  MPI_Win_sync(win);
  MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &theirs);
  printf("rank %d shared: %d %d %d\n", rank, (int)bytes, unit, theirs[2]);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Comm_free(&node);
}

static void dynamic(void) {
  int memory[12];
  MPI_Win win;
  MPI_Aint at, where;
  for (int i = 0; i < 12; i++) memory[i] = rank * 100 + i;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, memory, 4 * sizeof(int)), MPI_Win_attach(win, memory + 6, 6 * sizeof(int));
  MPI_Get_address(memory, &at);
  MPI_Sendrecv(&at, 1, MPI_AINT, (rank + size - 1) % size, 0, &where, 1, MPI_AINT, (rank + 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int x[6] = {0}, to = (rank + 1) % size;
  MPI_Win_lock(MPI_LOCK_SHARED, to, 0, win);
  MPI_Get(x, 4, MPI_INT, to, MPI_Aint_add(where, 6 * sizeof(int)), 4, MPI_INT, win);
  MPI_Put(&rank, 1, MPI_INT, to, where, 1, MPI_INT, win);
  MPI_Win_unlock(to, win);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d dynamic: %d %d %d\n", rank, x[0], x[3], memory[0]);
  MPI_Win_detach(win, memory + 6), MPI_Win_detach(win, memory);
  MPI_Win_free(&win);
}

static void gaps(void) {
  int grid[6][6], block[9];
  MPI_Win win;
  MPI_Datatype column, corner;
  for (int i = 0; i < 36; i++) grid[i / 6][i % 6] = rank * 1000 + i;
  for (int i = 0; i < 9; i++) block[i] = -(rank * 10 + i);
  MPI_Type_vector(3, 1, 3, MPI_INT, &column), MPI_Type_commit(&column);
  int sizes[2] = {6, 6}, parts[2] = {3, 1}, starts[2] = {2, rank};
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &corner), MPI_Type_commit(&corner);
  MPI_Win_create(grid, sizeof grid, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  for (int to = 0; to < size; to++) MPI_Accumulate(block + 1, 1, column, to, 0, 1, corner, MPI_SUM, win);
  MPI_Win_fence(0, win);
  MPI_Get(block, 1, column, (rank + 1) % size, 0, 1, corner, win);
  MPI_Win_fence(0, win);
  printf("rank %d grid: %d %d %d, %d %d %d\n", rank, grid[2][0], grid[3][1], grid[4][3], block[0], block[3], block[6]);
  MPI_Win_free(&win), MPI_Type_free(&column), MPI_Type_free(&corner);
}

static void wrong(void) {
  int x = 0, code, class;
  MPI_Win win;
  MPI_Win_create(&x, sizeof x, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  code = MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
  MPI_Error_class(code, &class);
  printf("rank %d outside of an epoch: %d\n", rank, class == MPI_ERR_RMA_SYNC);
  code = MPI_Win_unlock(0, win);
  MPI_Error_class(code, &class);
  printf("rank %d unlock: %d\n", rank, class == MPI_ERR_RMA_SYNC);
  MPI_Win_fence(0, win);
  code = MPI_Put(&x, 1, MPI_INT, size, 0, 1, MPI_INT, win);
  MPI_Error_class(code, &class);
  printf("rank %d rank: %d\n", rank, class == MPI_ERR_RANK);
  MPI_Put(&x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  printf("rank %d freed: %d\n", rank, win == MPI_WIN_NULL);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  active();
  passive();
  shared();
  dynamic();
  gaps();
  wrong();
  MPI_Finalize();
  return 0;
}
