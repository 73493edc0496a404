//go:build linux && (amd64 || arm64)

/* Cartesian topologies. */
#include "state.h"

#define CART(c, comm) \
  COMM(c, comm); \
  REQUIRE(c->topology && c->topology->kind == MPI_CART, comm, MPI_ERR_TOPOLOGY, "the communicator has no Cartesian topology")

static fc_topology *grid(int ndims, const int *dims, const int *periods) {
  fc_topology *t = calloc(1, sizeof *t);
  t->kind = MPI_CART, t->ndims = ndims;
  t->dims = malloc((ndims + 1) * sizeof(int)), t->periods = malloc((ndims + 1) * sizeof(int));
  for (int i = 0; i < ndims; i++) t->dims[i] = dims[i], t->periods[i] = periods[i] != 0;
  return t;
}

static void coordinates(const fc_topology *t, int rank, int n, int *coords) {
  for (int i = t->ndims - 1; i >= 0; i--) {
    if (i < n) coords[i] = rank % t->dims[i];
    rank /= t->dims[i];
  }
}

int MPI_Topo_test(MPI_Comm comm, int *status) {
  ENTER(MPI_Topo_test);
  TOLD(status);
  COMM(c, comm);
  *status = c->topology ? c->topology->kind : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int MPI_Cart_create(MPI_Comm comm, int ndims, const int *dims, const int *periods, int reorder, MPI_Comm *newcomm) {
  ENTER(MPI_Cart_create);
  TOLD(newcomm);
  COMM(c, comm);
  int64_t n = 1;
  *newcomm = MPI_COMM_NULL;
  REQUIRE(ndims >= 0, comm, MPI_ERR_DIMS, "found %d dimensions", ndims);
  for (int i = 0; i < ndims; i++) {
    REQUIRE(dims[i] > 0, comm, MPI_ERR_DIMS, "dimension %d has %d ranks", i, dims[i]);
    n *= dims[i];
  }
  REQUIRE(n <= c->size, comm, MPI_ERR_TOPOLOGY, "a grid of %lld ranks needs more than the %d of the communicator", (long long)n, c->size);
  fc_comm *made;
  fc_comm_split(r, c, c->rank < n ? 0 : MPI_UNDEFINED, c->rank, &made);
  *newcomm = made ? made->handle : MPI_COMM_NULL;
  if (made) made->topology = grid(ndims, dims, periods);
  return MPI_SUCCESS;
}

int MPI_Cartdim_get(MPI_Comm comm, int *ndims) {
  ENTER(MPI_Cartdim_get);
  TOLD(ndims);
  CART(c, comm);
  *ndims = c->topology->ndims;
  return MPI_SUCCESS;
}

int MPI_Cart_get(MPI_Comm comm, int maxdims, int *dims, int *periods, int *coords) {
  ENTER(MPI_Cart_get);
  CART(c, comm);
  fc_topology *t = c->topology;
  REQUIRE(maxdims >= t->ndims, comm, MPI_ERR_ARG, "there is room for %d dimensions, expected %d", maxdims, t->ndims);
  for (int i = 0; i < t->ndims; i++) dims[i] = t->dims[i], periods[i] = t->periods[i];
  coordinates(t, c->rank, maxdims, coords);
  return MPI_SUCCESS;
}

int MPI_Cart_rank(MPI_Comm comm, const int *coords, int *rank) {
  ENTER(MPI_Cart_rank);
  TOLD(rank);
  CART(c, comm);
  fc_topology *t = c->topology;
  int at = 0;
  for (int i = 0; i < t->ndims; i++) {
    int x = coords[i], d = t->dims[i];
    if (t->periods[i]) x = (x % d + d) % d;
    REQUIRE(x >= 0 && x < d, comm, MPI_ERR_ARG, "coordinate %d is %d, expected 0 to %d", i, x, d - 1);
    at = at * d + x;
  }
  *rank = at;
  return MPI_SUCCESS;
}

int MPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int *coords) {
  ENTER(MPI_Cart_coords);
  CART(c, comm);
  REQUIRE(rank >= 0 && rank < c->size, comm, MPI_ERR_RANK, "found rank %d, expected 0 to %d", rank, c->size - 1);
  REQUIRE(maxdims >= c->topology->ndims, comm, MPI_ERR_ARG, "found room for %d coordinates, expected %d", maxdims, c->topology->ndims);
  coordinates(c->topology, rank, maxdims, coords);
  return MPI_SUCCESS;
}

/* fc_grid_neighbour is the rank at a distance along a dimension. */
int fc_grid_neighbour(const fc_topology *t, int rank, int direction, int by) {
  int below = 1, d = t->dims[direction];
  for (int i = direction + 1; i < t->ndims; i++) below *= t->dims[i];
  int x = rank / below % d, to = x + by;
  if (t->periods[direction]) to = (to % d + d) % d;
  return to < 0 || to >= d ? MPI_PROC_NULL : rank + (to - x) * below;
}

int MPI_Cart_shift(MPI_Comm comm, int direction, int displacement, int *source, int *dest) {
  ENTER(MPI_Cart_shift);
  TOLD(source && dest);
  CART(c, comm);
  REQUIRE(direction >= 0 && direction < c->topology->ndims, comm, MPI_ERR_DIMS, "found direction %d, expected 0 to %d", direction, c->topology->ndims - 1);
  *source = fc_grid_neighbour(c->topology, c->rank, direction, -displacement);
  *dest = fc_grid_neighbour(c->topology, c->rank, direction, displacement);
  return MPI_SUCCESS;
}

int MPI_Cart_sub(MPI_Comm comm, const int *remain, MPI_Comm *newcomm) {
  ENTER(MPI_Cart_sub);
  TOLD(newcomm);
  CART(c, comm);
  fc_topology *t = c->topology;
  int coords[t->ndims + 1], dims[t->ndims + 1], periods[t->ndims + 1], n = 0, color = 0, key = 0;
  coordinates(t, c->rank, t->ndims, coords);
  for (int i = 0; i < t->ndims; i++) {
    if (remain[i])
      key = key * t->dims[i] + coords[i], dims[n] = t->dims[i], periods[n++] = t->periods[i];
    else
      color = color * t->dims[i] + coords[i];
  }
  fc_comm *made;
  if (!n) color = c->rank ? MPI_UNDEFINED : 0; /* a grid of no dimensions has one rank */
  fc_comm_split(r, c, color, key, &made);
  *newcomm = made ? made->handle : MPI_COMM_NULL;
  if (made) made->topology = grid(n, dims, periods);
  return MPI_SUCCESS;
}

int MPI_Cart_map(MPI_Comm comm, int ndims, const int *dims, const int *periods, int *newrank) {
  ENTER(MPI_Cart_map);
  TOLD(newrank);
  COMM(c, comm);
  int64_t n = 1;
  for (int i = 0; i < ndims; i++) n *= dims[i];
  *newrank = c->rank < n ? c->rank : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

/* Shares out prime factors, the largest first, each to what is smallest so far. */
/* The sides of a box, the longest first, that are as near to each other as can be: the longest and the shortest
 * differ least, and of such boxes it is the one whose shortest is longest, then the next. */
struct box {
  int n, sides[32], best[32], found;
  int spread;                    /* of the best: the longest side less the shortest */
  int ndivisors, divisors[1536]; /* of the volume, from 1 on; no int has more */
};

static void consider(struct box *b) {
  int last = b->n - 1, spread = b->sides[0] - b->sides[last], at = last;
  if (b->found && spread > b->spread) return;
  while (b->found && spread == b->spread && at >= 0 && b->sides[at] <= b->best[at])
    if (at == 0 || b->sides[at] < b->best[at]) return;
    else at--;
  b->found = 1, b->spread = spread;
  memcpy(b->best, b->sides, sizeof b->best);
}

static double power(int side, int n) {
  double p = 1;
  while (n-- > 0) p *= side;
  return p;
}

/* fill tries the sides from a place on that hold a volume, none of them longer than most. */
static void fill(struct box *b, int place, int volume, int most) {
  if (place == b->n) {
    if (volume == 1) consider(b);
    return;
  }
  for (int d = 0; d < b->ndivisors && b->divisors[d] <= most; d++) {
    int side = b->divisors[d], longest = place ? b->sides[0] : side;
    if (volume % side || power(side, b->n - place) < volume || (b->found && longest - side > b->spread)) continue;
    if (!place && b->found && side > b->spread && power(side - b->spread, b->n) > volume) return;
    b->sides[place] = side;
    fill(b, place + 1, volume / side, side);
  }
}

static void divide(struct box *b, int volume) {
  int n = 0;
  for (int d = 1; (int64_t)d * d <= volume; d++)
    if (volume % d == 0) b->divisors[n++] = d;
  for (int i = n - 1; i >= 0; i--)
    if (volume / b->divisors[i] != b->divisors[i]) b->divisors[n++] = volume / b->divisors[i];
  b->ndivisors = n;
}

static void balance(int volume, int n, int *sides) {
  struct box b = {.n = n < 32 ? n : 32};
  divide(&b, volume);
  if (n) fill(&b, 0, volume, volume);
  for (int i = 0; i < n; i++) sides[i] = i < b.n ? b.best[i] : 1;
}

int MPI_Dims_create(int nnodes, int ndims, int *dims) {
  ENTER_ANY_TIME(MPI_Dims_create);
  int open = 0, rest = nnodes;
  for (int i = 0; i < ndims; i++) {
    REQUIRE(dims[i] >= 0 && (!dims[i] || rest % dims[i] == 0), MPI_COMM_WORLD, MPI_ERR_DIMS, "%d ranks cannot be laid out with %d in dimension %d", nnodes, dims[i], i);
    if (dims[i])
      rest /= dims[i];
    else
      open++;
  }
  REQUIRE(open || rest == 1, MPI_COMM_WORLD, MPI_ERR_DIMS, "the dimensions given do not hold %d ranks", nnodes);
  int shares[open + 1];
  balance(rest, open, shares);
  for (int i = 0, k = 0; i < ndims; i++)
    if (!dims[i]) dims[i] = shares[k++];
  return MPI_SUCCESS;
}
