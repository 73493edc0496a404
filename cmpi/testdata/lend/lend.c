/* Messages of many sizes by all kinds of sends, whose buffers change as soon as the program may change them. Argument 1 is a
 * seed, argument 2 the kinds of sends: one letter each. Argument 3 says that sends do not wait for receives. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 12, MOST = 1 << 17, OPEN = 4 };
static const int sizes[] = {1, 4095, 4096, 20000, MOST};
static char out[OPEN][MOST], in[OPEN][MOST];
static int rank, size;
static unsigned state;
static long long sent[2]; /* bytes in messages of fewer than 4,096, and of more */

static unsigned draw(unsigned n) { return (state = state * 1664525u + 1013904223u) >> 8, (state >> 8) % n; }
static char byte_of(int from, int round, int k, int i) { return 31 * from + 7 * round + 3 * k + i * 5 + (i >> 9); }

static void check(int from, int round, int k, int bytes) {
  for (int i = 0; i < bytes; i++)
    if (in[k][i] != byte_of(from, round, k, i)) {
      printf("rank %d: wrong byte %d of %d from rank %d in round %d\n", rank, i, bytes, from, round);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void fill(int round, int k, int bytes) {
  for (int i = 0; i < bytes; i++) out[k][i] = byte_of(rank, round, k, i);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  state = atoi(argv[1]);
  const char *kinds = argv[2];
  int n = strlen(kinds);
  for (int round = 0; round < ROUNDS; round++) { /* all ranks draw the same */
    int shift = 1 + draw(size - 1), to = (rank + shift) % size, from = (rank + size - shift) % size;
    int late = draw(2), bytes = sizes[draw(5)];
    char kind = kinds[draw(n)];
    MPI_Request q[2 * OPEN];
    int open = kind == 'i' || kind == 'y' ? OPEN : 1;
    for (int k = 0; k < open; k++) fill(round, k, bytes);
    if (!late) for (int k = 0; k < open; k++) MPI_Irecv(in[k], MOST, MPI_CHAR, from, k, MPI_COMM_WORLD, &q[k]);
    switch (kind) {
    case 'i': for (int k = 0; k < open; k++) MPI_Isend(out[k], bytes, MPI_CHAR, to, k, MPI_COMM_WORLD, &q[OPEN + k]); break;
    case 'y': for (int k = 0; k < open; k++) MPI_Issend(out[k], bytes, MPI_CHAR, to, k, MPI_COMM_WORLD, &q[OPEN + k]); break;
    case 's': /* may wait for its receive */
      if (late) MPI_Irecv(in[0], MOST, MPI_CHAR, from, 0, MPI_COMM_WORLD, &q[0]);
      MPI_Send(out[0], bytes, MPI_CHAR, to, 0, MPI_COMM_WORLD);
      late = 0;
      break;
    case 'f': /* nobody waits for the send */
      MPI_Isend(out[0], bytes, MPI_CHAR, to, 0, MPI_COMM_WORLD, &q[OPEN]);
      MPI_Request_free(&q[OPEN]);
      break;
    case 'v': { /* every other byte */
      MPI_Datatype t;
      MPI_Type_vector(bytes / 2, 1, 2, MPI_CHAR, &t);
      MPI_Type_commit(&t);
      MPI_Isend(out[0], 1, t, to, 0, MPI_COMM_WORLD, &q[OPEN]);
      MPI_Type_free(&t);
      break;
    }
    }
    if (kind == 'i' && (!late || argc > 3) && draw(2)) { /* the sends alone: their buffers change before the messages are received */
      MPI_Waitall(open, q + OPEN, MPI_STATUSES_IGNORE);
      memset(out, -1, sizeof out);
    }
    if (late) for (int k = 0; k < open; k++) MPI_Irecv(in[k], MOST, MPI_CHAR, from, k, MPI_COMM_WORLD, &q[k]);
    MPI_Waitall(open, q, MPI_STATUSES_IGNORE);
    if (kind == 'v') {
      for (int i = 0; i < bytes / 2; i++) in[0][i] -= byte_of(from, round, 0, 2 * i) - byte_of(from, round, 0, i);
      bytes /= 2;
    }
    sent[bytes >= 4096] += (long long)open * bytes;
    for (int k = 0; k < open; k++) check(from, round, k, bytes);
    if (kind != 's' && kind != 'f') MPI_Waitall(open, q + OPEN, MPI_STATUSES_IGNORE);
    if (kind == 'f') MPI_Barrier(MPI_COMM_WORLD); /* then all have been received */
    memset(out, -1, sizeof out);
  }
  printf("long %lld short %lld\n", sent[1], sent[0]);
  MPI_Finalize();
  return 0;
}
