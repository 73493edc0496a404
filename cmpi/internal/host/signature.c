//go:build linux && (amd64 || arm64)

/* Type signatures: what the bytes of messages are. Every type has the number of its signature, which messages with contents carry, so that
 * the receiver can tell whether it takes the bytes for what the sender has meant them to be.
 *
 * Types that mean the same bytes match, whatever they are called: signed and unsigned integers of a size, those of C and of Fortran, complex
 * numbers and pairs of reals. MPI_BYTE and MPI_PACKED match everything, and so do types with parts of them. */
#define _GNU_SOURCE
#include <stdio.h>

#include "job.h"
#include "state.h"

const char fc_first_name[] = "";

/* Bytes of one kind. */
typedef struct {
  int64_t bytes;
  int kind;
} run;

typedef struct {
  run *runs; /* of one element */
  int n;
} signature;

enum { LONGEST = 4096, MOST = 0xffff, PLACES = 2 * (MOST + 1), LOOKED_AT = 1 << 16 }; /* runs of a signature; signatures; runs that are compared */

/* The signatures of several kinds, by number. */
static struct {
  pthread_mutex_t mutex;
  signature list[MOST + 1];
  int next;
  uint16_t places[PLACES]; /* numbers by hash, 0: none */
} known;

static int same(const signature *s, const run *runs, int n) {
  if (s->n != n) return 0;
  for (int i = 0; i < n; i++)
    if (s->runs[i].kind != runs[i].kind || s->runs[i].bytes != runs[i].bytes) return 0;
  return 1;
}

static uint32_t hash(const run *runs, int n) {
  uint64_t h = n;
  for (int i = 0; i < n; i++) h = (h ^ (runs[i].bytes << 4 | runs[i].kind)) * 0x9e3779b97f4a7c15, h ^= h >> 29;
  return h >> 16;
}

/* The number of a signature of several kinds. */
static int number(const run *runs, int n) {
  pthread_mutex_lock(&known.mutex);
  if (!known.next) known.next = FC_MIXED;
  uint32_t at = hash(runs, n) % PLACES;
  while (known.places[at] && !same(&known.list[known.places[at]], runs, n)) at = (at + 1) % PLACES;
  int found = known.places[at];
  if (!found && known.next <= MOST) {
    run *own = malloc(n * sizeof *own);
    found = known.places[at] = known.next++;
    known.list[found] = (signature){memcpy(own, runs, n * sizeof *own), n};
  }
  pthread_mutex_unlock(&known.mutex);
  return found ? found : FC_ANYTHING;
}

/* fc_signature_words tells the runs of a signature of several kinds: bytes and kind of each, and how many words that are. */
int fc_signature_words(int number, int64_t *words) {
  const signature *s = &known.list[number];
  for (int i = 0; i < s->n; i++) words[2 * i] = s->runs[i].bytes, words[2 * i + 1] = s->runs[i].kind;
  return 2 * s->n;
}

/* fc_signature_known returns the number of a signature that another process has told. */
int fc_signature_known(const int64_t *words, int n) {
  run *runs = malloc(LONGEST * sizeof *runs);
  for (int i = 0; i < n / 2; i++) runs[i] = (run){words[2 * i], (int)words[2 * i + 1]};
  int found = number(runs, n / 2);
  free(runs);
  return found;
}

/* fc_type_signature finds out the number of a type's signature. */
int fc_type_signature(fc_type *t) {
  run *runs = malloc(LONGEST * sizeof *runs);
  int n = 0, found = FC_ANYTHING;
  for (int64_t i = 0; i < t->nblocks && n <= LONGEST; i++) {
    int kind = fc_basic_signature(t->blocks[i].basic);
    if (kind == FC_ANYTHING) {
      n = 0;
      break;
    }
    if (n && runs[n - 1].kind == kind)
      runs[n - 1].bytes += fc_block_size(&t->blocks[i]);
    else if (n++ < LONGEST)
      runs[n - 1] = (run){fc_block_size(&t->blocks[i]), kind};
  }
  if (n == 1)
    found = runs->kind;
  else if (n > 1 && n <= LONGEST)
    found = number(runs, n);
  free(runs);
  __atomic_store_n(&t->signature, found, __ATOMIC_RELAXED); /* predefined types are shared by all ranks */
  return found;
}

/* Where one is in the bytes of a signature. */
typedef struct {
  signature of;
  run only; /* of one kind */
  int at;
  int64_t left;
} place;

static void begin(place *p, int number) {
  p->only = (run){INT64_MAX, number};
  p->of = number < FC_MIXED ? (signature){&p->only, 1} : known.list[number];
  p->at = 0, p->left = p->of.runs->bytes;
}

static void pass(place *p, int64_t bytes) {
  p->left -= bytes;
  if (p->left) return;
  if (++p->at == p->of.n) p->at = 0;
  p->left = p->of.runs[p->at].bytes;
}

/* fc_signatures_match tells whether so many bytes of one signature are those of another. */
int fc_signatures_match(int a, int b, int64_t bytes) {
  if (a == b || a <= FC_ANYTHING || b <= FC_ANYTHING) return 1;
  place p, q;
  begin(&p, a), begin(&q, b);
  for (int i = 0; bytes > 0 && i < LOOKED_AT; i++) {
    if (p.of.runs[p.at].kind != q.of.runs[q.at].kind) return 0;
    int64_t n = p.left < q.left ? p.left : q.left;
    bytes -= n;
    pass(&p, n), pass(&q, n);
  }
  return 1;
}

/* --- Telling of it --- */

static const char *const kinds[] = {[FC_ANYTHING] = "bytes", [FC_INT1] = "1-byte integers", [FC_INT2] = "2-byte integers", [FC_INT4] = "4-byte integers",
                                    [FC_INT8] = "8-byte integers", [FC_REAL4] = "4-byte reals", [FC_REAL8] = "8-byte reals",
                                    [FC_REAL10] = "80-bit reals", [FC_REAL16] = "16-byte reals"};

/* fc_describe_type puts a type into words: its name, if it is predefined, or what its bytes are. */
void fc_describe_type(int basic, int number, char *text, size_t room) {
  if (basic) {
    snprintf(text, room, "%s", fc_basic_name(basic));
    return;
  }
  if (number < FC_MIXED) {
    snprintf(text, room, "a derived datatype of %s", kinds[number]);
    return;
  }
  const signature *s = &known.list[number];
  size_t n = snprintf(text, room, "a derived datatype of");
  for (int i = 0; i < s->n && i < 4 && n < room; i++) n += snprintf(text + n, room - n, "%s %lld bytes of %s", i ? "," : "", (long long)s->runs[i].bytes, kinds[s->runs[i].kind]);
  if (s->n > 4 && n < room) snprintf(text + n, room - n, " and so on");
}

/* What is wrong, once for each place. */
typedef struct fc_mismatch {
  struct fc_mismatch *next;
  const char *call;
  uint64_t mark;
  int basic, signature, rank, source, tag; /* tag: of a message, or one of these */
  int64_t bytes, site, times;
} mismatch;
enum { OF_COLLECTIVE = -1, OF_ACCESS = -2 }; /* an access's source is its target */

static char *tell(const mismatch *m) {
  char sent[256], own[256], tag[32] = "", *text;
  fc_describe_type(m->mark >> 40 & 0xff, m->mark >> 48, sent, sizeof sent);
  fc_describe_type(m->basic, m->signature, own, sizeof own);
  int n;
  if (m->tag == OF_ACCESS) {
    n = asprintf(&text, "rank %d called %s with %s at the origin and %s at the target, rank %d (%lld bytes)", m->rank, m->call, sent, own, m->source, (long long)m->bytes);
  } else {
    if (m->tag >= 0) snprintf(tag, sizeof tag, " with tag %d", m->tag);
    n = asprintf(&text, "rank %d received by %s as %s what rank %d sent by %s as %s (%lld bytes%s)", m->rank, m->call, own, m->source,
                 fc_first_name + (int32_t)m->mark, sent, (long long)m->bytes, tag);
  }
  return n < 0 ? 0 : text;
}

static int alike(const mismatch *m, const mismatch *n) {
  return m->site == n->site && m->call == n->call && m->mark == n->mark && m->basic == n->basic && m->signature == n->signature;
}

enum { MOST_PLACES = 1000 };

/* Notes a mismatch. What is told of a place is the first one of the lowest rank. */
static void note(fc_job *j, const mismatch *new) {
  pthread_mutex_lock(&j->mutex);
  mismatch *m = j->mismatches;
  while (m && !alike(m, new)) m = m->next;
  if (!m && j->nmismatches < MOST_PLACES) {
    m = malloc(sizeof *m);
    *m = *new;
    m->next = j->mismatches;
    j->mismatches = m;
    j->nmismatches++;
  } else if (m) {
    int64_t times = m->times + 1;
    mismatch *next = m->next;
    if (new->rank < m->rank) *m = *new, m->next = next;
    m->times = times;
  }
  pthread_mutex_unlock(&j->mutex);
}

/* Notes a mismatch, or puts it into words if it is an error. */
static char *take_down(fc_rank *r, const mismatch *m) {
  if (r->job->types == FC_TYPES_FAIL) return tell(m);
  note(r->job, m);
  return 0;
}

/* fc_check_types compares what has come with what the receiver takes it for. It returns null, or what is wrong if that is an error. */
char *fc_check_types(fc_rank *r, const fc_request *q) {
  fc_type *t = fc_type_of(r, q->type);
  if (!t || q->proc_null || q->cancelled || !r->job->types) return 0;
  int own = fc_signature(t);
  int64_t bytes = q->status.size < q->capacity ? q->status.size : q->capacity;
  if (fc_signatures_match(own, q->status.mark >> 48, bytes)) return 0;
  const fc_comm *c = fc_comm_of(r, q->comm);
  mismatch m = {.call = r->name, .mark = q->status.mark, .basic = t->basic, .signature = own, .rank = r->id, .tag = q->status.tag, .bytes = bytes, .times = 1};
  m.source = c ? fc_remote_rank(c, q->status.source) : q->status.source;
  m.site = r->site - r->image;
  return take_down(r, &m);
}

/* fc_mistaken_part says that a rank has taken a part of a collective for something else than another rank has given. */
int fc_mistaken_part(fc_rank *r, MPI_Comm comm, const fc_call *call) {
  mismatch m = {.call = call->name, .mark = call->wrong_mark, .basic = call->wrong_taken >> 16, .signature = call->wrong_taken & MOST, .rank = r->id,
                .source = call->wrong_source, .tag = OF_COLLECTIVE, .bytes = call->wrong_bytes, .site = call->site, .times = 1};
  return fc_type_error(r, comm, take_down(r, &m));
}

/* fc_check_access compares the types of a one-sided operation. It returns null, or what is wrong if that is an error. */
char *fc_check_access(fc_rank *r, fc_type *origin, fc_type *target, int rank, int64_t bytes) {
  if (origin == target || !r->job->types || r->omit) return 0;
  int own = fc_signature(target);
  if (fc_signatures_match(fc_signature(origin), own, bytes)) return 0;
  mismatch m = {.call = r->name, .mark = fc_mark(r, origin), .basic = target->basic, .signature = own, .rank = r->id, .source = rank, .tag = OF_ACCESS, .bytes = bytes,
                .site = r->site - r->image, .times = 1};
  return take_down(r, &m);
}

/* fc_job_mismatch tells of the nth place at which types do not match, in no order; null if there is none. Times is how often it has come up, rank
 * the lowest one to whom it has. Key is the same for a place in all processes. */
char *fc_job_mismatch(fc_job *j, int n, int64_t *site, int64_t *times, int *rank, char **key) {
  const mismatch *m = j->mismatches;
  while (m && n--) m = m->next;
  if (!m) return 0;
  *site = m->site, *times = m->times, *rank = m->rank;
  char sent[256], own[256];
  fc_describe_type(m->mark >> 40 & 0xff, m->mark >> 48, sent, sizeof sent);
  fc_describe_type(m->basic, m->signature, own, sizeof own);
  if (asprintf(key, "%lld %s %s %s %d", (long long)m->site, m->call, sent, own, (int32_t)m->mark) < 0) *key = 0;
  return tell(m);
}
