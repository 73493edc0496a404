/* Random one-sided operations on datatypes of several shapes, which every rank also does to a model of all windows. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 64, ROUNDS = 40, OPERATIONS = 4, SHAPES = 4, LARGEST = 4 };

/* A datatype, and where its integers lie. */
typedef struct {
  MPI_Datatype type;
  int count, places[LARGEST];
} shape;

static shape shapes[SHAPES] = {{0, 2, {0, 3}}, {0, 4, {5, 0, 1, 3}}, {0, 3, {0, -1, -2}}, {0, 4, {0, 1, 3, 4}}};
static unsigned seed;

static int any(int n) { return ((seed = seed * 1103515245 + 12345) >> 16) % n; }

static void make_shapes(void) {
  int lengths[] = {1, 2, 1}, places[] = {5, 0, 3};
  MPI_Datatype pairs;
  MPI_Type_vector(2, 1, 3, MPI_INT, &shapes[0].type);
  MPI_Type_indexed(3, lengths, places, MPI_INT, &shapes[1].type);
  MPI_Type_create_hvector(3, 1, -(MPI_Aint)sizeof(int), MPI_INT, &shapes[2].type); /* backwards */
  MPI_Type_vector(2, 2, 3, MPI_INT, &pairs);
  MPI_Type_create_resized(pairs, 0, 8, &shapes[3].type);
  for (int i = 0; i < SHAPES; i++) MPI_Type_commit(&shapes[i].type);
}

static int combine(MPI_Op op, int memory, int data) {
  if (op == MPI_SUM) return memory + data;
  if (op == MPI_PROD) return (unsigned)memory * (unsigned)data;
  if (op == MPI_MAX) return memory > data ? memory : data;
  return op == MPI_BXOR ? memory ^ data : data;
}

/* What all ranks know of an operation. */
typedef struct {
  int kind, target, displacement, data[LARGEST];
  MPI_Op op;
  const shape *of;
} access;
enum { PUT, GET, ACCUMULATE, GET_ACCUMULATE, GET_ALONE, KINDS };

static access choose(int ranks) {
  const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_BXOR, MPI_REPLACE};
  access a = {.kind = any(KINDS), .target = any(ranks), .displacement = 4 + any(40), .op = ops[any(5)], .of = &shapes[any(SHAPES)]};
  for (int i = 0; i < LARGEST; i++) a.data[i] = any(100);
  if (a.kind == PUT) a.op = MPI_REPLACE;
  return a;
}

/* Starts an operation; what it fetches comes densely. */
static void begin(const access *a, int *fetched, MPI_Win win) {
  int n = a->of->count, to = a->target, at = a->displacement;
  MPI_Datatype type = a->of->type;
  switch (a->kind) {
    case PUT: MPI_Put(a->data, n, MPI_INT, to, at, 1, type, win); break;
    case GET: MPI_Get(fetched, n, MPI_INT, to, at, 1, type, win); break;
    case ACCUMULATE: MPI_Accumulate(a->data, n, MPI_INT, to, at, 1, type, a->op, win); break;
    case GET_ACCUMULATE: MPI_Get_accumulate(a->data, n, MPI_INT, fetched, n, MPI_INT, to, at, 1, type, a->op, win); break;
    case GET_ALONE: MPI_Get_accumulate(NULL, 0, MPI_INT, fetched, n, MPI_INT, to, at, 1, type, MPI_NO_OP, win); break;
  }
}

/* Does it to the model, and tells in how many words what was fetched differs from it. */
static int follow(const access *a, int *model, const int *fetched) {
  int wrong = 0;
  for (int i = 0; i < a->of->count; i++) {
    int *word = model + a->target * WORDS + a->displacement + a->of->places[i];
    if (fetched && a->kind != PUT && a->kind != ACCUMULATE) wrong += fetched[i] != *word;
    if (a->kind != GET && a->kind != GET_ALONE) *word = combine(a->op, *word, a->data[i]);
  }
  return wrong;
}

int main(int argc, char **argv) {
  int rank, size, memory[WORDS];
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  make_shapes();
  int *model = malloc(size * WORDS * sizeof *model);
  for (int locks = 0; locks < 2; locks++) {
    int wrong = 0;
    for (int i = 0; i < WORDS; i++) memory[i] = i;
    for (int i = 0; i < size * WORDS; i++) model[i] = i % WORDS;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    for (int round = 0; round < ROUNDS; round++) {
      seed = round;
      int active = any(size);
      if (locks && rank == active) MPI_Win_lock_all(0, win);
      for (int k = 0; k < OPERATIONS; k++) {
        int fetched[LARGEST];
        access a = choose(size);
        if (rank == active) begin(&a, fetched, win);
        if (!locks)
          MPI_Win_fence(0, win);
        else if (rank == active)
          MPI_Win_flush(a.target, win);
        wrong += follow(&a, model, rank == active ? fetched : NULL);
      }
      if (locks && rank == active) MPI_Win_unlock_all(win);
      MPI_Barrier(MPI_COMM_WORLD);
      if (locks) MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
      wrong += memcmp(memory, model + rank * WORDS, sizeof memory) != 0;
      if (locks) MPI_Win_unlock(rank, win);
      MPI_Barrier(MPI_COMM_WORLD);
    }
    if (!locks) MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    printf("rank %d, %s: %d wrong\n", rank, locks ? "locks" : "fences", wrong);
  }
  free(model);
  MPI_Finalize();
  return 0;
}
