//go:build linux && (amd64 || arm64)

/* Large buffers of a program lie in huge pages. Every rank writes to buffers of its own, so that with pages of 4 KiB the faults
 * of hundreds of ranks take longer than their messages. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host.h"

enum { HUGE = 2 << 20, HUGE_FROM = 2 * HUGE };

/* A program may use little of what it allocates, and then a huge page takes more memory than its small ones. So only buffers of
 * a quarter of the machine's memory in all lie in huge pages. */
static int within_limit(size_t n) {
  static size_t given, limit;
  if (!__atomic_load_n(&limit, __ATOMIC_RELAXED))
    __atomic_store_n(&limit, (size_t)sysconf(_SC_PHYS_PAGES) / 4 * (size_t)sysconf(_SC_PAGESIZE), __ATOMIC_RELAXED);
  if (n > limit || __atomic_load_n(&given, __ATOMIC_RELAXED) > limit - n) return 0;
  __atomic_fetch_add(&given, n, __ATOMIC_RELAXED);
  return 1;
}

/* fc_huge asks for huge pages for n bytes that have been allocated, and returns them. */
void *fc_huge(void *p, size_t n) {
  if (n < HUGE_FROM || !p || !within_limit(n)) return p;
  int before = errno;
  uintptr_t first = ((uintptr_t)p + HUGE - 1) & -(uintptr_t)HUGE, end = ((uintptr_t)p + n) & -(uintptr_t)HUGE;
  madvise((void *)first, end - first, MADV_HUGEPAGE); /* where it fails pages are small */
  errno = before;
  return p;
}

static void *my_malloc(size_t n) { return fc_huge(malloc(n), n); }

static void *my_calloc(size_t count, size_t size) {
  void *p = calloc(count, size); /* null where the product is too large */
  return fc_huge(p, count * size);
}

static void *my_realloc(void *p, size_t n) { return fc_huge(realloc(p, n), n); }

static void *my_aligned_alloc(size_t to, size_t n) { return fc_huge(aligned_alloc(to, n), n); }

static int my_posix_memalign(void **p, size_t to, size_t n) {
  int why = posix_memalign(p, to, n);
  if (!why) fc_huge(*p, n);
  return why;
}

/* C++'s new is in a library that is loaded only with programs that use it. */
#define NEW(wrapper, name)                                                \
  static void *wrapper(size_t n) {                                        \
    static void *(*theirs)(size_t);                                       \
    if (!theirs) theirs = (void *(*)(size_t))dlsym(RTLD_DEFAULT, name);   \
    return fc_huge(theirs(n), n);                                         \
  }
NEW(my_new, "_Znwm")
NEW(my_new_array, "_Znam")
#undef NEW

/* fc_allocation_symbol is what takes the place of a function that allocates memory; null if the name is of none. */
void *fc_allocation_symbol(const char *name) {
  static const struct { const char *name; void *address; } replaced[] = {
      {"malloc", my_malloc},       {"calloc", my_calloc},
      {"realloc", my_realloc},     {"aligned_alloc", my_aligned_alloc},
      {"_Znwm", my_new},           {"_Znam", my_new_array},
      {"posix_memalign", my_posix_memalign},
  };
  for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++)
    if (!strcmp(name, replaced[i].name)) return replaced[i].address;
  return 0;
}
