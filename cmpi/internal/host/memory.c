//go:build linux && (amd64 || arm64)

/* Checks of the program's memory before the simulator uses it. A program may pass any address: one that is wrong ends the
 * rank with a message. Memory is checked by touching it, a byte of each page, where fault.c knows what that was for. */
#pragma GCC optimize("O2") /* on the way of every message; see host.go */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "memory.h"

#ifndef MADV_POPULATE_READ /* Linux 5.14 */
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

enum { PAGE = 4096 };

/* Memory of the simulator: its own image, and Go's heap, which begins here and grows upwards. */
extern char __executable_start, _end;
#if defined(__x86_64__)
#define HEAP 0xc000000000ul
#elif defined(__aarch64__)
#define HEAP 0x4000000000ul
#endif
#define HEAP_SIZE (128ul << 30)
#define TOP (1ul << 47) /* of a program's addresses */

static inline int is_ours(uintptr_t p) { return p - HEAP < HEAP_SIZE || (p >= (uintptr_t)&__executable_start && p < (uintptr_t)&_end); }

/* fc_is_ours tells whether an address belongs to the simulator alone. */
int fc_is_ours(const void *address) { return is_ours((uintptr_t)address); }

static _Noreturn void refuse(fc_rank *r, const void *p, int64_t n, int how, const char *why) {
  fc_fail(r, "found address %p for %lld bytes to %s, where %s, expected memory of the program", p, (long long)n, how & FC_WRITE ? "write" : "read", why);
}

static void check_range(fc_rank *r, const void *p, int64_t n, int how) {
  uintptr_t first = (uintptr_t)p;
  const char *why = 0;
  if (first < PAGE || first >= TOP || (uintptr_t)n > TOP - first)
    why = "there can be no memory";
  else if (is_ours(first) || is_ours(first + n - 1))
    why = "the simulator's own memory is";
  if (why) refuse(r, p, n, how, why);
}

/* Writes what is there, so that a page that cannot be written to is found. Others may write it meanwhile. */
static void touch(char *p, int writes) {
  if (!writes) {
    (void)*(volatile char *)p;
    return;
  }
#if defined(__x86_64__)
  __asm__ volatile("lock; orb $0, %0" : "+m"(*p)::"memory", "cc");
#else
  char found = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(p, &found, found, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
#endif
}

/* Notes what memory is examined, for the handler of faults. */
static void examine(fc_rank *r, const void *p, int64_t n, int how) {
  r->examined = p, r->examined_size = n, r->examined_how = how;
  __asm__ volatile("" ::: "memory");
}
static void examined(fc_rank *r) {
  __asm__ volatile("" ::: "memory");
  r->examined = 0;
}

/* Pages are mapped at once: a fault for each takes longer than its messages. */
enum { POPULATE_FROM = 128 << 10 };
static void populate(const void *p, int64_t size, int how) {
  uintptr_t first = ((uintptr_t)p + PAGE - 1) & -(uintptr_t)PAGE, end = ((uintptr_t)p + size) & -(uintptr_t)PAGE;
  if (size >= POPULATE_FROM) madvise((void *)first, end - first, how & FC_WRITE ? MADV_POPULATE_WRITE : MADV_POPULATE_READ); /* where it fails pages fault as ever */
}

/* fc_check_memory ends the rank unless n bytes can be read, or written. */
void fc_check_memory(fc_rank *r, const void *p, int64_t n, int how) {
  if (n <= 0) return;
  check_range(r, p, n, how);
  if (how & FC_EXACTLY) populate(p, n, how);
  examine(r, p, n, how);
  char *at = (char *)p, *end = at + n;
  for (; at < end; at = (char *)(((uintptr_t)at | (PAGE - 1)) + 1)) touch(at, how & FC_WRITE);
  examined(r);
}

/* fc_check_begin is for memory of which it is not known how much will be used: only its first byte is looked at. */
void fc_check_begin(fc_rank *r, const void *p, int64_t n) {
  if (n <= 0) return;
  check_range(r, p, 1, FC_WRITE);
  examine(r, p, n, FC_WRITE);
  touch((char *)p, 0);
  examined(r);
}

/* fc_check_mapped is for memory that is opened to others, of which most may never be used: it has to be there, but is not touched. */
void fc_check_mapped(fc_rank *r, const void *p, int64_t n) {
  if (n <= 0) return;
  check_range(r, p, n, FC_WRITE);
  uintptr_t first = (uintptr_t)p & -(uintptr_t)PAGE;
  if (msync((void *)first, (uintptr_t)p + n - first, MS_ASYNC) && errno == ENOMEM)
    fc_fail(r, "found no memory in parts of the %lld bytes from address %p on, expected memory of the program", (long long)n, p);
  fc_check_begin(r, p, n);
  fc_check_begin(r, (const char *)p + n - 1, 1);
}

/* fc_bytes is how many bytes so many elements are. */
int64_t fc_bytes(fc_rank *r, int64_t size, int64_t count) {
  int64_t n;
  if (__builtin_mul_overflow(size, count, &n) || n > (int64_t)TOP)
    fc_fail(r, "found %lld elements of %lld bytes each, expected what a memory holds", (long long)count, (long long)size);
  return n;
}

/* fc_room is memory of the host's own. */
void *fc_room(fc_rank *r, int64_t n) {
  void *p = malloc(n + 1);
  if (!p) fc_fail(r, "found no memory for a copy of %lld bytes", (long long)n);
  return p;
}
