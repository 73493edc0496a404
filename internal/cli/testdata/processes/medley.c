/* A medley of what ranks do together, drawn by a seed: what several processes must do like one. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned long long state, sum;
static int me, n;

/* All ranks draw the same numbers. */
static int draw(int below) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (int)((state >> 33) % below);
}

static void add(const void *p, int bytes) {
  for (int i = 0; i < bytes; i++) sum = (sum ^ ((const unsigned char *)p)[i]) * 1099511628211ull;
}

static void exchange(MPI_Comm c) {
  int rank, size, by = 1 + draw(5), count = 1 + draw(700);
  MPI_Comm_rank(c, &rank), MPI_Comm_size(c, &size);
  double *out = malloc(8 * count), *in = malloc(8 * count);
  for (int i = 0; i < count; i++) out[i] = me * 1000 + i;
  MPI_Datatype columns;
  MPI_Type_vector((count + 1) / 2, 1, 2, MPI_DOUBLE, &columns);
  MPI_Type_commit(&columns);
  MPI_Sendrecv(out, 1, columns, (rank + by) % size, 5, in, (count + 1) / 2, MPI_DOUBLE, (rank + size - by % size) % size, 5, c, MPI_STATUS_IGNORE);
  add(in, 8 * ((count + 1) / 2));
  MPI_Type_free(&columns);
  free(out), free(in);
}

static void collect(MPI_Comm c) {
  int rank, size, count = 1 + draw(300), what = draw(6);
  MPI_Comm_rank(c, &rank), MPI_Comm_size(c, &size);
  long *a = malloc(8l * count * size), *b = malloc(8l * count * size);
  for (int i = 0; i < count * size; i++) a[i] = me + 3 * i, b[i] = 0;
  MPI_Request q;
  switch (what) {
    case 0: MPI_Allreduce(a, b, count, MPI_LONG, MPI_SUM, c); break;
    case 1: MPI_Alltoall(a, count, MPI_LONG, b, count, MPI_LONG, c); break;
    case 2: MPI_Bcast(a, count, MPI_LONG, draw(97) % size, c); break;
    case 3:
      MPI_Iallgather(a, count, MPI_LONG, b, count, MPI_LONG, c, &q);
      MPI_Wait(&q, MPI_STATUS_IGNORE);
      break;
    case 4: MPI_Scan(a, b, count, MPI_LONG, MPI_MAX, c); break;
    case 5: MPI_Reduce_scatter_block(a, b, count, MPI_LONG, MPI_BXOR, c); break;
  }
  add(what == 2 ? a : b, 8 * count);
  free(a), free(b);
}

static void window(MPI_Comm c) {
  int rank, size, words = 8 + draw(64), how = draw(4);
  MPI_Comm_rank(c, &rank), MPI_Comm_size(c, &size);
  long *memory = calloc(words, 8), mine[4] = {me, me + 1, me + 2, me + 3}, old[4] = {0};
  MPI_Win w;
  if (how == 3) {
    MPI_Aint base, *all = malloc(size * sizeof base);
    MPI_Win_create_dynamic(MPI_INFO_NULL, c, &w);
    MPI_Win_attach(w, memory, 8 * words);
    MPI_Get_address(memory, &base);
    MPI_Allgather(&base, 1, MPI_AINT, all, 1, MPI_AINT, c);
    MPI_Win_fence(0, w);
    MPI_Put(mine, 2, MPI_LONG, (rank + 1) % size, all[(rank + 1) % size], 2, MPI_LONG, w);
    MPI_Win_fence(0, w);
    MPI_Win_detach(w, memory);
    free(all);
  } else {
    MPI_Win_create(memory, 8 * words, 8, MPI_INFO_NULL, c, &w);
    if (how == 0) {
      MPI_Datatype gaps;
      MPI_Type_vector(2, 1, 3, MPI_LONG, &gaps);
      MPI_Type_commit(&gaps);
      MPI_Win_fence(0, w);
      MPI_Accumulate(mine, 2, MPI_LONG, draw(97) % size, 1, 1, gaps, MPI_SUM, w);
      MPI_Get(old, 2, MPI_LONG, (rank + 1) % size, 6, 2, MPI_LONG, w);
      MPI_Win_fence(0, w);
      MPI_Type_free(&gaps);
    } else {
      int to = how == 1 ? 0 : (rank + 2) % size;
      MPI_Win_lock(MPI_LOCK_SHARED, to, 0, w);
      MPI_Fetch_and_op(mine, old, MPI_LONG, to, 0, MPI_SUM, w);
      MPI_Accumulate(mine, 4, MPI_LONG, to, 2, 4, MPI_LONG, MPI_MAX, w);
      MPI_Compare_and_swap(mine, old + 2, old + 1, MPI_LONG, to, 1, w);
      MPI_Win_unlock(to, w);
      if (how == 1) old[0] = old[1] = 0; /* by who came first */
    }
  }
  MPI_Win_free(&w);
  add(old, sizeof old);
  if (how != 1 && how != 2) add(memory, 8 * words);
  free(memory);
}

static void between(MPI_Comm c) {
  int rank, size;
  MPI_Comm_rank(c, &rank), MPI_Comm_size(c, &size);
  if (size < 2) return;
  MPI_Comm half, inter, merged;
  MPI_Comm_split(c, rank % 2, -rank, &half);
  MPI_Intercomm_create(half, 0, c, rank % 2 ? (size - 1) / 2 * 2 : (size - 2) / 2 * 2 + 1, 9, &inter);
  int value = me, got = -1;
  MPI_Allreduce(&value, &got, 1, MPI_INT, MPI_SUM, inter);
  MPI_Intercomm_merge(inter, rank % 2, &merged);
  exchange(merged);
  add(&got, 4);
  MPI_Comm_free(&merged), MPI_Comm_free(&inter), MPI_Comm_free(&half);
}

static void say(const char *what) {
  printf("rank %d: %s at %.12f, %016llx\n", me, what, MPI_Wtime(), sum);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me), MPI_Comm_size(MPI_COMM_WORLD, &n);
  state = atoi(argv[1]);
  MPI_Comm c = MPI_COMM_WORLD, other;
  for (int step = 0; step < atoi(argv[2]); step++) {
    int what = draw(8);
    unsigned long long next = state + 1; /* ranks of several communicators may draw differently */
    switch (what) {
      case 0: exchange(c); break;
      case 1:
      case 2: collect(c); break;
      case 3: window(c); break;
      case 4: between(c); break;
      case 5: usleep(draw(3) * (me % 3)); break;
      case 6:
        if (me % (1 + draw(4)) == 0) say("is here");
        break;
      case 7:
        if (c != MPI_COMM_WORLD) {
          MPI_Comm_free(&c);
          c = MPI_COMM_WORLD;
        }
        if (draw(3))
          MPI_Comm_split(c, me / (1 + draw(n)), draw(2) ? me : -me, &other);
        else
          MPI_Comm_dup(c, &other);
        c = other;
        break;
    }
    state = next;
  }
  say("ends");
  MPI_Finalize();
  return 0;
}
