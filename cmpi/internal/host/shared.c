//go:build linux && (amd64 || arm64)

/* Memory that all ranks share: what every one of them would hold alike is there once. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>

#include "fabricast.h"
#include "state.h"

#define ARENA (1ul << 40) /* bytes of addresses; memory is taken as it is touched */

typedef struct fc_shared {
  char *name, *base;
  size_t size;
  int users;
  struct fc_shared *next;
} fc_shared;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fc_shared *list;
static char *arena;
static size_t used;

/* fc_is_shared tells whether what travels from or to an address needs no contents. */
int fc_is_shared(const void *p) {
  char *begin = __atomic_load_n(&arena, __ATOMIC_ACQUIRE);
  return begin && (char *)p >= begin && (char *)p < begin + ARENA;
}

/* Makes room. REQUIRES: lock. */
static fc_shared *make(fc_rank *r, const char *name, size_t size) {
  size_t pages = (size + 4096) & ~4095ul;
  if (!arena) {
    char *p = mmap(0, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return 0;
    __atomic_store_n(&arena, p, __ATOMIC_RELEASE);
  }
  if (pages > ARENA - used) return 0;
  fc_shared *s = calloc(1, sizeof *s);
  *s = (fc_shared){strdup(name), arena + used, size, 0, list};
  used += pages;
  return list = s;
}

void *Fabricast_Shared_malloc(size_t size, const char *name) {
  fc_rank *r = fc_current();
  r->name = "Fabricast_Shared_malloc";
  char *own = strdup(name); /* looked at before others may be kept waiting */
  pthread_mutex_lock(&lock);
  fc_shared *s = list;
  while (s && strcmp(s->name, own)) s = s->next;
  if (!s) s = make(r, own, size);
  size_t found = s ? s->size : 0;
  if (s && found == size) s->users++;
  pthread_mutex_unlock(&lock);
  if (s && found != size) fc_fail(r, "found %zu bytes for \"%s\", expected %zu as in another rank's call", size, own, found);
  free(own);
  return s ? s->base : 0;
}

void Fabricast_Shared_free(void *p) {
  pthread_mutex_lock(&lock);
  for (fc_shared **s = &list; *s; s = &(*s)->next) {
    if ((*s)->base != p) continue;
    if (--(*s)->users == 0) {
      fc_shared *gone = *s;
      *s = gone->next;
      madvise(gone->base, (gone->size + 4096) & ~4095ul, MADV_DONTNEED);
      free(gone->name), free(gone);
    }
    break;
  }
  pthread_mutex_unlock(&lock);
}
