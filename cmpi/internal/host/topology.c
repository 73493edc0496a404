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
  COMM(c, comm);
  *status = c->topology ? c->topology->kind : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int MPI_Cart_create(MPI_Comm comm, int ndims, const int *dims, const int *periods, int reorder, MPI_Comm *newcomm) {
  ENTER(MPI_Cart_create);
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
  CART(c, comm);
  *ndims = c->topology->ndims;
  return MPI_SUCCESS;
}

int MPI_Cart_get(MPI_Comm comm, int maxdims, int *dims, int *periods, int *coords) {
  ENTER(MPI_Cart_get);
  CART(c, comm);
  fc_topology *t = c->topology;
  for (int i = 0; i < t->ndims && i < maxdims; i++) dims[i] = t->dims[i], periods[i] = t->periods[i];
  coordinates(t, c->rank, maxdims, coords);
  return MPI_SUCCESS;
}

int MPI_Cart_rank(MPI_Comm comm, const int *coords, int *rank) {
  ENTER(MPI_Cart_rank);
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
  CART(c, comm);
  REQUIRE(direction >= 0 && direction < c->topology->ndims, comm, MPI_ERR_DIMS, "found direction %d, expected 0 to %d", direction, c->topology->ndims - 1);
  *source = fc_grid_neighbour(c->topology, c->rank, direction, -displacement);
  *dest = fc_grid_neighbour(c->topology, c->rank, direction, displacement);
  return MPI_SUCCESS;
}

int MPI_Cart_sub(MPI_Comm comm, const int *remain, MPI_Comm *newcomm) {
  ENTER(MPI_Cart_sub);
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
  COMM(c, comm);
  int64_t n = 1;
  for (int i = 0; i < ndims; i++) n *= dims[i];
  *newrank = c->rank < n ? c->rank : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

/* Shares out prime factors, the largest first, each to what is smallest so far. */
int MPI_Dims_create(int nnodes, int ndims, int *dims) {
  fc_rank *r = fc_enter_any_time("MPI_Dims_create");
  int open = 0, rest = nnodes, factors[32], nf = 0;
  for (int i = 0; i < ndims; i++) {
    REQUIRE(dims[i] >= 0 && (!dims[i] || rest % dims[i] == 0), MPI_COMM_WORLD, MPI_ERR_DIMS, "%d ranks cannot be laid out with %d in dimension %d", nnodes, dims[i], i);
    if (dims[i])
      rest /= dims[i];
    else
      open++;
  }
  REQUIRE(open || rest == 1, MPI_COMM_WORLD, MPI_ERR_DIMS, "the dimensions given do not hold %d ranks", nnodes);
  int share[open + 1];
  for (int i = 0; i < open; i++) share[i] = 1;
  for (int p = 2; rest > 1; p++) {
    if (p * p > rest) p = rest;
    for (; rest % p == 0; rest /= p) factors[nf++] = p;
  }
  while (nf-- > 0) {
    int least = 0;
    for (int i = 1; i < open; i++)
      if (share[i] < share[least]) least = i;
    share[least] *= factors[nf];
  }
  for (int i = 0; i < ndims; i++) {
    if (dims[i]) continue;
    int most = 0;
    for (int k = 1; k < open; k++)
      if (share[k] > share[most]) most = k;
    dims[i] = share[most];
    share[most] = 0;
  }
  return MPI_SUCCESS;
}
