/* Probes that take the message, and programs that ask again and again. */
#include <mpi.h>
#include <stdio.h>

static int rank, size;

static void matched(void) {
  int out[3] = {rank, rank + 1, rank + 2}, in[3] = {-1, -1, -1}, flag, count;
  MPI_Message message, second;
  MPI_Status s;
  MPI_Request q[3];
  int to = (rank + 1) % size, from = (rank + size - 1) % size;
  for (int i = 0; i < 3; i++) MPI_Isend(&out[i], 1, MPI_INT, to, 4, MPI_COMM_WORLD, &q[i]);
  MPI_Mprobe(from, 4, MPI_COMM_WORLD, &message, &s);
  MPI_Get_count(&s, MPI_INT, &count);
  printf("rank %d found %d from %d with tag %d\n", rank, count, s.MPI_SOURCE, s.MPI_TAG);
  do MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &second, &s);
  while (!flag);
  MPI_Recv(&in[2], 1, MPI_INT, from, 4, MPI_COMM_WORLD, &s);
  MPI_Request r;
  MPI_Imrecv(&in[1], 1, MPI_INT, &second, &r);
  MPI_Wait(&r, &s);
  printf("rank %d: source %d, null %d\n", rank, s.MPI_SOURCE, second == MPI_MESSAGE_NULL);
  MPI_Mrecv(&in[0], 1, MPI_INT, &message, &s);
  printf("rank %d got %d %d %d\n", rank, in[0], in[1], in[2]);
  MPI_Waitall(3, q, MPI_STATUSES_IGNORE);
  MPI_Mprobe(MPI_PROC_NULL, 4, MPI_COMM_WORLD, &message, &s);
  flag = message == MPI_MESSAGE_NO_PROC;
  MPI_Mrecv(in, 3, MPI_INT, &message, &s);
  MPI_Get_count(&s, MPI_INT, &count);
  printf("rank %d nobody: %d, %d %d %d\n", rank, flag, s.MPI_SOURCE == MPI_PROC_NULL, s.MPI_TAG == MPI_ANY_TAG, count);
}

/* Of strided columns, and of a message that is too long. */
static void types(void) {
  int matrix[4][4] = {{0}}, out[4] = {1, 2, 3, 4}, flag = 0, class_;
  MPI_Datatype column;
  MPI_Message message;
  MPI_Status s;
  MPI_Request q;
  MPI_Type_vector(4, 1, 4, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Isend(out, 4, MPI_INT, rank, 1, MPI_COMM_SELF == MPI_COMM_NULL ? MPI_COMM_NULL : MPI_COMM_WORLD, &q);
  while (!flag) MPI_Improbe(rank, 1, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(&matrix[0][1], 1, column, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  printf("rank %d column %d %d %d %d, beside it %d\n", rank, matrix[0][1], matrix[1][1], matrix[2][1], matrix[3][1], matrix[1][2]);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Isend(out, 4, MPI_INT, rank, 2, MPI_COMM_WORLD, &q);
  MPI_Mprobe(rank, 2, MPI_COMM_WORLD, &message, &s);
  MPI_Error_class(MPI_Mrecv(out, 2, MPI_INT, &message, &s), &class_);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  printf("rank %d truncated %d\n", rank, class_ == MPI_ERR_TRUNCATE);
  MPI_Type_free(&column);
}

/* Asks until the message is there, which another rank sends late; and for some time in vain. */
static void asking(void) {
  int flag = 0, value = -1;
  double begin = MPI_Wtime();
  MPI_Request q;
  if (rank == 0) {
    while (MPI_Wtime() - begin < 0.002) {
    }
    for (int i = 1; i < size; i++) MPI_Send(&i, 1, MPI_INT, i, 3, MPI_COMM_WORLD);
    return;
  }
  MPI_Irecv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &q);
  while (!flag) MPI_Test(&q, &flag, MPI_STATUS_IGNORE);
  printf("rank %d got %d\n", rank, value);
  begin = MPI_Wtime();
  do MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  while (!flag && MPI_Wtime() - begin < 0.001);
  printf("rank %d found nothing: %d\n", rank, !flag);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  matched();
  MPI_Barrier(MPI_COMM_WORLD);
  types();
  MPI_Barrier(MPI_COMM_WORLD);
  asking();
  MPI_Finalize();
  return 0;
}
