/* Victims beside congestors, in the patterns of GPCNeT (Chunduri et al., SC 2019). It is not that benchmark.
 *
 *   gpcnet [ROUNDS [BYTES [GROUP]]]   measurements of each kind, bytes of a congestor's message, congestors of a
 *                                     group; 50, 4096 and 32 without
 *
 * A fifth of the ranks, drawn from all, are victims. They measure three things, first alone and then beside the others:
 * the latency of 8 B around a random ring, the time of 128 KiB around it with a barrier, and an allreduce of 8 B. The
 * others form groups, which are in turn all-to-alls, incasts and broadcasts. A line for each measurement has the mean
 * and the longest time of all victims, alone and congested, and how many times longer the second took. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { latency, bandwidth, allreduce, kinds };
enum { stop_tag = 1, ring_tag = 2, flood_tag = 3 };
static const int ring_bytes[] = {8, 128 * 1024};
static const char *const names[] = {"ring, 8 B", "ring, 128 KiB", "allreduce, 8 B"};

static int world_rank, world_size;

/* The next of a sequence of numbers that is the same everywhere. */
static uint64_t draw(void) {
  static uint64_t state = 0x9e3779b97f4a7c15;
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}

/* A random order of the numbers up to n. */
static int *shuffled(int n) {
  int *list = malloc((size_t)n * sizeof *list);
  for (int i = 0; i < n; i++) {
    int other = (int)(draw() % (uint64_t)(i + 1));
    list[i] = list[other];
    list[other] = i;
  }
  return list;
}

static void *buffer(size_t bytes) {
  void *b = calloc(bytes ? bytes : 1, 1);
  if (!b) MPI_Abort(MPI_COMM_WORLD, 1);
  return b;
}

/* What a victim measures: mean and longest time of each kind, in seconds. */
typedef struct {
  double mean[kinds], longest[kinds];
} times;

/* Sends to the next and receives from the one before in a ring, and the other way round. */
static void around(MPI_Comm victims, int before, int after, int bytes, char *out, char *in) {
  MPI_Request all[4];
  MPI_Irecv(in, bytes, MPI_CHAR, before, ring_tag, victims, &all[0]);
  MPI_Irecv(in + bytes, bytes, MPI_CHAR, after, ring_tag, victims, &all[1]);
  MPI_Isend(out, bytes, MPI_CHAR, after, ring_tag, victims, &all[2]);
  MPI_Isend(out, bytes, MPI_CHAR, before, ring_tag, victims, &all[3]);
  MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
}

/* Measures everything `rounds` times, each time around another ring. */
static times measure(MPI_Comm victims, int rounds) {
  int rank, size;
  MPI_Comm_rank(victims, &rank);
  MPI_Comm_size(victims, &size);
  char *out = buffer(ring_bytes[bandwidth]), *in = buffer(2 * (size_t)ring_bytes[bandwidth]);
  times t = {{0}, {0}};
  for (int kind = 0; kind < kinds; kind++) {
    for (int round = 0; round < rounds; round++) {
      int *ring = shuffled(size), place = 0;
      while (ring[place] != rank) place++;
      int before = ring[(place + size - 1) % size], after = ring[(place + 1) % size];
      free(ring);
      MPI_Barrier(victims);
      double begin = MPI_Wtime(), one = 1, sum;
      if (kind == allreduce) {
        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, victims);
        if (sum != size) MPI_Abort(MPI_COMM_WORLD, 1);
      } else {
        around(victims, before, after, ring_bytes[kind], out, in);
        if (kind == bandwidth) MPI_Barrier(victims);
      }
      double took = MPI_Wtime() - begin;
      t.mean[kind] += took / rounds;
      if (took > t.longest[kind]) t.longest[kind] = took;
    }
  }
  free(out);
  free(in);
  times all;
  MPI_Allreduce(t.mean, all.mean, kinds, MPI_DOUBLE, MPI_SUM, victims);
  MPI_Allreduce(t.longest, all.longest, kinds, MPI_DOUBLE, MPI_MAX, victims);
  for (int kind = 0; kind < kinds; kind++) all.mean[kind] /= size;
  return all;
}

/* One round of a group's pattern: 0 all-to-all, 1 incast to its first rank, 2 broadcast from it. */
static void congest(MPI_Comm group, int pattern, int bytes, char *out, char *in) {
  enum { window = 8 };
  int rank, size, pending = 0;
  MPI_Comm_rank(group, &rank);
  MPI_Comm_size(group, &size);
  if (pattern == 0) {
    MPI_Alltoall(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, group);
    return;
  }
  int root = rank == 0;
  MPI_Request *all = buffer((size_t)window * size * sizeof *all);
  for (int i = 0; i < window; i++) {
    for (int peer = 1; root && peer < size; peer++) {
      if (pattern == 1) MPI_Irecv(in, bytes, MPI_CHAR, peer, flood_tag, group, &all[pending++]);
      else MPI_Isend(out, bytes, MPI_CHAR, peer, flood_tag, group, &all[pending++]);
    }
    if (root) continue;
    if (pattern == 1) MPI_Isend(out, bytes, MPI_CHAR, 0, flood_tag, group, &all[pending++]);
    else MPI_Irecv(in, bytes, MPI_CHAR, 0, flood_tag, group, &all[pending++]);
  }
  MPI_Waitall(pending, all, MPI_STATUSES_IGNORE);
  free(all);
}

/* Congests until the first victim says stop. The group's first rank tells the others. Returns the rounds. */
static long congest_until_stop(MPI_Comm group, int pattern, int bytes) {
  int rank, size, stop = 0;
  long rounds = 0;
  MPI_Request told = MPI_REQUEST_NULL;
  MPI_Comm_rank(group, &rank);
  MPI_Comm_size(group, &size);
  char *out = buffer((size_t)bytes * size), *in = buffer((size_t)bytes * size);
  if (rank == 0) MPI_Irecv(NULL, 0, MPI_CHAR, MPI_ANY_SOURCE, stop_tag, MPI_COMM_WORLD, &told);
  while (!stop) {
    congest(group, pattern, bytes, out, in);
    rounds++;
    if (rank == 0) MPI_Test(&told, &stop, MPI_STATUS_IGNORE);
    MPI_Bcast(&stop, 1, MPI_INT, 0, group);
  }
  free(out);
  free(in);
  return rounds;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  int rounds = argc > 1 ? atoi(argv[1]) : 50, bytes = argc > 2 ? atoi(argv[2]) : 4096;
  int of_group = argc > 3 ? atoi(argv[3]) : 32, victims = world_size / 5;
  if (rounds < 1 || bytes < 1 || of_group < 2 || victims < 2) {
    if (world_rank == 0) fprintf(stderr, "usage: gpcnet [ROUNDS [BYTES [GROUP]]], with at least 10 ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  int *order = shuffled(world_size), place = 0;
  while (order[place] != world_rank) place++;
  int congestors = world_size - victims, groups = (congestors + of_group - 1) / of_group;
  int group = place < victims ? -1 : (place - victims) % groups;
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, group + 1, place, &comm);

  times alone = {{0}, {0}}, beside = {{0}, {0}};
  if (group < 0) alone = measure(comm, rounds);
  MPI_Barrier(MPI_COMM_WORLD);
  if (group < 0) {
    beside = measure(comm, rounds);
    for (int g = 0; place == 0 && g < groups; g++)
      MPI_Send(NULL, 0, MPI_CHAR, order[victims + g], stop_tag, MPI_COMM_WORLD);
  } else {
    congest_until_stop(comm, group % 3, bytes);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (place == 0) {
    printf("%d victims, %d congestors in %d groups\n", victims, congestors, groups);
    for (int kind = 0; kind < kinds; kind++) {
      printf("time of %-15s mean %8.2f us alone, %8.2f us congested: %6.2f times; longest %8.2f, %8.2f us: %6.2f times\n",
             names[kind], alone.mean[kind] * 1e6, beside.mean[kind] * 1e6, beside.mean[kind] / alone.mean[kind],
             alone.longest[kind] * 1e6, beside.longest[kind] * 1e6, beside.longest[kind] / alone.longest[kind]);
    }
  }
  free(order);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
