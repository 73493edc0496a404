/* Requests of all kinds: matched probes, generalized requests, requests that are freed while they are active, persistent ones. */
#include <mpi.h>
#include <stdio.h>

static int rank, next, prev;

static int query(void *state, MPI_Status *s) {
  MPI_Status_set_elements(s, MPI_INT, 3);
  MPI_Status_set_cancelled(s, *(int *)state == 2);
  return MPI_SUCCESS;
}
static int release(void *state) {
  printf("rank %d frees what is in state %d\n", rank, *(int *)state);
  return MPI_SUCCESS;
}
static int cancel(void *state, int complete) {
  printf("rank %d cancels, complete %d\n", rank, complete);
  *(int *)state = 2;
  return MPI_SUCCESS;
}

static void general(void) {
  int state = 1, other = 1, flag, n, at;
  MPI_Request q;
  MPI_Status s;
  MPI_Grequest_start(query, release, cancel, &state, &q);
  MPI_Test(&q, &flag, &s);
  MPI_Grequest_complete(q);
  MPI_Request_get_status(q, &n, &s);
  printf("rank %d: %d %d\n", rank, flag, n);
  MPI_Wait(&q, &s);
  MPI_Get_count(&s, MPI_INT, &n);
  printf("rank %d: %d ints\n", rank, n);
  MPI_Grequest_start(query, release, cancel, &other, &q);
  MPI_Cancel(&q);
  MPI_Grequest_complete(q);
  MPI_Waitany(1, &q, &at, &s);
  MPI_Test_cancelled(&s, &flag);
  printf("rank %d: %d cancelled %d\n", rank, at, flag);
}

static void matched(int *x, int *y) {
  MPI_Request q[2];
  MPI_Message m;
  MPI_Status s;
  int flag = 0, n;
  MPI_Isend(x, 3, MPI_INT, next, 1, MPI_COMM_WORLD, &q[0]);
  MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &m, &s);
  MPI_Get_count(&s, MPI_INT, &n);
  printf("rank %d found %d from %d with tag %d\n", rank, n, s.MPI_SOURCE, s.MPI_TAG);
  MPI_Iprobe(prev, 1, MPI_COMM_WORLD, &flag, &s);
  MPI_Imrecv(y, 3, MPI_INT, &m, &q[1]);
  MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
  printf("rank %d: still there %d, received %d %d, %d\n", rank, flag, y[0], y[2], m == MPI_MESSAGE_NULL);
  MPI_Send(x, 1, MPI_INT, next, 2, MPI_COMM_WORLD);
  for (flag = 0; !flag;) MPI_Improbe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &flag, &m, &s);
  MPI_Mrecv(y, 5, MPI_INT, &m, &s);
  MPI_Get_count(&s, MPI_INT, &n);
  printf("rank %d: %d of 5, %d\n", rank, n, y[0]);
}

static void freed(int *x, int *y) {
  MPI_Request q;
  MPI_Isend(x + 5, 1, MPI_INT, next, 9, MPI_COMM_WORLD, &q);
  MPI_Request_free(&q);
  MPI_Recv(y, 1, MPI_INT, prev, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Irecv(y + 1, 1, MPI_INT, prev, 10, MPI_COMM_WORLD, &q);
  MPI_Request_free(&q);
  MPI_Send(x + 6, 1, MPI_INT, next, 10, MPI_COMM_WORLD);
  MPI_Sendrecv(x, 1, MPI_INT, next, 11, y + 2, 1, MPI_INT, prev, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("rank %d: %d %d %d\n", rank, y[0], y[1], y[2]);
}

static void persistent(const int *x) {
  MPI_Request in[4], out[2];
  int y[4];
  for (int i = 0; i < 4; i++) MPI_Recv_init(y + i, 1, MPI_INT, prev, 20 + i, MPI_COMM_WORLD, &in[i]);
  for (int k = 0; k < 2; k++) {
    MPI_Startall(4, in);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rsend(x + k, 1, MPI_INT, next, 20, MPI_COMM_WORLD);
    MPI_Ssend(x + 1 + k, 1, MPI_INT, next, 21, MPI_COMM_WORLD);
    MPI_Irsend(x + 2 + k, 1, MPI_INT, next, 22, MPI_COMM_WORLD, &out[0]);
    MPI_Issend(x + 3 + k, 1, MPI_INT, next, 23, MPI_COMM_WORLD, &out[1]);
    MPI_Waitall(2, out, MPI_STATUSES_IGNORE);
    MPI_Waitall(4, in, MPI_STATUSES_IGNORE);
    printf("rank %d: %d %d %d %d\n", rank, y[0], y[1], y[2], y[3]);
  }
  for (int i = 0; i < 4; i++) MPI_Request_free(&in[i]);
}

int main(int argc, char **argv) {
  int size, x[16], y[16];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size, prev = (rank + size - 1) % size;
  for (int i = 0; i < 16; i++) x[i] = 100 * rank + i, y[i] = -1;
  general();
  matched(x, y);
  freed(x, y);
  persistent(x);
  MPI_Finalize();
  return 0;
}
