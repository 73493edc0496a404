/* Point-to-point in all modes: buffers that are too small, persistent requests, cancelled receives, what a status
 * tells, and arguments that are wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static int class_of(int code) {
  int class;
  MPI_Error_class(code, &class);
  return class;
}

static void buffered(void) {
  char room[2 * (100 * sizeof(int) + MPI_BSEND_OVERHEAD)], *back;
  int data[400], n, code;
  MPI_Status s;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < 400; i++) data[i] = rank * 1000 + i;
  if (rank == 0) {
    MPI_Buffer_attach(room, sizeof room);
    code = MPI_Bsend(data, 400, MPI_INT, 1, 0, MPI_COMM_WORLD);
    printf("bsend of too much: %d\n", class_of(code) == MPI_ERR_BUFFER);
    MPI_Bsend(data, 100, MPI_INT, 1, 1, MPI_COMM_WORLD);
    MPI_Bsend(data + 100, 100, MPI_INT, 1, 2, MPI_COMM_WORLD);
    MPI_Bsend(data, 100, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Buffer_detach(&back, &n);
    printf("detach: %d %d\n", back == room, n == (int)sizeof room);
    memset(data, 0, sizeof data);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
      MPI_Recv(data, 400, MPI_INT, 0, 2, MPI_COMM_WORLD, &s);
      MPI_Get_count(&s, MPI_INT, &n);
      printf("bsend: %d from %d %d %d\n", n, s.MPI_SOURCE, data[0], data[99]);
      MPI_Recv(data, 400, MPI_INT, 0, 1, MPI_COMM_WORLD, &s);
      MPI_Get_count(&s, MPI_BYTE, &n);
      printf("bsend: %d bytes, %d %d\n", n, data[0], data[99]);
    }
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void persistent(void) {
  int out[3] = {0}, in[3] = {0}, right = (rank + 1) % size, left = (rank + size - 1) % size, flag;
  MPI_Request q[4];
  MPI_Status s[4];
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Send_init(out, 1, pair, right, 7, MPI_COMM_WORLD, &q[0]);
  MPI_Recv_init(in, 1, pair, left, 7, MPI_COMM_WORLD, &q[1]);
  MPI_Ssend_init(&out[2], 1, MPI_INT, left, 8, MPI_COMM_WORLD, &q[2]);
  MPI_Recv_init(&in[2], 1, MPI_INT, right, MPI_ANY_TAG, MPI_COMM_WORLD, &q[3]);
  MPI_Type_free(&pair);
  for (int round = 0; round < 3; round++) {
    out[0] = rank + 10 * round, out[1] = -out[0], out[2] = 100 + out[0];
    MPI_Startall(4, q);
    if (round == 1) {
      MPI_Waitall(4, q, s);
    } else {
      for (int i = 0; i < 4; i++) MPI_Wait(&q[3 - i], &s[3 - i]);
    }
    printf("rank %d round %d: %d %d %d, %d %d\n", rank, round, in[0], in[1], in[2], s[3].MPI_TAG, q[1] == MPI_REQUEST_NULL);
  }
  MPI_Test(&q[0], &flag, &s[0]);
  printf("rank %d inactive: %d %d %d\n", rank, flag, s[0].MPI_SOURCE == MPI_ANY_SOURCE, s[0].MPI_TAG == MPI_ANY_TAG);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Start(&q[1]);
  MPI_Cancel(&q[1]);
  MPI_Wait(&q[1], &s[1]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Test_cancelled(&s[1], &flag);
  printf("rank %d cancelled: %d\n", rank, flag);
  MPI_Start(&q[0]), MPI_Start(&q[1]);
  MPI_Waitall(2, q, s);
  MPI_Test_cancelled(&s[1], &flag);
  printf("rank %d again: %d %d\n", rank, in[0], flag);
  for (int i = 0; i < 4; i++) MPI_Request_free(&q[i]);
  printf("rank %d freed: %d\n", rank, q[0] == MPI_REQUEST_NULL);
}

static void several(void) {
  int in[8], done, at[8], flag, index;
  MPI_Request q[8];
  MPI_Status s[8];
  for (int i = 0; i < 8; i++) q[i] = MPI_REQUEST_NULL;
  MPI_Waitany(8, q, &index, s);
  MPI_Testany(8, q, &index, &flag, s);
  printf("rank %d none: %d %d\n", rank, index == MPI_UNDEFINED, flag);
  MPI_Waitsome(8, q, &done, at, s);
  printf("rank %d none: %d\n", rank, done == MPI_UNDEFINED);
  MPI_Testall(8, q, &flag, MPI_STATUSES_IGNORE);
  printf("rank %d none: %d\n", rank, flag);
  MPI_Testany(0, q, &index, &flag, s);
  printf("rank %d empty: %d %d\n", rank, index == MPI_UNDEFINED, flag);
  for (int i = 0; i < 8; i += 2) MPI_Irecv(&in[i], 1, MPI_INT, rank, i, MPI_COMM_WORLD, &q[i]);
  for (int i = 6; i >= 0; i -= 2) MPI_Send(&i, 1, MPI_INT, rank, i, MPI_COMM_WORLD);
  int left = 4, sum = 0;
  while (left) {
    MPI_Waitsome(8, q, &done, at, s);
    for (int i = 0; i < done; i++) sum += in[at[i]] * 10 + s[i].MPI_TAG, left--;
  }
  printf("rank %d sum: %d\n", rank, sum);
}

static void empty(void) {
  int x = 5, n, flag;
  MPI_Status s;
  MPI_Request q;
  MPI_Sendrecv(&x, 0, MPI_INT, (rank + 1) % size, 1, 0, 0, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &s);
  MPI_Get_count(&s, MPI_INT, &n);
  printf("rank %d nothing: %d %d\n", rank, n, s.MPI_TAG);
  s.MPI_ERROR = 4711;
  MPI_Recv(&x, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &s);
  MPI_Get_count(&s, MPI_INT, &n);
  printf("rank %d nobody: %d %d %d %d %d\n", rank, x, n, s.MPI_SOURCE == MPI_PROC_NULL, s.MPI_TAG == MPI_ANY_TAG, s.MPI_ERROR);
  MPI_Probe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &s);
  MPI_Iprobe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &flag, &s);
  printf("rank %d nobody: %d %d\n", rank, flag, s.MPI_SOURCE == MPI_PROC_NULL);
  MPI_Isend(&x, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &q);
  MPI_Wait(&q, &s);
  MPI_Test_cancelled(&s, &flag);
  printf("rank %d nobody: %d\n", rank, flag);
  MPI_Sendrecv_replace(&x, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &s);
  printf("rank %d nobody: %d %d\n", rank, x, s.MPI_SOURCE == MPI_PROC_NULL);
}

static void wrong(void) {
  int x = 0;
  MPI_Request q = MPI_REQUEST_NULL;
  MPI_Status s;
  MPI_Datatype type;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Type_contiguous(2, MPI_INT, &type);
#define WRONG(call, expected) printf("rank %d %s: %d\n", rank, #call, class_of(call) == expected)
  WRONG(MPI_Send(&x, -1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
  WRONG(MPI_Send(&x, 1, MPI_INT, size, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
  WRONG(MPI_Send(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
  WRONG(MPI_Send(&x, 1, MPI_INT, 0, -5, MPI_COMM_WORLD), MPI_ERR_TAG);
  WRONG(MPI_Send(&x, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD), MPI_ERR_TAG);
  WRONG(MPI_Send(&x, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
  WRONG(MPI_Send(&x, 1, type, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
  WRONG(MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
  WRONG(MPI_Send(0, 1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  WRONG(MPI_Recv(&x, 1, MPI_INT, -7, 0, MPI_COMM_WORLD, &s), MPI_ERR_RANK);
  WRONG(MPI_Irecv(&x, 1, MPI_INT, 0, -7, MPI_COMM_WORLD, &q), MPI_ERR_TAG);
  WRONG(MPI_Bcast(&x, 1, MPI_INT, size, MPI_COMM_WORLD), MPI_ERR_ROOT);
  WRONG(MPI_Bcast(&x, 1, MPI_INT, -1, MPI_COMM_WORLD), MPI_ERR_ROOT);
  WRONG(MPI_Allreduce(&x, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  WRONG(MPI_Reduce(&x, &q, 1, MPI_INT, MPI_OP_NULL, 0, MPI_COMM_WORLD), MPI_ERR_OP);
  WRONG(MPI_Start(&q), MPI_ERR_REQUEST);
  WRONG(MPI_Request_free(&q), MPI_ERR_REQUEST);
  WRONG(MPI_Type_vector(-1, 1, 1, MPI_INT, &type), MPI_ERR_COUNT);
  WRONG(MPI_Comm_rank(MPI_COMM_NULL, &x), MPI_ERR_COMM);
  WRONG(MPI_Group_rank(MPI_GROUP_NULL, &x), MPI_ERR_GROUP);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void truncated(void) {
  int data[4] = {1, 2, 3, 4}, small[2] = {0}, other, code;
  MPI_Request q[2];
  MPI_Status s[2];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Irecv(small, 2, MPI_INT, rank, 1, MPI_COMM_WORLD, &q[0]);
  MPI_Irecv(&other, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, &q[1]);
  MPI_Send(data, 4, MPI_INT, rank, 1, MPI_COMM_WORLD);
  MPI_Send(data, 1, MPI_INT, rank, 2, MPI_COMM_WORLD);
  code = MPI_Waitall(2, q, s);
  printf("rank %d truncated: %d %d %d\n", rank, class_of(code) == MPI_ERR_IN_STATUS, class_of(s[0].MPI_ERROR) == MPI_ERR_TRUNCATE, other);
  MPI_Isend(data, 4, MPI_INT, rank, 3, MPI_COMM_WORLD, &q[0]);
  code = MPI_Recv(small, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, s);
  printf("rank %d truncated: %d\n", rank, class_of(code) == MPI_ERR_TRUNCATE);
  MPI_Wait(&q[0], MPI_STATUS_IGNORE);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  buffered();
  persistent();
  several();
  empty();
  wrong();
  truncated();
  MPI_Finalize();
  return 0;
}
