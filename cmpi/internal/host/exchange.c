//go:build linux && (amd64 || arm64)

/* Large messages that programs send before they receive. Where an MPI library does not buffer messages of their size, such a
 * send blocks until its receiver posts the receive. If the receiver is blocked in a send of its own by then, and so on in a
 * circle, all wait for ever. Here each rank records for which of its own sends a message of another had to wait: for the last
 * that blocks before the receive was posted. The circles are searched for when the ranks have ended (exchanges.go).
 *
 * Messages are named by their number among the large ones from a rank to another. */
#include "job.h"
#include "state.h"

enum {
  RECENT = 64, /* sends that a receive may have been posted after */
  MOST = 256,  /* kinds of waits that are recorded of a rank */
};

/* Large messages to and from another rank, so far. */
typedef struct {
  int peer, used;
  uint32_t sent, received;
} fc_pair;

/* A send that blocks. */
typedef struct {
  int32_t peer;
  uint32_t number;
  int64_t size, site;
} fc_blocking;

/* A message of another rank, and the own send that had to end before it was received. Mirrored. */
typedef struct fc_blocked {
  int32_t source;
  uint32_t number;
  fc_blocking own;
} fc_blocked;

struct fc_exchange {
  fc_pair *pairs; /* by hash */
  int npairs, room;
  uint32_t blocking; /* sends that block, so far */
  fc_blocking recent[RECENT];
  fc_blocked list[MOST];
  int n;
};

static struct fc_exchange *exchange_of(fc_rank *r) {
  if (!r->exchange) r->exchange = calloc(1, sizeof *r->exchange);
  return r->exchange;
}

static fc_pair *place_of(const struct fc_exchange *e, int peer) {
  uint32_t i = (uint32_t)peer * 2654435761u;
  while (e->pairs[i & (e->room - 1)].used && e->pairs[i & (e->room - 1)].peer != peer) i++;
  return &e->pairs[i & (e->room - 1)];
}

static void grow(struct fc_exchange *e) {
  struct fc_exchange old = *e;
  e->room = old.room ? 2 * old.room : 8;
  e->pairs = calloc(e->room, sizeof *e->pairs);
  for (int i = 0; i < old.room; i++)
    if (old.pairs[i].used) *place_of(e, old.pairs[i].peer) = old.pairs[i];
  free(old.pairs);
}

static fc_pair *pair_of(struct fc_exchange *e, int peer) {
  if (2 * (e->npairs + 1) > e->room) grow(e);
  fc_pair *p = place_of(e, peer);
  if (!p->used) e->npairs++, p->used = 1, p->peer = peer;
  return p;
}

/* fc_exchange_send counts a large message to a world rank. */
void fc_exchange_send(fc_rank *r, fc_request *q, int peer) { q->turn = ++pair_of(exchange_of(r), peer)->sent; }

/* fc_exchange_block records that the rank waits for such a send, and for nothing else. */
void fc_exchange_block(fc_rank *r, const fc_request *q, int peer) {
  struct fc_exchange *e = r->exchange;
  e->recent[++e->blocking % RECENT] = (fc_blocking){peer, q->turn, q->capacity, r->site - r->image};
}

/* fc_exchange_begin records after which send a receive is posted. */
void fc_exchange_begin(fc_rank *r, fc_request *q) { q->turn = r->exchange ? r->exchange->blocking : 0; }

/* Of waits that recur, one is recorded. */
static int is_new(const struct fc_exchange *e, const fc_blocked *b) {
  for (int i = 0; i < e->n; i++) {
    const fc_blocked *a = &e->list[i];
    if (a->source == b->source && a->own.peer == b->own.peer && a->own.site == b->own.site && a->number - a->own.number == b->number - b->own.number) return 0;
  }
  return 1;
}

/* fc_exchange_receive counts a large message from a world rank. */
void fc_exchange_receive(fc_rank *r, const fc_request *q, int peer) {
  struct fc_exchange *e = exchange_of(r);
  uint32_t number = ++pair_of(e, peer)->received;
  if (!q->turn || e->blocking - q->turn >= RECENT || e->n == MOST) return;
  fc_blocked b = {peer, number, e->recent[q->turn % RECENT]};
  if (is_new(e, &b)) e->list[e->n++] = b;
}

/* fc_exchange_list returns what has been recorded of a rank. */
const fc_blocked *fc_exchange_list(const fc_rank *r, int *n) {
  *n = r->exchange ? r->exchange->n : 0;
  return *n ? r->exchange->list : 0;
}
