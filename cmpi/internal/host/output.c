//go:build linux && (amd64 || arm64)

/* What ranks print, and in which order: as they come, or by simulated time, whichever worker has run them. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "job.h"

static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
static int destination[2] = {1, 2};

void fc_redirect(int out) { destination[0] = out; }

static void write_all(int fd, const char *p, size_t n) {
  while (n) {
    ssize_t done = write(fd, p, n);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return;
    p += done, n -= done;
  }
}

static void write_lines(int prefix, int rank, int which, const char *p, size_t n) {
  if (!prefix) {
    write_all(destination[which], p, n);
    return;
  }
  char label[24];
  int length = snprintf(label, sizeof label, "[%d] ", rank);
  for (const char *end = p + n; p < end;) {
    const char *next = memchr(p, '\n', end - p);
    next = next ? next + 1 : end;
    write_all(destination[which], label, length);
    write_all(destination[which], p, next - p);
    p = next;
  }
}

/* --- Holding back --- */

/* What a rank has printed at once. */
typedef struct {
  int64_t clock; /* ps, of the rank */
  int64_t nth;
  int rank, which;
  size_t length;
  char *text;
} piece;

enum { MOST_HELD = 64 << 20, LONGEST_HELD = 10 }; /* bytes; s of host time */

/* What is held back: a heap by clock, then rank. */
static struct {
  int on, prefix;
  piece *pieces;
  size_t n, room, bytes;
  int64_t nth;
  int64_t earliest; /* clock of the first; read without the mutex */
  time_t since;     /* when something was last written or, if nothing was held, came */
} held = {.earliest = INT64_MAX};

/* fc_hold_output holds back what ranks print until it is released. It returns where one can read from when (ps) the earliest of it is. */
const int64_t *fc_hold_output(fc_job *j) {
  pthread_mutex_lock(&writing);
  held.on = 1, held.prefix = j->prefix;
  pthread_mutex_unlock(&writing);
  return &held.earliest;
}

/* fc_earliest_output returns the same without any effect. */
const int64_t *fc_earliest_output(void) { return &held.earliest; }

static int earlier(const piece *p, const piece *q) {
  if (p->clock != q->clock) return p->clock < q->clock;
  if (p->rank != q->rank) return p->rank < q->rank;
  return p->nth < q->nth;
}

static void told(void) { __atomic_store_n(&held.earliest, held.n ? held.pieces->clock : INT64_MAX, __ATOMIC_RELAXED); }

static void push(piece new) {
  if (held.n == held.room) {
    held.room = held.room ? 2 * held.room : 64;
    held.pieces = realloc(held.pieces, held.room * sizeof new);
  }
  size_t i = held.n++;
  for (; i && earlier(&new, &held.pieces[(i - 1) / 2]); i = (i - 1) / 2) held.pieces[i] = held.pieces[(i - 1) / 2];
  held.pieces[i] = new;
}

static piece pop(void) {
  piece first = *held.pieces, last = held.pieces[--held.n];
  size_t i = 0;
  for (size_t child; (child = 2 * i + 1) < held.n; i = child) {
    if (child + 1 < held.n && earlier(&held.pieces[child + 1], &held.pieces[child])) child++;
    if (!earlier(&held.pieces[child], &last)) break;
    held.pieces[i] = held.pieces[child];
  }
  held.pieces[i] = last;
  return first;
}

static void release(int64_t until) {
  while (held.n && held.pieces->clock < until) {
    piece p = pop();
    write_lines(held.prefix, p.rank, p.which, p.text, p.length);
    held.bytes -= p.length;
    free(p.text);
  }
  held.since = time(0);
  told();
}

/* What precedes a piece on its way to another process. */
typedef struct {
  int64_t clock, length;
  int32_t rank, which;
} piece_head;

/* fc_take_output removes all that is held: for another process, to be freed; null if there is nothing. */
char *fc_take_output(size_t *n) {
  pthread_mutex_lock(&writing);
  char *data = held.n ? malloc(held.bytes + held.n * sizeof(piece_head)) : 0, *to = data;
  while (held.n) {
    piece p = pop();
    piece_head head = {p.clock, p.length, p.rank, p.which};
    to = mempcpy(mempcpy(to, &head, sizeof head), p.text, p.length);
    held.bytes -= p.length;
    free(p.text);
  }
  *n = to - data;
  told();
  pthread_mutex_unlock(&writing);
  return data;
}

/* Holds a piece back. REQUIRES: the mutex. */
static void hold(piece new, const char *text) {
  if (!held.n) held.since = time(0);
  new.nth = held.nth++;
  new.text = memcpy(malloc(new.length), text, new.length);
  push(new);
  told();
  if ((held.bytes += new.length) > MOST_HELD) release(INT64_MAX);
}

/* fc_give_output holds back what another process has taken. */
void fc_give_output(const char *data, size_t n) {
  pthread_mutex_lock(&writing);
  for (const char *end = data + n; data < end;) {
    piece_head head;
    memcpy(&head, data, sizeof head);
    data += sizeof head;
    hold((piece){.clock = head.clock, .rank = head.rank, .which = head.which, .length = head.length}, data);
    data += head.length;
  }
  pthread_mutex_unlock(&writing);
}

/* fc_release_output writes what was printed before a simulated time (ps). */
void fc_release_output(int64_t until) {
  pthread_mutex_lock(&writing);
  release(until);
  pthread_mutex_unlock(&writing);
}

/* fc_release_old_output writes all that is held, if it has been for long: a rank may compute for ever. */
void fc_release_old_output(void) {
  pthread_mutex_lock(&writing);
  if (held.n && time(0) - held.since >= LONGEST_HELD) release(INT64_MAX);
  pthread_mutex_unlock(&writing);
}

/* fc_leave_output writes all that is held as the process is about to end in a signal handler, unless that has come while something was written. */
void fc_leave_output(void) {
  if (pthread_mutex_trylock(&writing)) return;
  while (held.n) {
    piece p = pop();
    write_lines(held.prefix, p.rank, p.which, p.text, p.length);
  }
}

static int muted; /* nothing is printed: ranks run again */

/* fc_mute_output makes what ranks print be dropped, or ends that. */
void fc_mute_output(int on) { __atomic_store_n(&muted, on, __ATOMIC_RELAXED); }

/* fc_print writes whole lines of a rank, or holds them back. */
void fc_print(fc_rank *r, int which, const char *p, size_t n) {
  if (__atomic_load_n(&muted, __ATOMIC_RELAXED)) return;
  pthread_mutex_lock(&writing);
  if (!held.on) {
    write_lines(r->job->prefix, r->id, which, p, n);
  } else {
    hold((piece){.clock = r->clock, .rank = r->id, .which = which, .length = n}, p);
  }
  pthread_mutex_unlock(&writing);
}
