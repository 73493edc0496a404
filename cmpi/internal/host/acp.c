//go:build linux && (amd64 || arm64)

/* The basic layer of ACP. A global address is a rank, the number of a region there and a byte of it. A rank
 * finds what it must know of another's regions in memory: there or, if another process has the rank, in a mirror. */
#include "acp.h"

#include "access.h"

enum { OFFSET_BITS = 32, REGION_BITS = 12 };
#define STARTER 10240 /* bytes of starter memory */

typedef struct {
  char *base;
  size_t size;
  int color, open;
} area;

typedef struct fc_acp {
  int starter; /* number of its region; all that mirrors have */
  area *areas; /* by region */
  int nareas;
  int began; /* MPI, too */
  struct fc_acp **all; /* every rank's */
} fc_acp;

static int rank_of(acp_ga_t ga) { return (int)(ga >> (OFFSET_BITS + REGION_BITS)) - 1; }
static int region_of(acp_ga_t ga) { return (ga >> OFFSET_BITS) & ((1 << REGION_BITS) - 1); }
static uint64_t offset_of(acp_ga_t ga) { return ga & ((1ull << OFFSET_BITS) - 1); }
static acp_ga_t address(int rank, int region, uint64_t offset) {
  return (acp_ga_t)(rank + 1) << (OFFSET_BITS + REGION_BITS) | (acp_ga_t)region << OFFSET_BITS | offset;
}

static fc_acp *enter(const char *name) {
  fc_rank *r = fc_enter_any_time(name);
  if (!r->acp || r->finalized) fc_fail(r, r->acp ? "called after acp_finalize" : "called before acp_init");
  return r->acp;
}
#define ACP(name) \
  fc_acp *a = enter(#name); \
  fc_rank *r = fc_current()

/* Opens memory to other ranks: the number of the region. */
static int open_region(fc_rank *r, fc_acp *a, void *base, size_t size, int color) {
  if (size > 1ull << OFFSET_BITS) fc_fail(r, "found %zu bytes, expected at most 4 GiB", size);
  if (!r->omit) fc_check_mapped(r, base, size);
  fc_call memory = {.owner = r, .omit = r->omit, .recv = base, .recv_size = size};
  r->call = &memory;
  fc_pause(r, FC_REGISTER);
  int region = memory.new_context;
  if (region >= 1 << REGION_BITS) fc_fail(r, "more than %d registrations", (1 << REGION_BITS) - 1);
  if (region >= a->nareas) {
    a->areas = realloc(a->areas, (region + 8) * sizeof *a->areas);
    memset(a->areas + a->nareas, 0, (region + 8 - a->nareas) * sizeof *a->areas);
    a->nareas = region + 8;
  }
  a->areas[region] = (area){base, size, color, 1};
  return region;
}

int acp_init(int *argc, char ***argv) {
  ENTER_ANY_TIME(acp_init);
  if (r->acp) fc_fail(r, "called a second time");
  fc_acp *a = calloc(1, sizeof *a);
  if (!r->initialized) a->began = MPI_Init(argc, argv) == MPI_SUCCESS;
  r->name = "acp_init";
  a->starter = open_region(r, a, calloc(1, STARTER), STARTER, 0);
  fc_comm *c = fc_comm_of(r, MPI_COMM_WORLD);
  fc_call meet = {.what = FC_WINDOW, .context = c->context, .rank = c->rank, .size = c->size, .owner = r, .root = c->splits++, .send = a,
                  .send_size = sizeof a->starter, .recv_size = sizeof *a};
  r->call = &meet;
  fc_pause(r, FC_COLLECTIVE);
  a->all = (fc_acp **)meet.new_ranks;
  r->acp = a;
  return 0;
}

int acp_finalize(void) {
  ACP(acp_finalize);
  fc_access_complete(r, 0, INT64_MAX);
  MPI_Barrier(MPI_COMM_WORLD);
  if (a->began) MPI_Finalize();
  return 0;
}

int acp_reset(int rank) {
  ACP(acp_reset);
  (void)a;
  fc_fail(r, "the function is not part of Fabricast");
}

void acp_abort(const char *message) {
  ENTER_ANY_TIME(acp_abort);
  fc_fail(r, "%s", message ? message : "");
}

int acp_sync(void) {
  ACP(acp_sync);
  (void)a;
  int code = MPI_Barrier(MPI_COMM_WORLD);
  r->name = "acp_sync";
  return code ? -1 : 0;
}

int acp_rank(void) { return fc_current()->id; }
int acp_procs(void) { return fc_current()->size; }
int acp_colors(void) { return 1; }

acp_ga_t acp_query_starter_ga(int rank) {
  ACP(acp_query_starter_ga);
  return rank < 0 || rank >= r->size ? ACP_GA_NULL : address(rank, a->all[rank]->starter, 0);
}

acp_atkey_t acp_register_memory(void *base, size_t size, int color) {
  ACP(acp_register_memory);
  return address(r->id, open_region(r, a, base, size, color), 0);
}

/* The area of a global address of this rank. */
static area *area_of(fc_rank *r, fc_acp *a, acp_ga_t ga) {
  int region = region_of(ga);
  return rank_of(ga) == r->id && region < a->nareas && a->areas[region].open ? &a->areas[region] : 0;
}

int acp_unregister_memory(acp_atkey_t key) {
  ACP(acp_unregister_memory);
  area *own = area_of(r, a, key);
  if (!own) return -1;
  own->open = 0;
  fc_push(r, (fc_op){.kind = FC_UNREGISTER, .context = region_of(key)});
  return 0;
}

acp_ga_t acp_query_ga(acp_atkey_t key, void *p) {
  ACP(acp_query_ga);
  area *own = area_of(r, a, key);
  if (!own || (char *)p < own->base || (char *)p >= own->base + own->size) return ACP_GA_NULL;
  return key + ((char *)p - own->base);
}

void *acp_query_address(acp_ga_t ga) {
  ACP(acp_query_address);
  area *own = area_of(r, a, ga);
  return own ? own->base + offset_of(ga) : 0;
}

int acp_query_rank(acp_ga_t ga) { return ga ? rank_of(ga) : -1; }
int acp_query_color(acp_ga_t ga) {
  ACP(acp_query_color);
  area *own = area_of(r, a, ga);
  return own ? own->color : 0;
}

/* --- Operations --- */

static fc_sequence *sequence(size_t room) { return calloc(1, sizeof(fc_sequence) + room + 1); }

/* Starts operations, one after the other, when those up to a handle are complete. */
static acp_handle_t begin(fc_rank *r, fc_sequence *s, acp_handle_t order) {
  int64_t last = order < 0 ? INT64_MAX : order;
  if (s->n > 1 || fc_access_open(r, last)) return fc_access_follow(r, s, last);
  acp_handle_t handle = fc_access_start(r, s->ops[0]);
  if (s->ops[0].data == s->memory) fc_pause(r, FC_SYNC); /* operands are taken */
  free(s);
  return handle;
}

static void *here(fc_rank *r, fc_acp *a, acp_ga_t ga, size_t size) {
  area *own = area_of(r, a, ga);
  if (!own || offset_of(ga) + size > own->size)
    fc_fail(r, "found global address 0x%llx, expected %zu bytes that rank %d has registered", (unsigned long long)ga, size, r->id);
  return own->base + offset_of(ga);
}

static void check(fc_rank *r, acp_ga_t ga) {
  if (rank_of(ga) < 0 || rank_of(ga) >= r->size) fc_fail(r, "found global address 0x%llx, which is no rank's", (unsigned long long)ga);
}

static fc_op to(int kind, acp_ga_t ga) {
  return (fc_op){.kind = kind, .peer = rank_of(ga), .self = fc_current()->id, .context = region_of(ga), .place = offset_of(ga)};
}

static void put(fc_rank *r, fc_sequence *s, acp_ga_t dst, void *from, size_t size) {
  fc_op op = to(FC_PUT, dst);
  op.data = from, op.size = size, op.result_size = r->options;
  s->ops[s->n++] = op;
}

static void get(fc_sequence *s, void *into, acp_ga_t src, size_t size) {
  fc_op op = to(FC_GET, src);
  op.result = into, op.result_size = size;
  s->ops[s->n++] = op;
}

acp_handle_t acp_copy(acp_ga_t dst, acp_ga_t src, size_t size, acp_handle_t order) {
  ACP(acp_copy);
  check(r, dst), check(r, src);
  int between = rank_of(src) != r->id && rank_of(dst) != r->id; /* two other ranks: through this one's memory */
  fc_sequence *s = sequence(between ? size : 0);
  if (rank_of(src) == r->id) {
    put(r, s, dst, here(r, a, src, size), size);
  } else {
    get(s, between ? s->memory : here(r, a, dst, size), src, size);
    if (between) put(r, s, dst, s->memory, size);
  }
  return begin(r, s, order);
}

/* Starts to change a word of 4 or 8 bytes; its operands and, if it goes to another rank, what it was before are in the sequence's memory. */
static acp_handle_t change(fc_rank *r, fc_acp *a, acp_ga_t dst, acp_ga_t src, int kind, int operation, size_t size, uint64_t operand, uint64_t other,
                           acp_handle_t order) {
  check(r, dst), check(r, src);
  if (offset_of(src) % size) fc_fail(r, "found global address 0x%llx, expected a multiple of %zu", (unsigned long long)src, size);
  int local = rank_of(dst) == r->id;
  fc_sequence *s = sequence(3 * size);
  char *data = s->memory, *before = data + 2 * size;
  memcpy(data, &operand, size), memcpy(data + size, &other, size);
  fc_op op = to(kind, src);
  op.data = data, op.size = kind == FC_SWAP ? 2 * size : size;
  op.result = local ? here(r, a, dst, size) : before, op.result_size = size;
  op.op = operation, op.type = size == 4 ? MPI_UINT32_T : MPI_UINT64_T;
  s->ops[s->n++] = op;
  if (!local) put(r, s, dst, before, size);
  return begin(r, s, order);
}

#define CAS(size, type) \
  acp_handle_t acp_cas##size(acp_ga_t dst, acp_ga_t src, type old_value, type new_value, acp_handle_t order) { \
    ACP(acp_cas##size); \
    return change(r, a, dst, src, FC_SWAP, 0, size, old_value, new_value, order); \
  }
CAS(4, uint32_t)
CAS(8, uint64_t)

#define CHANGE(name, size, type, operation) \
  acp_handle_t acp_##name##size(acp_ga_t dst, acp_ga_t src, type value, acp_handle_t order) { \
    ACP(acp_##name##size); \
    return change(r, a, dst, src, FC_EXCHANGE, operation, size, value, 0, order); \
  }
#define CHANGES(name, operation) CHANGE(name, 4, uint32_t, operation) CHANGE(name, 8, uint64_t, operation)
CHANGES(swap, MPI_REPLACE)
CHANGES(add, MPI_SUM)
CHANGES(xor, MPI_BXOR)
CHANGES(or, MPI_BOR)
CHANGES(and, MPI_BAND)

int acp_complete(acp_handle_t handle) {
  ACP(acp_complete);
  (void)a;
  if (handle > 0) fc_access_known(r, handle);
  if (handle != ACP_HANDLE_NULL) fc_access_complete(r, 0, handle < 0 ? INT64_MAX : handle);
  return 0;
}

int acp_inquire(acp_handle_t handle) {
  ACP(acp_inquire);
  (void)a;
  if (handle > 0) fc_access_known(r, handle);
  return handle != ACP_HANDLE_NULL && !fc_access_test(r, handle < 0 ? INT64_MAX : handle);
}
