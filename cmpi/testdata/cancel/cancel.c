/* Messages that are taken back: sends in all modes, persistent ones, receives; what has been matched is not. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, big[40000];

static int cancelled(MPI_Request *q) {
  MPI_Status s;
  int flag = -1;
  MPI_Cancel(q);
  MPI_Wait(q, &s);
  MPI_Test_cancelled(&s, &flag);
  return flag;
}

static int there(int tag) {
  int flag;
  MPI_Iprobe(0, tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  return flag;
}

/* Sends that nobody receives, of a size, in each mode. */
static void modes(int n) {
  MPI_Request q[8];
  if (rank == 0) {
    MPI_Isend(big, n, MPI_INT, 1, 1, MPI_COMM_WORLD, &q[0]);
    MPI_Issend(big, n, MPI_INT, 1, 2, MPI_COMM_WORLD, &q[1]);
    MPI_Ibsend(big, n, MPI_INT, 1, 3, MPI_COMM_WORLD, &q[2]);
    MPI_Send_init(big, n, MPI_INT, 1, 4, MPI_COMM_WORLD, &q[3]);
    MPI_Ssend_init(big, n, MPI_INT, 1, 5, MPI_COMM_WORLD, &q[4]);
    MPI_Bsend_init(big, n, MPI_INT, 1, 6, MPI_COMM_WORLD, &q[5]);
    MPI_Startall(3, q + 3);
    for (int i = 0; i < 6; i++) printf("%d ints, mode %d: %d\n", n, i, cancelled(&q[i]));
    for (int i = 3; i < 6; i++) MPI_Start(&q[i]), printf("%d ints, mode %d again: %d\n", n, i, cancelled(&q[i]));
    for (int i = 3; i < 6; i++) MPI_Request_free(&q[i]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1)
    for (int tag = 1; tag <= 6; tag++) printf("tag %d is there: %d\n", tag, there(tag));
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Of several alike only the one that is meant. */
static void which(int cut) {
  MPI_Request q[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int x[4] = {10, 11, 12, 13};
  if (rank == 0) {
    for (int i = 0; i < 4; i++) MPI_Isend(&x[i], 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &q[i]);
    printf("number %d: %d\n", cut, cancelled(&q[cut]));
    q[cut] = MPI_REQUEST_NULL;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 3 && rank == 1; i++) {
    int x;
    MPI_Recv(&x, 1, MPI_INT, i == 1 ? MPI_ANY_SOURCE : 0, i ? 7 : MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("without %d came %d\n", cut, x);
  }
  MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  static char room[2000000];
  MPI_Buffer_attach(room, sizeof room);
  modes(0), modes(1), modes(40000);
  for (int i = 0; i < 4; i++) which(i);

  /* matched: the receive is there, and neither end is cancelled */
  MPI_Request q;
  int x = 0, flag;
  MPI_Status s;
  if (rank == 1) MPI_Irecv(&x, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, &q);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    x = 5;
    MPI_Issend(&x, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &q);
    MPI_Recv(&x, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("matched send: %d\n", cancelled(&q));
  } else if (rank == 1) {
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    printf("received %d\n", x);
    MPI_Send(&x, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);

  /* to itself, to nobody, and receives */
  MPI_Isend(&x, 1, MPI_INT, rank, 9, MPI_COMM_WORLD, &q);
  printf("rank %d to itself: %d\n", rank, cancelled(&q));
  MPI_Issend(&x, 1, MPI_INT, rank, 9, MPI_COMM_WORLD, &q);
  printf("rank %d to itself, synchronous: %d\n", rank, cancelled(&q));
  MPI_Isend(&x, 1, MPI_INT, MPI_PROC_NULL, 9, MPI_COMM_WORLD, &q);
  printf("rank %d to nobody: %d\n", rank, cancelled(&q));
  MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &q);
  printf("rank %d receive: %d\n", rank, cancelled(&q));
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &s);
  printf("rank %d: anything left %d\n", rank, flag);

  /* a test tells likewise */
  if (rank == 0) {
    MPI_Issend(&x, 1, MPI_INT, 1, 10, MPI_COMM_WORLD, &q);
    MPI_Test(&q, &flag, &s);
    printf("complete: %d\n", flag);
    MPI_Cancel(&q);
    while (!flag) MPI_Test(&q, &flag, &s);
    MPI_Test_cancelled(&s, &flag);
    printf("tested: %d %d\n", flag, q == MPI_REQUEST_NULL);
  }

  /* between groups */
  MPI_Comm half, inter;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &inter);
  int at;
  MPI_Comm_rank(half, &at);
  MPI_Issend(&x, 1, MPI_INT, at, 3, inter, &q);
  printf("rank %d, between groups: %d\n", rank, cancelled(&q));
  MPI_Comm_free(&inter), MPI_Comm_free(&half);
  int n;
  void *p;
  MPI_Buffer_detach(&p, &n);
  printf("rank %d: %d\n", rank, p == room && n == sizeof room);
  MPI_Finalize();
  return 0;
}
