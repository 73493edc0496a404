/* Point-to-point messages: modes, wildcards, probing, requests, persistent requests, null processes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
#define SAY(...) do { if (rank == 0) { printf(__VA_ARGS__); fflush(stdout); } } while (0)

static void modes(void) {
  int out = 100 + rank, in[4] = {-1, -1, -1, -1}, next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Request q[4];
  MPI_Status s[4];
  char buffer[1000 + MPI_BSEND_OVERHEAD];
  for (int i = 0; i < 4; i++) MPI_Irecv(&in[i], 1, MPI_INT, before, i, MPI_COMM_WORLD, &q[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&out, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
  MPI_Ssend(&out, 1, MPI_INT, next, 1, MPI_COMM_WORLD);
  MPI_Buffer_attach(buffer, sizeof buffer);
  MPI_Bsend(&out, 1, MPI_INT, next, 2, MPI_COMM_WORLD);
  MPI_Rsend(&out, 1, MPI_INT, next, 3, MPI_COMM_WORLD);
  MPI_Waitall(4, q, s);
  void *b;
  int n;
  MPI_Buffer_detach(&b, &n);
  SAY("modes %d %d %d %d from %d %d tags %d %d, buffer %d %d\n", in[0], in[1], in[2], in[3], s[0].MPI_SOURCE, s[3].MPI_SOURCE, s[1].MPI_TAG, s[2].MPI_TAG, b == buffer, n == sizeof buffer);
}

static void wildcards(void) {
  if (rank == 0) {
    int sum = 0, tags = 0;
    for (int i = 1; i < size; i++) {
      int x[2];
      MPI_Status s;
      int count;
      MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
      MPI_Get_count(&s, MPI_INT, &count);
      MPI_Recv(x, 2, MPI_INT, s.MPI_SOURCE, s.MPI_TAG, MPI_COMM_WORLD, &s);
      sum += x[0] * count, tags += s.MPI_TAG;
      if (x[0] != s.MPI_SOURCE) MPI_Abort(MPI_COMM_WORLD, 1);
    }
    SAY("wildcards %d %d\n", sum, tags);
  } else {
    int x[2] = {rank, rank};
    MPI_Send(x, 1 + rank % 2, MPI_INT, 0, 10 * rank, MPI_COMM_WORLD);
  }
}

static void order(void) {
  int x[20];
  MPI_Request q[20];
  if (rank == 0) {
    for (int i = 0; i < 20; i++) x[i] = i;
    for (int i = 0; i < 20; i++) MPI_Isend(&x[i], 1, MPI_INT, 1, i % 2, MPI_COMM_WORLD, &q[i]);
    MPI_Waitall(20, q, MPI_STATUSES_IGNORE);
  } else if (rank == 1) {
    int even, any, odd;
    MPI_Recv(&odd, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&even, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&any, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int sum = 0;
    for (int i = 0; i < 17; i++) {
      int y;
      MPI_Recv(&y, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      sum = sum * 3 % 1000003 + y;
    }
    printf("order %d %d %d %d\n", odd, even, any, sum);
    fflush(stdout);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void requests(void) {
  int in[6], out[6], index, flag, n, indices[6];
  MPI_Request q[12];
  MPI_Status s[12];
  for (int i = 0; i < 6; i++) {
    out[i] = 10 * rank + i;
    MPI_Irecv(&in[i], 1, MPI_INT, rank ^ 1, i, MPI_COMM_WORLD, &q[i]);
  }
  for (int i = 0; i < 6; i++) MPI_Isend(&out[i], 1, MPI_INT, rank ^ 1, i, MPI_COMM_WORLD, &q[6 + i]);
  int done = 0, sum = 0;
  while (done < 4) {
    MPI_Waitany(12, q, &index, s);
    done++;
    if (index < 6) sum += s->MPI_TAG == index;
  }
  do {
    MPI_Testsome(12, q, &n, indices, s);
    if (n != MPI_UNDEFINED) done += n;
  } while (done < 8);
  do {
    MPI_Testany(12, q, &index, &flag, s);
  } while (!flag);
  do {
    MPI_Testall(12, q, &flag, s);
  } while (!flag);
  for (int i = 0; i < 6; i++) sum += in[i];
  MPI_Waitany(12, q, &index, s);
  MPI_Testall(12, q, &flag, MPI_STATUSES_IGNORE);
  MPI_Waitsome(12, q, &n, indices, s);
  SAY("requests %d, then %d %d %d\n", in[0] + in[5], index == MPI_UNDEFINED, flag, n == MPI_UNDEFINED);
}

static void persistent(void) {
  int in = 0, out, sum = 0;
  MPI_Request q[2];
  MPI_Recv_init(&in, 1, MPI_INT, (rank + size - 1) % size, 5, MPI_COMM_WORLD, &q[0]);
  MPI_Send_init(&out, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD, &q[1]);
  for (int i = 0; i < 5; i++) {
    out = rank * 100 + i;
    MPI_Startall(2, q);
    MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    sum += in;
  }
  MPI_Request_free(&q[0]);
  MPI_Request_free(&q[1]);
  SAY("persistent %d %d\n", sum, q[0] == MPI_REQUEST_NULL);
}

static void nobody(void) {
  int x = 42, flag;
  MPI_Status s;
  MPI_Send(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Recv(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &s);
  int count;
  MPI_Get_count(&s, MPI_INT, &count);
  MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  SAY("nobody %d %d %d %d %d\n", x, count, s.MPI_SOURCE == MPI_PROC_NULL, s.MPI_TAG == MPI_ANY_TAG, flag);
}

static void exchange(void) {
  double mine[3] = {rank, rank + 0.25, rank + 0.5}, theirs[3];
  MPI_Status s;
  int count;
  MPI_Sendrecv(mine, 2 + rank % 2, MPI_DOUBLE, (rank + 1) % size, rank, theirs, 3, MPI_DOUBLE, (rank + size - 1) % size, (rank + size - 1) % size, MPI_COMM_WORLD, &s);
  MPI_Get_count(&s, MPI_DOUBLE, &count);
  MPI_Sendrecv_replace(mine, 3, MPI_DOUBLE, (rank + 1) % size, 1, (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  SAY("exchange %g %d %g\n", theirs[0] + theirs[1], count, mine[2]);
}

static void cancelled(void) {
  int x, flag;
  MPI_Request q;
  MPI_Status s;
  MPI_Irecv(&x, 1, MPI_INT, (rank + 1) % size, 999, MPI_COMM_WORLD, &q);
  MPI_Cancel(&q);
  MPI_Wait(&q, &s);
  MPI_Test_cancelled(&s, &flag);
  SAY("cancelled %d\n", flag);
}

static void self(void) {
  int x = 3, y = 0;
  MPI_Request q;
  MPI_Irecv(&y, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &q);
  MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  SAY("self %d\n", y);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  void (*const parts[])(void) = {modes, wildcards, order, requests, persistent, nobody, exchange, cancelled, self};
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
    parts[i]();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
