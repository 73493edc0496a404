/* Topologies: grids, graphs and distributed graphs, and collectives between neighbours. */
#include <mpi.h>
#include <stdio.h>

static int rank, size;

static void show(const char *what, const int *values, int n) {
  char line[256];
  int at = 0;
  for (int i = 0; i < n; i++) at += snprintf(line + at, sizeof line - at, " %d", values[i]);
  line[at] = 0;
  printf("rank %d %s:%s\n", rank, what, line);
}

/* Everything that neighbours can do, on a communicator with so many of them. */
static void exchange(const char *what, MPI_Comm comm, int in, int out) {
  int mine[8], all[64], counts[8], places[8], outcounts[8], outplaces[8];
  MPI_Aint inbytes[8], outbytes[8];
  MPI_Datatype types[8];
  MPI_Request q[5];
  for (int i = 0; i < 8; i++) {
    mine[i] = 10 * rank + i, types[i] = MPI_INT;
    counts[i] = outcounts[i] = 1, places[i] = 2 * i, outplaces[i] = i, inbytes[i] = 8 * i, outbytes[i] = 4 * i;
  }
#define CLEAR for (int i = 0; i < 64; i++) all[i] = -1
  CLEAR;
  MPI_Neighbor_allgather(mine, 2, MPI_INT, all, 2, MPI_INT, comm);
  show(what, all, 2 * in);
  CLEAR;
  MPI_Ineighbor_allgatherv(mine, 1, MPI_INT, all, counts, places, MPI_INT, comm, &q[0]);
  MPI_Wait(&q[0], MPI_STATUS_IGNORE);
  show(what, all, 2 * in);
  CLEAR;
  MPI_Neighbor_alltoall(mine, 1, MPI_INT, all, 1, MPI_INT, comm);
  show(what, all, in);
  CLEAR;
  MPI_Neighbor_alltoallv(mine, outcounts, outplaces, MPI_INT, all, counts, places, MPI_INT, comm);
  show(what, all, 2 * in);
  CLEAR;
  MPI_Ineighbor_alltoallw(mine, outcounts, outbytes, types, all, counts, inbytes, types, comm, &q[0]);
  MPI_Wait(&q[0], MPI_STATUS_IGNORE);
  show(what, all, 2 * in);
}

static void grids(void) {
  int dims[1] = {size}, periods[1] = {1}, keep[1] = {0}, n;
  MPI_Comm ring, line, none;
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
  exchange("ring", ring, 2, 2);
  periods[0] = 0;
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &line);
  exchange("line", line, 2, 2);
  MPI_Cart_sub(line, keep, &none);
  if (none != MPI_COMM_NULL) {
    MPI_Cartdim_get(none, &n);
    printf("rank %d has a grid of %d dimensions\n", rank, n);
    MPI_Comm_free(&none);
  }
  MPI_Comm_free(&ring), MPI_Comm_free(&line);
}

static void graph(void) {
  int index[] = {2, 3, 4, 6}, edges[] = {1, 3, 0, 3, 0, 2}, n, m, status, neighbours[4], i[4], e[6];
  MPI_Comm comm, copy;
  MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &comm);
  MPI_Topo_test(comm, &status);
  MPI_Graphdims_get(comm, &n, &m);
  MPI_Graph_get(comm, 4, 6, i, e);
  if (rank == 0) printf("graph %d: %d nodes, %d edges\n", status == MPI_GRAPH, n, m), show("index", i, 4), show("edges", e, 6);
  MPI_Graph_neighbors_count(comm, rank, &n);
  MPI_Graph_neighbors(comm, rank, n, neighbours);
  show("neighbours", neighbours, n);
  MPI_Graph_map(MPI_COMM_WORLD, 3, index, edges, &m);
  printf("rank %d of three is %d\n", rank, m == MPI_UNDEFINED ? -1 : m);
  MPI_Comm_dup(comm, &copy);
  MPI_Topo_test(copy, &status);
  printf("rank %d copy %d\n", rank, status == MPI_GRAPH);
  MPI_Comm_free(&comm), MPI_Comm_free(&copy);
}

static void distributed(void) {
  int in[2] = {(rank + size - 1) % size, rank}, out[2] = {(rank + 1) % size, rank}, weights[2] = {rank, 7}, n, m, weighted, w[8], v[8], a[8], b[8];
  MPI_Comm comm;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, in, weights, 2, out, weights, MPI_INFO_NULL, 0, &comm);
  MPI_Dist_graph_neighbors_count(comm, &n, &m, &weighted);
  MPI_Dist_graph_neighbors(comm, n, a, w, m, b, v);
  printf("rank %d: %d in, %d out, weighted %d\n", rank, n, m, weighted);
  show("sources", a, n), show("destinations", b, m), show("weights", w, n), show("weights", v, m);
  exchange("adjacent", comm, n, m);
  MPI_Comm_free(&comm);
  int sources[1] = {(rank + 1) % size}, degrees[1] = {1}, destinations[1] = {(rank + 2) % size};
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, sources, degrees, destinations, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  MPI_Dist_graph_neighbors_count(comm, &n, &m, &weighted);
  MPI_Dist_graph_neighbors(comm, n, a, MPI_UNWEIGHTED, m, b, MPI_UNWEIGHTED);
  printf("rank %d: %d in, %d out, weighted %d\n", rank, n, m, weighted);
  show("sources", a, n), show("destinations", b, m);
  exchange("scattered", comm, n, m);
  MPI_Comm_free(&comm);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  grids();
  graph();
  distributed();
  MPI_Finalize();
  return 0;
}
