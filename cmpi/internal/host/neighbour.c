//go:build linux && (amd64 || arm64)

/* Graph topologies, and collectives between neighbours. */
#include "collective.h"

/* --- Graphs that every rank knows --- */

static int *copy_of(const int *from, int n) { return memcpy(malloc((n + 1) * sizeof(int)), from, n * sizeof(int)); }

int MPI_Graph_create(MPI_Comm comm, int nnodes, const int *index, const int *edges, int reorder, MPI_Comm *newcomm) {
  ENTER(MPI_Graph_create);
  INTRA(c, comm);
  *newcomm = MPI_COMM_NULL;
  REQUIRE(nnodes >= 0 && nnodes <= c->size, comm, MPI_ERR_ARG, "a graph of %d nodes needs more than the %d ranks of the communicator", nnodes, c->size);
  for (int i = 0; i < nnodes; i++) REQUIRE(index[i] >= (i ? index[i - 1] : 0), comm, MPI_ERR_ARG, "index %d is %d, less than the one before", i, index[i]);
  int nedges = nnodes ? index[nnodes - 1] : 0;
  for (int i = 0; i < nedges; i++) REQUIRE(edges[i] >= 0 && edges[i] < nnodes, comm, MPI_ERR_ARG, "edge %d leads to node %d, expected 0 to %d", i, edges[i], nnodes - 1);
  fc_comm *made;
  fc_comm_split(r, c, c->rank < nnodes ? 0 : MPI_UNDEFINED, c->rank, &made);
  *newcomm = made ? made->handle : MPI_COMM_NULL;
  if (!made) return MPI_SUCCESS;
  fc_topology *t = made->topology = calloc(1, sizeof *t);
  t->kind = MPI_GRAPH, t->nnodes = nnodes, t->nedges = nedges;
  t->index = copy_of(index, nnodes), t->edges = copy_of(edges, nedges);
  return MPI_SUCCESS;
}

#define GRAPH(c, t, comm, of, what) \
  COMM(c, comm); \
  fc_topology *t = c->topology; \
  REQUIRE(t && t->kind == of, comm, MPI_ERR_TOPOLOGY, "the communicator has no " what " topology")

int MPI_Graphdims_get(MPI_Comm comm, int *nnodes, int *nedges) {
  ENTER(MPI_Graphdims_get);
  GRAPH(c, t, comm, MPI_GRAPH, "graph");
  *nnodes = t->nnodes, *nedges = t->nedges;
  return MPI_SUCCESS;
}
int MPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int *index, int *edges) {
  ENTER(MPI_Graph_get);
  GRAPH(c, t, comm, MPI_GRAPH, "graph");
  for (int i = 0; i < t->nnodes && i < maxindex; i++) index[i] = t->index[i];
  for (int i = 0; i < t->nedges && i < maxedges; i++) edges[i] = t->edges[i];
  return MPI_SUCCESS;
}

static int first_edge(const fc_topology *t, int rank) { return rank ? t->index[rank - 1] : 0; }

int MPI_Graph_neighbors_count(MPI_Comm comm, int rank, int *nneighbors) {
  ENTER(MPI_Graph_neighbors_count);
  GRAPH(c, t, comm, MPI_GRAPH, "graph");
  REQUIRE(rank >= 0 && rank < c->size, comm, MPI_ERR_RANK, "found rank %d, expected 0 to %d", rank, c->size - 1);
  *nneighbors = t->index[rank] - first_edge(t, rank);
  return MPI_SUCCESS;
}
int MPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int *neighbors) {
  ENTER(MPI_Graph_neighbors);
  GRAPH(c, t, comm, MPI_GRAPH, "graph");
  REQUIRE(rank >= 0 && rank < c->size, comm, MPI_ERR_RANK, "found rank %d, expected 0 to %d", rank, c->size - 1);
  for (int i = first_edge(t, rank), n = 0; i < t->index[rank] && n < maxneighbors; i++) neighbors[n++] = t->edges[i];
  return MPI_SUCCESS;
}
int MPI_Graph_map(MPI_Comm comm, int nnodes, const int *index, const int *edges, int *newrank) {
  ENTER(MPI_Graph_map);
  INTRA(c, comm);
  REQUIRE(nnodes > 0 && nnodes <= c->size, comm, MPI_ERR_ARG, "found %d nodes, expected 1 to %d", nnodes, c->size);
  *newrank = c->rank < nnodes ? c->rank : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

/* --- Graphs of which every rank knows its own edges --- */

static fc_topology *distributed(int indegree, int outdegree, int weighted) {
  fc_topology *t = calloc(1, sizeof *t);
  t->kind = MPI_DIST_GRAPH, t->indegree = indegree, t->outdegree = outdegree, t->weighted = weighted;
  t->sources = calloc(indegree + 1, sizeof(int)), t->source_weights = calloc(indegree + 1, sizeof(int));
  t->destinations = calloc(outdegree + 1, sizeof(int)), t->destination_weights = calloc(outdegree + 1, sizeof(int));
  return t;
}

static int check_ranks(fc_rank *r, fc_comm *c, int n, const int *ranks, const char *what) {
  for (int i = 0; i < n; i++)
    REQUIRE((ranks[i] >= 0 && ranks[i] < c->size) || ranks[i] == MPI_PROC_NULL, c->handle, MPI_ERR_RANK, "%s %d is rank %d, expected 0 to %d", what, i, ranks[i],
            c->size - 1);
  return MPI_SUCCESS;
}

int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int *sources, const int *sourceweights, int outdegree, const int *destinations,
                                   const int *destweights, MPI_Info info, int reorder, MPI_Comm *newcomm) {
  ENTER(MPI_Dist_graph_create_adjacent);
  INTRA(c, comm);
  REQUIRE(indegree >= 0 && outdegree >= 0, comm, MPI_ERR_ARG, "found degrees %d and %d", indegree, outdegree);
  int code = check_ranks(r, c, indegree, sources, "source");
  if (!code) code = check_ranks(r, c, outdegree, destinations, "destination");
  if (code) return code;
  int weighted = sourceweights != MPI_UNWEIGHTED && destweights != MPI_UNWEIGHTED;
  fc_topology *t = distributed(indegree, outdegree, weighted);
  for (int i = 0; i < indegree; i++) t->sources[i] = sources[i], t->source_weights[i] = weighted ? sourceweights[i] : 0;
  for (int i = 0; i < outdegree; i++) t->destinations[i] = destinations[i], t->destination_weights[i] = weighted ? destweights[i] : 0;
  fc_comm *made;
  fc_comm_split(r, c, 0, c->rank, &made);
  made->topology = t;
  *newcomm = made->handle;
  return MPI_SUCCESS;
}

typedef struct {
  int from, to, weight;
} edge;

/* All edges of all ranks, by rank. */
static edge *collect(fc_rank *r, fc_comm *c, const edge *own, int n, int *total) {
  const char *name = r->name;
  int *counts = malloc(2 * c->size * sizeof *counts), *places = counts + c->size, bytes = n * sizeof *own;
  MPI_Allgather(&bytes, 1, MPI_INT, counts, 1, MPI_INT, c->handle);
  int end = 0;
  for (int i = 0; i < c->size; i++) places[i] = end, end += counts[i];
  edge *all = malloc(end + 1);
  MPI_Allgatherv(own, bytes, MPI_BYTE, all, counts, places, MPI_BYTE, c->handle);
  free(counts);
  r->name = name;
  *total = end / sizeof *all;
  return all;
}

int MPI_Dist_graph_create(MPI_Comm comm, int n, const int *sources, const int *degrees, const int *destinations, const int *weights, MPI_Info info, int reorder,
                          MPI_Comm *newcomm) {
  ENTER(MPI_Dist_graph_create);
  INTRA(c, comm);
  REQUIRE(n >= 0, comm, MPI_ERR_ARG, "found %d sources", n);
  int own = 0, total, in = 0, out = 0, weighted = weights != MPI_UNWEIGHTED;
  for (int i = 0; i < n; i++) {
    REQUIRE(degrees[i] >= 0, comm, MPI_ERR_ARG, "source %d has degree %d", i, degrees[i]);
    own += degrees[i];
  }
  int code = check_ranks(r, c, n, sources, "source");
  if (!code) code = check_ranks(r, c, own, destinations, "destination");
  if (code) return code;
  edge *mine = malloc((own + 1) * sizeof *mine);
  for (int i = 0, k = 0; i < n; i++)
    for (int d = 0; d < degrees[i]; d++, k++) mine[k] = (edge){sources[i], destinations[k], weighted ? weights[k] : 0};
  fc_comm *made;
  fc_comm_split(r, c, 0, c->rank, &made);
  edge *all = collect(r, made, mine, own, &total);
  for (int i = 0; i < total; i++) out += all[i].from == c->rank, in += all[i].to == c->rank;
  fc_topology *t = made->topology = distributed(in, out, weighted);
  for (int i = in = out = 0; i < total; i++) {
    if (all[i].from == c->rank) t->destinations[out] = all[i].to, t->destination_weights[out++] = all[i].weight;
    if (all[i].to == c->rank) t->sources[in] = all[i].from, t->source_weights[in++] = all[i].weight;
  }
  free(mine), free(all);
  *newcomm = made->handle;
  return MPI_SUCCESS;
}

int MPI_Dist_graph_neighbors_count(MPI_Comm comm, int *indegree, int *outdegree, int *weighted) {
  ENTER(MPI_Dist_graph_neighbors_count);
  GRAPH(c, t, comm, MPI_DIST_GRAPH, "distributed graph");
  *indegree = t->indegree, *outdegree = t->outdegree, *weighted = t->weighted;
  return MPI_SUCCESS;
}
int MPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int *sources, int *sourceweights, int maxoutdegree, int *destinations, int *destweights) {
  ENTER(MPI_Dist_graph_neighbors);
  GRAPH(c, t, comm, MPI_DIST_GRAPH, "distributed graph");
  for (int i = 0; i < t->indegree && i < maxindegree; i++) {
    sources[i] = t->sources[i];
    if (t->weighted && sourceweights != MPI_UNWEIGHTED) sourceweights[i] = t->source_weights[i];
  }
  for (int i = 0; i < t->outdegree && i < maxoutdegree; i++) {
    destinations[i] = t->destinations[i];
    if (t->weighted && destweights != MPI_UNWEIGHTED) destweights[i] = t->destination_weights[i];
  }
  return MPI_SUCCESS;
}

/* --- Collectives --- */

/* Who a rank's neighbours are; opposite: a grid, where they come in pairs. */
typedef struct {
  int nsources, ndestinations, opposite;
  int *sources, *destinations;
} neighbours;

static int find_neighbours(fc_rank *r, fc_comm *c, neighbours *n) {
  fc_topology *t = c->topology;
  REQUIRE(t, c->handle, MPI_ERR_TOPOLOGY, "the communicator has no topology");
  *n = (neighbours){0};
  if (t->kind == MPI_CART) {
    n->nsources = n->ndestinations = 2 * t->ndims, n->opposite = 1;
    n->sources = n->destinations = malloc((2 * t->ndims + 1) * sizeof(int));
    for (int i = 0; i < 2 * t->ndims; i++) n->sources[i] = fc_grid_neighbour(t, c->rank, i / 2, i % 2 ? 1 : -1);
  } else if (t->kind == MPI_GRAPH) {
    n->nsources = n->ndestinations = t->index[c->rank] - first_edge(t, c->rank);
    n->sources = n->destinations = copy_of(t->edges + first_edge(t, c->rank), n->nsources);
  } else {
    n->nsources = t->indegree, n->ndestinations = t->outdegree;
    n->sources = copy_of(t->sources, t->indegree), n->destinations = copy_of(t->destinations, t->outdegree);
  }
  return MPI_SUCCESS;
}

static fc_finish *begin(fc_rank *r, fc_comm *c, const neighbours *n) {
  fc_finish *f = fc_plan(r, c, FC_NEIGHBOUR, n->opposite);
  f->call.sources = f->held[f->nheld++] = n->sources, f->call.nsources = n->nsources;
  f->call.destinations = n->destinations, f->call.ndestinations = n->ndestinations;
  if (n->destinations != n->sources) f->held[f->nheld++] = n->destinations;
  return f;
}

#define NEIGHBOURS(c, n, comm) \
  INTRA(c, comm); \
  neighbours n; \
  int failed = find_neighbours(r, c, &n); \
  if (failed) return failed

/* Counts and places of parts of the same size, one behind the other. */
static int *equal(int n, int count) {
  int *counts = malloc((2 * n + 1) * sizeof *counts);
  for (int i = 0; i < n; i++) counts[i] = count, counts[n + i] = i * count;
  return counts;
}

/* The same part for all. */
static fc_layout same(fc_finish *f, const void *buf, int count, fc_type *t, int n) {
  fc_layout l = {.counts = fc_hold(f, 16 * (int64_t)n), .total = t->size * count};
  l.offsets = l.counts + n;
  l.base = (char *)fc_packed(f, buf, count, t);
  for (int i = 0; i < n; i++) l.counts[i] = l.total;
  return l;
}

/* Counts of what comes: nothing from neighbours that there are not. */
static const int *arriving(fc_finish *f, const neighbours *n, const int *counts) {
  int *own = fc_hold(f, n->nsources * sizeof *own);
  for (int i = 0; i < n->nsources; i++) own[i] = n->sources[i] == MPI_PROC_NULL ? 0 : counts[i];
  return own;
}

static int allgatherv(fc_rank *r, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int *recvcounts, const int *displs,
                      int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  NEIGHBOURS(c, n, comm);
  COMMITTED(s, sendtype);
  COMMITTED(t, recvtype);
  COUNT(sendcount);
  COUNT(recvcount);
  int *own = recvcounts ? 0 : equal(n.nsources, recvcount);
  fc_finish *f = begin(r, c, &n);
  fc_layout out = same(f, sendbuf, sendcount, s, n.ndestinations);
  SENDS(out);
  fc_layout in = fc_lay(f, recvbuf, n.nsources, arriving(f, &n, own ? own : recvcounts), own ? own + n.nsources : displs, t, 0, 1);
  RECVS(in);
  free(own);
  return fc_run(r, c, f, request);
}

static int alltoallv(fc_rank *r, const void *sendbuf, const int *sendcounts, const int *sdispls, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                     const int *recvcounts, const int *rdispls, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
  NEIGHBOURS(c, n, comm);
  COMMITTED(s, sendtype);
  COMMITTED(t, recvtype);
  COUNT(sendcount);
  COUNT(recvcount);
  int *out_counts = sendcounts ? 0 : equal(n.ndestinations, sendcount), *in_counts = recvcounts ? 0 : equal(n.nsources, recvcount);
  fc_finish *f = begin(r, c, &n);
  fc_layout out = fc_lay(f, sendbuf, n.ndestinations, out_counts ? out_counts : sendcounts, out_counts ? out_counts + n.ndestinations : sdispls, s, 1, 0);
  SENDS(out);
  fc_layout in = fc_lay(f, recvbuf, n.nsources, arriving(f, &n, in_counts ? in_counts : recvcounts), in_counts ? in_counts + n.nsources : rdispls, t, 0, 1);
  RECVS(in);
  free(out_counts), free(in_counts);
  return fc_run(r, c, f, request);
}

/* One side of an alltoallw: displacements are in bytes and each neighbour has a type of its own. */
static int pack_all(fc_rank *r, MPI_Comm comm, fc_finish *f, fc_layout *l, int n, const void *buf, const int *counts, const MPI_Aint *displs,
                    const MPI_Datatype *types, int sends) {
  l->counts = fc_hold(f, 16 * (int64_t)n), l->offsets = l->counts + n, l->total = 0;
  for (int i = 0; i < n; i++) {
    COMMITTED(t, types[i]);
    COUNT(counts[i]);
    l->counts[i] = t->size * counts[i], l->offsets[i] = l->total;
    l->total += l->counts[i];
  }
  l->base = fc_hold(f, l->total);
  for (int i = 0; i < n; i++) {
    fc_type *t = fc_type_of(r, types[i]);
    if (sends)
      fc_pack(t, counts[i], (const char *)buf + displs[i], l->base + l->offsets[i]);
    else
      fc_later(f, l->base + l->offsets[i], (char *)buf + displs[i], counts[i], t, 0);
  }
  return MPI_SUCCESS;
}

static int alltoallw(fc_rank *r, const void *sendbuf, const int *sendcounts, const MPI_Aint *sdispls, const MPI_Datatype *sendtypes, void *recvbuf,
                     const int *recvcounts, const MPI_Aint *rdispls, const MPI_Datatype *recvtypes, MPI_Comm comm, MPI_Request *request) {
  NEIGHBOURS(c, n, comm);
  fc_finish *f = begin(r, c, &n);
  fc_layout in, out;
  int code = pack_all(r, comm, f, &out, n.ndestinations, sendbuf, sendcounts, sdispls, sendtypes, 1);
  if (!code) code = pack_all(r, comm, f, &in, n.nsources, recvbuf, arriving(f, &n, recvcounts), rdispls, recvtypes, 0);
  if (code) return code;
  SENDS(out);
  RECVS(in);
  fc_gives_parts(r, f, n.ndestinations, sendtypes), fc_takes_parts(r, f, n.nsources, recvtypes);
  return fc_run(r, c, f, request);
}

#define LIST(...) __VA_ARGS__
#define PAIR(name, parameters, call) \
  int MPI_Neighbor_##name(parameters, MPI_Comm comm) { \
    ENTER(MPI_Neighbor_##name); \
    MPI_Request *request = 0; \
    return call; \
  } \
  int MPI_Ineighbor_##name(parameters, MPI_Comm comm, MPI_Request *request) { \
    ENTER(MPI_Ineighbor_##name); \
    return call; \
  }
#define SEND const void *sendbuf, int sendcount, MPI_Datatype sendtype
#define RECV void *recvbuf, int recvcount, MPI_Datatype recvtype
#define RECVV void *recvbuf, const int *recvcounts, const int *rdispls, MPI_Datatype recvtype
PAIR(allgather, LIST(SEND, RECV), allgatherv(r, sendbuf, sendcount, sendtype, recvbuf, 0, 0, recvcount, recvtype, comm, request))
PAIR(allgatherv, LIST(SEND, RECVV), allgatherv(r, sendbuf, sendcount, sendtype, recvbuf, recvcounts, rdispls, 0, recvtype, comm, request))
PAIR(alltoall, LIST(SEND, RECV), alltoallv(r, sendbuf, 0, 0, sendcount, sendtype, recvbuf, 0, 0, recvcount, recvtype, comm, request))
PAIR(alltoallv, LIST(const void *sendbuf, const int *sendcounts, const int *sdispls, MPI_Datatype sendtype, RECVV),
     alltoallv(r, sendbuf, sendcounts, sdispls, 0, sendtype, recvbuf, recvcounts, rdispls, 0, recvtype, comm, request))
PAIR(alltoallw,
     LIST(const void *sendbuf, const int *sendcounts, const MPI_Aint *sdispls, const MPI_Datatype *sendtypes, void *recvbuf, const int *recvcounts,
          const MPI_Aint *rdispls, const MPI_Datatype *recvtypes),
     alltoallw(r, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm, request))
