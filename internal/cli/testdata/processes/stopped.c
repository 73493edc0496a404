#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ranks use every kind of communication, print sums now and then, and end with one. */
static unsigned long sum = 5381;
static void note(const void *p, size_t n) {
  for (const unsigned char *b = p; n--;) sum = sum * 33 + *b++;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, n, rounds = argc > 1 ? atoi(argv[1]) : 20;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  char *in = malloc(1 << 16), *out = malloc(1 << 16);
  long *window, old;
  MPI_Win win;
  MPI_Win_allocate(64 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &window, &win);
  memset(window, 0, 64 * sizeof(long));
  MPI_Win_fence(0, win);
  MPI_Comm part = MPI_COMM_WORLD;
  for (int i = 0; i < rounds; i++) {
    int up = (rank + 1) % n, down = (rank + n - 1) % n, size = 1 << (i % 15);
    memset(out, (int)sum + i, size);
    MPI_Request q[3];
    MPI_Status s[3];
    MPI_Irecv(in, 1 << 16, MPI_CHAR, down, i, MPI_COMM_WORLD, &q[0]);
    MPI_Isend(out, size, MPI_CHAR, up, i, MPI_COMM_WORLD, &q[1]);
    long one = sum, all = 0, later = 0;
    MPI_Iallreduce(&one, &later, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &q[2]);
    int flag = 0;
    for (int looks = 0; looks < 3 && !flag; looks++) MPI_Testall(2, q, &flag, s);
    MPI_Waitall(3, q, s);
    note(in, size);
    note(&later, sizeof later);
    MPI_Allreduce(&one, &all, 1, MPI_LONG, MPI_BXOR, part);
    note(&all, sizeof all);
    MPI_Accumulate(&one, 1, MPI_LONG, up, 3, 1, MPI_LONG, MPI_SUM, win);
    MPI_Put(&one, 1, MPI_LONG, down, 4, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
    note(window, 64 * sizeof(long));
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, 9, MPI_SUM, win);
    MPI_Win_unlock(0, win);
    note(&old, sizeof old);
    MPI_Win_fence(0, win);
    if (i % 4 == 1) MPI_Comm_split(MPI_COMM_WORLD, (rank + i) % 3, -rank, &part);
    MPI_Alltoall(out, 16, MPI_CHAR, in, 16, MPI_CHAR, MPI_COMM_WORLD);
    note(in, 16 * n);
    double t = MPI_Wtime();
    note(&t, sizeof t);
    if (i % 5 == rank % 5) printf("rank %d round %d sum %lx\n", rank, i, sum), fflush(stdout);
    if (i % 7 == rank % 7) MPI_Recv(in, 100, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD, s);
  }
  printf("rank %d ends with %lx\n", rank, sum);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
