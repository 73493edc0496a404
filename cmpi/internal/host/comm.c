//go:build linux && (amd64 || arm64)

/* Communicators. */
#define _GNU_SOURCE
#include <stdio.h>

#include "collective.h"

int fc_world_rank(const fc_comm *c, int rank) { return c->ranks ? c->ranks[rank] : rank; }

/* fc_remote_rank is the world rank of whom messages go to. */
int fc_remote_rank(const fc_comm *c, int rank) { return c->inter ? c->remote[rank] : fc_world_rank(c, rank); }

fc_comm *fc_comm_new(fc_rank *r, int context, int size, int rank, const int *ranks) {
  fc_comm *c = calloc(1, sizeof *c);
  c->context = c->send_context = context, c->size = size, c->rank = rank, c->ranks = ranks;
  c->handler = MPI_ERRORS_ARE_FATAL, c->users = 1, c->local = MPI_COMM_NULL;
  c->handle = MPI_COMM_NULL + fc_table_add(&r->mpi->comms, c);
  return c;
}

/* fc_comm_begin makes the predefined communicators. */
void fc_comm_begin(fc_rank *r) {
  fc_table_begin(&r->mpi->comms, 1);
  fc_comm_new(r, 0, r->size, r->id, 0);
  fc_comm_new(r, r->self_context, 1, 0, &r->id);
}

/* fc_comm_split makes a communicator of the ranks of the same color; null for MPI_UNDEFINED. */
int fc_comm_split(fc_rank *r, fc_comm *c, int color, int key, fc_comm **made) {
  fc_call call = {.what = FC_SPLIT, .context = c->context, .rank = c->rank, .size = c->size, .ranks = c->ranks, .owner = r,
                  .root = c->splits++, .color = color == MPI_UNDEFINED ? -1 : color, .key = key};
  r->call = &call;
  fc_pause(r, FC_COLLECTIVE);
  *made = call.new_context < 0 ? 0 : fc_comm_new(r, call.new_context, call.new_size, call.new_rank, call.new_ranks);
  if (*made) (*made)->handler = c->handler;
  return MPI_SUCCESS;
}

/* A context for messages from the given ranks, which are kept. */
static int new_context(fc_rank *r, int size, const int *ranks) {
  fc_call call = {.size = size, .ranks = ranks, .owner = r};
  r->call = &call;
  fc_pause(r, FC_CONTEXT);
  return call.new_context;
}

static MPI_Comm handle_of(const fc_comm *c) { return c ? c->handle : MPI_COMM_NULL; }

int MPI_Comm_size(MPI_Comm comm, int *size) {
  ENTER(MPI_Comm_size);
  TOLD(size);
  COMM(c, comm);
  *size = c->size;
  return MPI_SUCCESS;
}
int MPI_Comm_rank(MPI_Comm comm, int *rank) {
  ENTER(MPI_Comm_rank);
  TOLD(rank);
  COMM(c, comm);
  *rank = c->rank;
  return MPI_SUCCESS;
}
int MPI_Comm_test_inter(MPI_Comm comm, int *flag) {
  ENTER(MPI_Comm_test_inter);
  TOLD(flag);
  COMM(c, comm);
  *flag = c->inter;
  return MPI_SUCCESS;
}
int MPI_Comm_remote_size(MPI_Comm comm, int *size) {
  ENTER(MPI_Comm_remote_size);
  TOLD(size);
  COMM(c, comm);
  REQUIRE(c->inter, comm, MPI_ERR_COMM, "expected an intercommunicator");
  *size = c->remote_size;
  return MPI_SUCCESS;
}

/* Gives everybody in a communicator what its root has. */
static void spread(fc_rank *r, fc_comm *c, void *p, int64_t n, int root, int tag) {
  int rel = (c->rank - root + c->size) % c->size, bit = 1;
  for (; bit < c->size && !(rel & bit); bit <<= 1) {
  }
  if (rel) fc_recv_bytes(r, c, p, n, (rel - bit + root) % c->size, tag);
  for (bit >>= 1; bit; bit >>= 1)
    if (rel + bit < c->size) fc_send_bytes(r, c, p, n, (rel + bit + root) % c->size, tag);
}

enum { INTER_TAG = 0x40000000, LOCAL_TAG = 0x41000000 };

/* What leaders tell each other. */
typedef struct {
  int size, context, flag, pad;
} offer;

/* Makes an intercommunicator between the group of c and that of another leader. */
static fc_comm *join(fc_rank *r, fc_comm *c, int leader, fc_comm *peer, int remote, int tag) {
  offer both[2] = {{0}};
  int *theirs = 0;
  fc_comm *local;
  fc_comm_split(r, c, 0, c->rank, &local);
  if (c->rank == leader) {
    int *mine = malloc(c->size * sizeof *mine);
    for (int i = 0; i < c->size; i++) mine[i] = fc_world_rank(c, i);
    both[0] = (offer){.size = c->size, .context = new_context(r, c->size, mine)};
    tag = INTER_TAG | (tag & 0xffffff);
    fc_swap_bytes(r, peer, &both[0], sizeof(offer), &both[1], sizeof(offer), remote, tag);
    theirs = malloc(both[1].size * sizeof *theirs);
    fc_swap_bytes(r, peer, mine, c->size * sizeof *mine, theirs, both[1].size * sizeof *theirs, remote, tag);
  }
  spread(r, c, both, sizeof both, leader, LOCAL_TAG);
  if (!theirs) theirs = malloc(both[1].size * sizeof *theirs);
  spread(r, c, theirs, both[1].size * sizeof *theirs, leader, LOCAL_TAG);
  /* A group receives in the context that the other one has registered, whose ranks are the senders. */
  fc_comm *made = fc_comm_new(r, both[1].context, c->size, c->rank, local->ranks);
  made->send_context = both[0].context;
  made->inter = 1, made->remote = theirs, made->remote_size = both[1].size;
  made->local = local->handle, made->handler = c->handler;
  return made;
}

int MPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag, MPI_Comm *newcomm) {
  ENTER(MPI_Intercomm_create);
  TOLD(newcomm);
  COMM(c, local_comm);
  fc_comm *peer = fc_comm_of(r, peer_comm);
  REQUIRE(!c->inter, local_comm, MPI_ERR_COMM, "expected an intracommunicator");
  REQUIRE(local_leader >= 0 && local_leader < c->size, local_comm, MPI_ERR_RANK, "found local leader %d, expected 0 to %d", local_leader, c->size - 1);
  REQUIRE(peer || c->rank != local_leader, local_comm, MPI_ERR_COMM, "the leader's peer communicator is null");
  *newcomm = join(r, c, local_leader, peer, remote_leader, tag)->handle;
  return MPI_SUCCESS;
}

/* A rank's part in the split of an intercommunicator. */
typedef struct {
  int color, key, world, place;
} part;

static int by_key(const void *a, const void *b) {
  const part *p = a, *q = b;
  return p->key != q->key ? (p->key > q->key) - (p->key < q->key) : p->place - q->place;
}

/* The ranks of a color, in their new order; first is the place in the old group of the first of them. */
static int *select_color(part *all, int n, int color, int *count, int *first) {
  int *ranks = malloc((n + 1) * sizeof *ranks), k = 0;
  for (int i = 0; i < n; i++)
    if (all[i].color == color) all[k++] = all[i];
  qsort(all, k, sizeof *all, by_key);
  for (int i = 0; i < k; i++) ranks[i] = all[i].world;
  *count = k, *first = k ? all[0].place : -1;
  return ranks;
}

/* The members of one color in both groups make a new intercommunicator. */
static fc_comm *split_inter(fc_rank *r, fc_comm *c, int color, int key) {
  fc_comm *local = fc_comm_of(r, c->local), *sub;
  part own = {color, key, r->id, c->rank}, *mine = malloc(c->size * sizeof own), *theirs = malloc(c->remote_size * sizeof own);
  MPI_Allgather(&own, sizeof own, MPI_BYTE, mine, sizeof own, MPI_BYTE, c->local);
  r->name = "MPI_Comm_split";
  if (c->rank == 0) fc_swap_bytes(r, c, mine, c->size * sizeof own, theirs, c->remote_size * sizeof own, 0, INTER_TAG);
  spread(r, local, theirs, c->remote_size * sizeof own, 0, LOCAL_TAG);
  fc_comm_split(r, local, color, key, &sub);
  int n = 0, m = 0, first, other;
  int *ranks = color == MPI_UNDEFINED ? 0 : select_color(mine, c->size, color, &n, &first);
  int *remote = color == MPI_UNDEFINED ? 0 : select_color(theirs, c->remote_size, color, &m, &other);
  free(mine), free(theirs);
  if (!n || !m) return 0;
  int contexts[2] = {0};
  if (sub->rank == 0) {
    contexts[0] = new_context(r, n, ranks);
    fc_swap_bytes(r, c, &contexts[0], sizeof(int), &contexts[1], sizeof(int), other, INTER_TAG);
  }
  spread(r, sub, contexts, sizeof contexts, 0, LOCAL_TAG);
  fc_comm *made = fc_comm_new(r, contexts[1], n, sub->rank, ranks);
  made->send_context = contexts[0], made->handler = c->handler;
  made->inter = 1, made->remote = remote, made->remote_size = m, made->local = sub->handle;
  return made;
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm) {
  ENTER(MPI_Comm_split);
  TOLD(newcomm);
  COMM(c, comm);
  REQUIRE(color >= 0 || color == MPI_UNDEFINED, comm, MPI_ERR_ARG, "found color %d, expected 0 or more, or MPI_UNDEFINED", color);
  fc_comm *made;
  int code = MPI_SUCCESS;
  if (c->inter)
    made = split_inter(r, c, color, key);
  else
    code = fc_comm_split(r, c, color, key, &made);
  *newcomm = handle_of(made);
  return code;
}

int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm) {
  ENTER(MPI_Comm_split_type);
  TOLD(newcomm);
  COMM(c, comm);
  REQUIRE(split_type == MPI_COMM_TYPE_SHARED || split_type == MPI_UNDEFINED, comm, MPI_ERR_ARG, "found split type %d", split_type);
  fc_comm *made;
  int code = fc_comm_split(r, c, split_type == MPI_UNDEFINED ? MPI_UNDEFINED : r->host, key, &made);
  *newcomm = handle_of(made);
  return code;
}

int MPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm *newcomm) {
  ENTER(MPI_Intercomm_merge);
  TOLD(newcomm);
  COMM(c, intercomm);
  REQUIRE(c->inter, intercomm, MPI_ERR_COMM, "expected an intercommunicator");
  fc_comm *local = fc_comm_of(r, c->local);
  offer both[2] = {{.flag = high, .pad = fc_world_rank(c, 0)}};
  if (c->rank == 0) fc_swap_bytes(r, c, &both[0], sizeof(offer), &both[1], sizeof(offer), 0, INTER_TAG);
  spread(r, local, both, sizeof both, 0, LOCAL_TAG);
  int first = both[0].flag != both[1].flag ? !both[0].flag : both[0].pad < both[1].pad;
  int n = c->size + c->remote_size, *ranks = malloc(n * sizeof *ranks);
  for (int i = 0; i < c->size; i++) ranks[(first ? 0 : c->remote_size) + i] = fc_world_rank(c, i);
  for (int i = 0; i < c->remote_size; i++) ranks[(first ? c->size : 0) + i] = c->remote[i];
  int context = 0, other;
  if (c->rank == 0) {
    context = first ? new_context(r, n, ranks) : 0;
    fc_swap_bytes(r, c, &context, sizeof context, &other, sizeof other, 0, INTER_TAG);
    if (!first) context = other;
  }
  spread(r, local, &context, sizeof context, 0, LOCAL_TAG);
  fc_comm *made = fc_comm_new(r, context, n, (first ? 0 : c->remote_size) + c->rank, ranks);
  made->handler = c->handler;
  *newcomm = made->handle;
  return MPI_SUCCESS;
}

/* The same processes again. */
static fc_comm *duplicate(fc_rank *r, fc_comm *c) {
  fc_comm *made;
  if (c->inter)
    made = join(r, fc_comm_of(r, c->local), 0, c, 0, 1);
  else
    fc_comm_split(r, c, 0, c->rank, &made);
  made->handler = c->handler;
  made->topology = c->topology;
  return made;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm) {
  ENTER(MPI_Comm_dup);
  TOLD(newcomm);
  COMM(c, comm);
  fc_comm *made = duplicate(r, c);
  *newcomm = made->handle;
  int code = fc_attributes_copy(r, comm, c->attributes, &made->attributes);
  if (!code) return MPI_SUCCESS;
  *newcomm = MPI_COMM_NULL;
  return fc_error(r, comm, code, "an attribute could not be copied");
}
int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm) { return MPI_Comm_dup(comm, newcomm); }

/* The communicator has a handle at once, and what belongs to it when the request is complete. */
int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request) {
  ENTER(MPI_Comm_idup);
  TOLD(newcomm);
  COMM(c, comm);
  fc_comm *made = fc_comm_new(r, -1, c->size, c->rank, c->ranks);
  int code = fc_attributes_copy(r, comm, c->attributes, &made->attributes);
  if (code) {
    fc_table_drop(&r->mpi->comms, made->handle - MPI_COMM_NULL);
    free(made);
    *newcomm = MPI_COMM_NULL;
    return fc_error(r, comm, code, "an attribute could not be copied");
  }
  made->handler = c->handler, made->topology = c->topology;
  made->inter = c->inter, made->remote = c->remote, made->remote_size = c->remote_size;
  fc_finish *f = fc_plan(r, c, c->inter ? FC_DUPLICATE : FC_SPLIT, c->splits++);
  f->call.key = c->rank, f->made = made;
  *newcomm = made->handle;
  return fc_run(r, c, f, request);
}

/* fc_comm_made takes what MPI_Comm_idup has brought about. */
void fc_comm_made(fc_rank *r, fc_comm *made, const fc_call *by) {
  made->context = made->send_context = by->new_context;
  if (!made->inter) return;
  made->send_context = by->new_send;
  made->local = fc_comm_new(r, by->new_local, made->size, made->rank, made->ranks)->handle;
}

/* Whether all of a group are in a communicator. */
static int within(fc_rank *r, const fc_group *g, const fc_comm *c) {
  if (!c->ranks) return 1;
  char *here = calloc(r->size, 1);
  int all = 1;
  for (int i = 0; i < c->size; i++) here[c->ranks[i]] = 1;
  for (int i = 0; i < g->size && all; i++) all = here[g->ranks[i]];
  free(here);
  return all;
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm) {
  ENTER(MPI_Comm_create);
  TOLD(newcomm);
  COMM(c, comm);
  GROUP(g, group);
  *newcomm = MPI_COMM_NULL;
  REQUIRE(within(r, g, c), comm, MPI_ERR_GROUP, "the group has ranks that are not in the communicator");
  fc_comm *made;
  int member = g->rank != MPI_UNDEFINED && g->size, code = MPI_SUCCESS;
  if (c->inter)
    made = split_inter(r, c, member ? 0 : MPI_UNDEFINED, g->rank);
  else
    code = fc_comm_split(r, c, member ? g->ranks[0] : MPI_UNDEFINED, g->rank, &made);
  *newcomm = handle_of(made);
  return code;
}

/* Only the group's members take part, so its first member makes the context and passes it on. */
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm) {
  ENTER(MPI_Comm_create_group);
  TOLD(newcomm);
  COMM(c, comm);
  GROUP(g, group);
  *newcomm = MPI_COMM_NULL;
  if (g->rank == MPI_UNDEFINED) return MPI_SUCCESS;
  int *ranks = memcpy(malloc(g->size * sizeof *ranks), g->ranks, g->size * sizeof *ranks);
  int context = g->rank == 0 ? new_context(r, g->size, ranks) : 0;
  fc_comm members = {.context = 0, .send_context = 0, .size = g->size, .rank = g->rank, .ranks = ranks};
  /* The messages are those of the parent, whose ranks name the sources. */
  for (int bit = 1, got = g->rank == 0; bit < 2 * g->size; bit <<= 1) {
    int from = g->rank - bit;
    if (!got && g->rank >= bit && g->rank < 2 * bit) {
      int source = 0;
      for (; fc_world_rank(c, source) != ranks[from]; source++) {
      }
      fc_recv_bytes(r, c, &context, sizeof context, source, INTER_TAG | (tag & 0xffffff));
      got = 1;
    } else if (got && g->rank < bit && g->rank + bit < g->size) {
      int target = 0;
      for (; fc_world_rank(c, target) != ranks[g->rank + bit]; target++) {
      }
      fc_send_bytes(r, c, &context, sizeof context, target, INTER_TAG | (tag & 0xffffff));
    }
  }
  fc_comm *made = fc_comm_new(r, context, members.size, members.rank, ranks);
  made->handler = c->handler;
  *newcomm = made->handle;
  return MPI_SUCCESS;
}

int MPI_Comm_free(MPI_Comm *comm) {
  ENTER(MPI_Comm_free);
  TOLD(comm);
  COMM(c, *comm);
  REQUIRE(*comm != MPI_COMM_WORLD && *comm != MPI_COMM_SELF, *comm, MPI_ERR_COMM, "a predefined communicator cannot be freed");
  int code = fc_attributes_free(r, *comm, &c->attributes);
  if (code) return fc_error(r, *comm, code, "an attribute could not be deleted");
  fc_table_drop(&r->mpi->comms, *comm - MPI_COMM_NULL);
  free(c->name), free(c);
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}
int MPI_Comm_disconnect(MPI_Comm *comm) { return MPI_Comm_free(comm); }
int MPI_Comm_get_parent(MPI_Comm *parent) {
  *parent = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

/* How two groups compare. */
static int compare(const int *a, int n, const int *b, int m) {
  if (n != m) return MPI_UNEQUAL;
  int same = 1;
  for (int i = 0; i < n; i++) {
    if (a[i] == b[i]) continue;
    same = 0;
    int found = 0;
    for (int k = 0; k < n && !found; k++) found = a[i] == b[k];
    if (!found) return MPI_UNEQUAL;
  }
  return same ? MPI_IDENT : MPI_SIMILAR;
}

static int *ranks_of(const fc_comm *c, int remote) {
  int n = remote ? c->remote_size : c->size, *ranks = malloc((n + 1) * sizeof *ranks);
  for (int i = 0; i < n; i++) ranks[i] = remote ? c->remote[i] : fc_world_rank(c, i);
  return ranks;
}

int MPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int *result) {
  ENTER(MPI_Comm_compare);
  TOLD(result);
  COMM(a, comm1);
  COMM(b, comm2);
  if (comm1 == comm2) {
    *result = MPI_IDENT;
    return MPI_SUCCESS;
  }
  int *p = ranks_of(a, 0), *q = ranks_of(b, 0);
  *result = a->inter == b->inter ? compare(p, a->size, q, b->size) : MPI_UNEQUAL;
  if (a->inter && b->inter && *result != MPI_UNEQUAL) {
    int *s = ranks_of(a, 1), *t = ranks_of(b, 1), other = compare(s, a->remote_size, t, b->remote_size);
    if (other > *result) *result = other;
    free(s), free(t);
  }
  free(p), free(q);
  if (*result == MPI_IDENT) *result = MPI_CONGRUENT;
  return MPI_SUCCESS;
}

/* The name of a communicator that the program has given none. */
static const char *first_name(MPI_Comm comm) {
  return comm == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : comm == MPI_COMM_SELF ? "MPI_COMM_SELF" : "";
}

int MPI_Comm_set_name(MPI_Comm comm, const char *name) {
  ENTER(MPI_Comm_set_name);
  COMM(c, comm);
  free(c->name);
  c->name = strndup(name, MPI_MAX_OBJECT_NAME - 1);
  return MPI_SUCCESS;
}
int MPI_Comm_get_name(MPI_Comm comm, char *name, int *length) {
  ENTER(MPI_Comm_get_name);
  TOLD(length);
  COMM(c, comm);
  *length = snprintf(name, MPI_MAX_OBJECT_NAME, "%s", c->name ? c->name : first_name(comm));
  return MPI_SUCCESS;
}

/* --- Groups --- */

static fc_group nobody = {.rank = MPI_UNDEFINED};

fc_group *fc_group_of(fc_rank *r, MPI_Group group) {
  return group == MPI_GROUP_EMPTY ? &nobody : fc_table_get(&r->mpi->groups, group, MPI_GROUP_NULL);
}

fc_group *fc_group_new(fc_rank *r, int size, MPI_Group *handle) {
  fc_group *g = calloc(1, sizeof *g);
  g->size = size, g->rank = MPI_UNDEFINED;
  g->ranks = malloc((size + 1) * sizeof *g->ranks);
  if (size)
    *handle = MPI_GROUP_NULL + fc_table_add(&r->mpi->groups, g);
  else
    *handle = MPI_GROUP_EMPTY;
  return g;
}

static void locate(fc_rank *r, fc_group *g) {
  g->rank = MPI_UNDEFINED;
  for (int i = 0; i < g->size; i++)
    if (g->ranks[i] == r->id) g->rank = i;
}

static int group_of(fc_rank *r, const fc_comm *c, int remote, MPI_Group *group) {
  int n = remote ? c->remote_size : c->size;
  fc_group *g = fc_group_new(r, n, group);
  for (int i = 0; i < n; i++) g->ranks[i] = remote ? c->remote[i] : fc_world_rank(c, i);
  g->rank = remote ? MPI_UNDEFINED : c->rank;
  return MPI_SUCCESS;
}
int MPI_Comm_group(MPI_Comm comm, MPI_Group *group) {
  ENTER(MPI_Comm_group);
  TOLD(group);
  COMM(c, comm);
  return group_of(r, c, 0, group);
}
int MPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group) {
  ENTER(MPI_Comm_remote_group);
  TOLD(group);
  COMM(c, comm);
  REQUIRE(c->inter, comm, MPI_ERR_COMM, "expected an intercommunicator");
  return group_of(r, c, 1, group);
}
int MPI_Group_size(MPI_Group group, int *size) {
  ENTER(MPI_Group_size);
  TOLD(size);
  GROUP(g, group);
  *size = g->size;
  return MPI_SUCCESS;
}
int MPI_Group_rank(MPI_Group group, int *rank) {
  ENTER(MPI_Group_rank);
  TOLD(rank);
  GROUP(g, group);
  *rank = g->rank;
  return MPI_SUCCESS;
}

static int find(const fc_group *g, int world) {
  for (int i = 0; i < g->size; i++)
    if (g->ranks[i] == world) return i;
  return -1;
}

int MPI_Group_translate_ranks(MPI_Group group1, int n, const int *ranks1, MPI_Group group2, int *ranks2) {
  ENTER(MPI_Group_translate_ranks);
  TOLD(ranks2 || n <= 0);
  GROUP(a, group1);
  GROUP(b, group2);
  int *where = malloc(r->size * sizeof *where);
  for (int i = 0; i < r->size; i++) where[i] = MPI_UNDEFINED;
  for (int i = 0; i < b->size; i++) where[b->ranks[i]] = i;
  for (int i = 0; i < n; i++) {
    if (ranks1[i] == MPI_PROC_NULL) {
      ranks2[i] = MPI_PROC_NULL;
      continue;
    }
    if (ranks1[i] < 0 || ranks1[i] >= a->size) {
      free(where);
      return fc_error(r, MPI_COMM_WORLD, MPI_ERR_RANK, "found rank %d, expected 0 to %d", ranks1[i], a->size - 1);
    }
    ranks2[i] = where[a->ranks[ranks1[i]]];
  }
  free(where);
  return MPI_SUCCESS;
}

int MPI_Group_compare(MPI_Group group1, MPI_Group group2, int *result) {
  ENTER(MPI_Group_compare);
  TOLD(result);
  GROUP(a, group1);
  GROUP(b, group2);
  *result = compare(a->ranks, a->size, b->ranks, b->size);
  return MPI_SUCCESS;
}

/* A group of those ranks of a whose place in b is as wanted, and then, for a union, the others of b. */
static int combine(fc_rank *r, MPI_Group group1, MPI_Group group2, int from_a_in_b, int from_a_not_in_b, int from_b, MPI_Group *newgroup) {
  GROUP(a, group1);
  GROUP(b, group2);
  int *ranks = malloc((a->size + b->size + 1) * sizeof *ranks), n = 0;
  for (int i = 0; i < a->size; i++)
    if (find(b, a->ranks[i]) >= 0 ? from_a_in_b : from_a_not_in_b) ranks[n++] = a->ranks[i];
  for (int i = 0; i < b->size && from_b; i++)
    if (find(a, b->ranks[i]) < 0) ranks[n++] = b->ranks[i];
  fc_group *g = fc_group_new(r, n, newgroup);
  memcpy(g->ranks, ranks, n * sizeof *ranks);
  free(ranks);
  locate(r, g);
  return MPI_SUCCESS;
}
int MPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup) {
  ENTER(MPI_Group_union);
  TOLD(newgroup);
  return combine(r, group1, group2, 1, 1, 1, newgroup);
}
int MPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup) {
  ENTER(MPI_Group_intersection);
  TOLD(newgroup);
  return combine(r, group1, group2, 1, 0, 0, newgroup);
}
int MPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup) {
  ENTER(MPI_Group_difference);
  TOLD(newgroup);
  return combine(r, group1, group2, 0, 1, 0, newgroup);
}

/* Whether ranks are those of a group, each at most once. */
static int check_members(fc_rank *r, const fc_group *g, int n, const int *ranks) {
  char *seen = calloc(g->size + 1, 1);
  int wrong = 0;
  while (wrong < n && ranks[wrong] >= 0 && ranks[wrong] < g->size && !seen[ranks[wrong]]) seen[ranks[wrong++]] = 1;
  free(seen);
  if (wrong == n) return MPI_SUCCESS;
  int rank = ranks[wrong];
  REQUIRE(rank >= 0 && rank < g->size, MPI_COMM_WORLD, MPI_ERR_RANK, "found rank %d, expected 0 to %d", rank, g->size - 1);
  return fc_error(r, MPI_COMM_WORLD, MPI_ERR_RANK, "found rank %d twice", rank);
}

static int include(fc_rank *r, fc_group *g, int n, const int *ranks, MPI_Group *newgroup) {
  int code = check_members(r, g, n, ranks);
  if (code) return code;
  fc_group *made = fc_group_new(r, n, newgroup);
  for (int i = 0; i < n; i++) made->ranks[i] = g->ranks[ranks[i]];
  locate(r, made);
  return MPI_SUCCESS;
}

static int exclude(fc_rank *r, fc_group *g, int n, const int *ranks, MPI_Group *newgroup) {
  int code = check_members(r, g, n, ranks);
  if (code) return code;
  char *out = calloc(g->size + 1, 1);
  int *rest = malloc((g->size + 1) * sizeof *rest), left = 0;
  for (int i = 0; i < n; i++) out[ranks[i]] = 1;
  for (int i = 0; i < g->size; i++)
    if (!out[i]) rest[left++] = i;
  code = include(r, g, left, rest, newgroup);
  free(out), free(rest);
  return code;
}

int MPI_Group_incl(MPI_Group group, int n, const int *ranks, MPI_Group *newgroup) {
  ENTER(MPI_Group_incl);
  TOLD(newgroup);
  GROUP(g, group);
  REQUIRE(n >= 0, MPI_COMM_WORLD, MPI_ERR_ARG, "found a count of %d", n);
  return include(r, g, n, ranks, newgroup);
}
int MPI_Group_excl(MPI_Group group, int n, const int *ranks, MPI_Group *newgroup) {
  ENTER(MPI_Group_excl);
  TOLD(newgroup);
  GROUP(g, group);
  REQUIRE(n >= 0, MPI_COMM_WORLD, MPI_ERR_ARG, "found a count of %d", n);
  return exclude(r, g, n, ranks, newgroup);
}

/* Spells out ranges. */
static int *expand(int n, int ranges[][3], int *count) {
  int room = 16, *ranks = malloc(room * sizeof *ranks);
  *count = 0;
  for (int i = 0; i < n; i++) {
    int first = ranges[i][0], last = ranges[i][1], step = ranges[i][2];
    for (int k = first; step && (step > 0 ? k <= last : k >= last); k += step) {
      if (*count == room) ranks = realloc(ranks, (room *= 2) * sizeof *ranks);
      ranks[(*count)++] = k;
    }
  }
  return ranks;
}
static int check_ranges(fc_rank *r, int n, int ranges[][3]) {
  REQUIRE(n >= 0, MPI_COMM_WORLD, MPI_ERR_ARG, "found a count of %d", n);
  for (int i = 0; i < n; i++) {
    int first = ranges[i][0], last = ranges[i][1], step = ranges[i][2];
    REQUIRE(step, MPI_COMM_WORLD, MPI_ERR_ARG, "range %d has a step of 0", i);
    REQUIRE(first == last || (first < last) == (step > 0), MPI_COMM_WORLD, MPI_ERR_ARG, "range %d leads from %d to %d in steps of %d", i, first, last, step);
  }
  return MPI_SUCCESS;
}
int MPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup) {
  ENTER(MPI_Group_range_incl);
  TOLD(newgroup);
  GROUP(g, group);
  int count, code = check_ranges(r, n, ranges);
  if (code) return code;
  int *ranks = expand(n, ranges, &count);
  code = include(r, g, count, ranks, newgroup);
  free(ranks);
  return code;
}
int MPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup) {
  ENTER(MPI_Group_range_excl);
  TOLD(newgroup);
  GROUP(g, group);
  int count, code = check_ranges(r, n, ranges);
  if (code) return code;
  int *ranks = expand(n, ranges, &count);
  code = exclude(r, g, count, ranks, newgroup);
  free(ranks);
  return code;
}
int MPI_Group_free(MPI_Group *group) {
  ENTER(MPI_Group_free);
  TOLD(group);
  GROUP(g, *group);
  if (*group != MPI_GROUP_EMPTY) {
    fc_table_drop(&r->mpi->groups, *group - MPI_GROUP_NULL);
    free(g->ranks), free(g);
  }
  *group = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}
