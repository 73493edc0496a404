/* The heat equation on a cube that closes upon itself, in blocks: each rank exchanges the faces of its block with six
 * neighbours while it computes the inside.
 *
 *   halo3d [CELLS [STEPS]]   cells along each side of a rank's block, and steps; 16 and 20 without
 *
 * The beginning is a product of sines, of which each step leaves a known share: so the result is checked in every cell. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static const double share = 0.1; /* of the difference to each neighbour that flows in a step */

typedef struct {
  int n;                        /* cells along each side, without the layer of the neighbours' cells around them */
  int ranks[3], place[3];       /* blocks along each dimension, and which of them is ours */
  int below[3], above[3];       /* neighbours */
  MPI_Datatype out[6], in[6];   /* our outermost cells, and theirs: below and above in each dimension */
  MPI_Comm comm;
} block;

static size_t at(const block *b, int x, int y, int z) { return ((size_t)x * (b->n + 2) + y) * (b->n + 2) + z; }

/* A layer of cells, one thick: the one at a coordinate along a dimension. */
static MPI_Datatype layer(const block *b, int dimension, int coordinate) {
  int all[3], part[3], first[3];
  for (int d = 0; d < 3; d++) all[d] = b->n + 2, part[d] = b->n, first[d] = 1;
  part[dimension] = 1, first[dimension] = coordinate;
  MPI_Datatype type;
  MPI_Type_create_subarray(3, all, part, first, MPI_ORDER_C, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

static block divide(int n) {
  block b = {.n = n};
  int size, rank, periodic[3] = {1, 1, 1};
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 3, b.ranks);
  MPI_Cart_create(MPI_COMM_WORLD, 3, b.ranks, periodic, 1, &b.comm);
  MPI_Comm_rank(b.comm, &rank);
  MPI_Cart_coords(b.comm, rank, 3, b.place);
  for (int d = 0; d < 3; d++) {
    MPI_Cart_shift(b.comm, d, 1, &b.below[d], &b.above[d]);
    b.out[2 * d] = layer(&b, d, 1), b.out[2 * d + 1] = layer(&b, d, n);
    b.in[2 * d] = layer(&b, d, 0), b.in[2 * d + 1] = layer(&b, d, n + 1);
  }
  return b;
}

/* What the sines of a cell's place multiply to. */
static double wave(const block *b, int x, int y, int z) {
  const int local[3] = {x, y, z};
  double product = 1;
  for (int d = 0; d < 3; d++) product *= sin(2 * M_PI * (b->place[d] * b->n + local[d] - 1) / (b->ranks[d] * b->n));
  return product;
}

/* What a step leaves of it. */
static double left_over(const block *b) {
  double left = 1;
  for (int d = 0; d < 3; d++) left -= 2 * share * (1 - cos(2 * M_PI / (b->ranks[d] * b->n)));
  return left;
}

static void begin_exchange(const block *b, double *cells, MPI_Request requests[12]) {
  for (int d = 0; d < 3; d++) {
    MPI_Irecv(cells, 1, b->in[2 * d], b->below[d], 2 * d, b->comm, &requests[4 * d]);
    MPI_Irecv(cells, 1, b->in[2 * d + 1], b->above[d], 2 * d + 1, b->comm, &requests[4 * d + 1]);
    MPI_Isend(cells, 1, b->out[2 * d + 1], b->above[d], 2 * d, b->comm, &requests[4 * d + 2]);
    MPI_Isend(cells, 1, b->out[2 * d], b->below[d], 2 * d + 1, b->comm, &requests[4 * d + 3]);
  }
}

static void compute(const block *b, const double *old, double *new, int x, int y, int z) {
  size_t c = at(b, x, y, z), dx = at(b, 1, 0, 0), dy = at(b, 0, 1, 0);
  new[c] = old[c] + share * (old[c - dx] + old[c + dx] + old[c - dy] + old[c + dy] + old[c - 1] + old[c + 1] - 6 * old[c]);
}

static int inside(const block *b, int x) { return x > 1 && x < b->n; }

/* Computes the cells that need no neighbour's, or the others. */
static void compute_all(const block *b, const double *old, double *new, int need_none) {
  for (int x = 1; x <= b->n; x++)
    for (int y = 1; y <= b->n; y++)
      for (int z = 1; z <= b->n; z++)
        if ((inside(b, x) && inside(b, y) && inside(b, z)) == need_none) compute(b, old, new, x, y, z);
}

static double largest_error(const block *b, const double *cells, double amplitude) {
  double mine = 0, all;
  for (int x = 1; x <= b->n; x++)
    for (int y = 1; y <= b->n; y++)
      for (int z = 1; z <= b->n; z++) mine = fmax(mine, fabs(cells[at(b, x, y, z)] - amplitude * wave(b, x, y, z)));
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, b->comm);
  return all;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int n = argc > 1 ? atoi(argv[1]) : 16, steps = argc > 2 ? atoi(argv[2]) : 20, rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (n < 1 || steps < 0) {
    if (rank == 0) fprintf(stderr, "usage: halo3d [CELLS [STEPS]]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  block b = divide(n);
  double *old = calloc(at(&b, n + 2, 0, 0), sizeof *old), *new = calloc(at(&b, n + 2, 0, 0), sizeof *new);
  for (int x = 1; x <= n; x++)
    for (int y = 1; y <= n; y++)
      for (int z = 1; z <= n; z++) old[at(&b, x, y, z)] = wave(&b, x, y, z);

  double start = MPI_Wtime();
  for (int step = 0; step < steps; step++) {
    MPI_Request requests[12];
    begin_exchange(&b, old, requests);
    compute_all(&b, old, new, 1);
    MPI_Waitall(12, requests, MPI_STATUSES_IGNORE);
    compute_all(&b, old, new, 0);
    double *swap = old;
    old = new, new = swap;
  }
  double end = MPI_Wtime();

  double error = largest_error(&b, old, pow(left_over(&b), steps));
  if (rank == 0) {
    printf("%d x %d x %d cells, %d steps: %s\n", b.ranks[0] * n, b.ranks[1] * n, b.ranks[2] * n, steps, error < 1e-12 ? "right" : "wrong");
    if (steps) printf("time of a step: %.3f us\n", (end - start) / steps * 1e6);
  }
  free(old), free(new);
  for (int i = 0; i < 6; i++) MPI_Type_free(&b.out[i]), MPI_Type_free(&b.in[i]);
  MPI_Comm_free(&b.comm);
  MPI_Finalize();
  return error < 1e-12 ? 0 : 1;
}
