/* Many small messages whose buffers change at once, between large ones that keep the NIC busy. With an argument each is sent
 * by two calls in the place of one, which takes as long. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 40, PEERS = 3, LARGE = 65536 };
static char small[128], got[128], large[LARGE], other[LARGE];
static int rank, size, apart;

static void send(int bytes, int to, int tag) {
  MPI_Request q;
  memset(small, rank + tag, bytes);
  if (apart) {
    MPI_Isend(small, bytes, MPI_CHAR, to, tag, MPI_COMM_WORLD, &q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(small, bytes, MPI_CHAR, to, tag, MPI_COMM_WORLD);
  }
  memset(small, -1, sizeof small);
}

static void receive(int bytes, int from, int tag) {
  MPI_Recv(got, sizeof got, MPI_CHAR, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < bytes; i++)
    if (got[i] != (char)(from + tag)) printf("wrong: rank %d, tag %d from %d\n", rank, tag, from), exit(1);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  apart = argc > 1;
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int round = 0; round < 3; round++) {
    MPI_Request q[3];
    int n = 2;
    MPI_Irecv(other, LARGE, MPI_CHAR, before, 1000, MPI_COMM_WORLD, &q[0]);
    MPI_Isend(large, LARGE, MPI_CHAR, next, 1000, MPI_COMM_WORLD, &q[1]);
    if (round == 2) MPI_Ibarrier(MPI_COMM_WORLD, &q[n++]); /* goes on while sends are waited for */
    for (int i = 0; i < ROUNDS; i++)
      for (int p = 1; p <= PEERS; p++) send((i + rank) % 67, (rank + p) % size, i);
    for (int i = 0; i < ROUNDS; i++)
      for (int p = PEERS; p >= 1; p--) {
        int from = (rank + size - p) % size;
        receive((i + from) % 67, from, i);
      }
    MPI_Waitall(n, q, MPI_STATUSES_IGNORE);
  }
  printf("end\n");
  MPI_Finalize();
  return 0;
}
