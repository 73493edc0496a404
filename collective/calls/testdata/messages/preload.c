/* Counts the messages that MPICH gives to UCX. Waiting processes let others run, for there are more
 * of them than cores. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>

static long messages;
static void *self; /* the endpoint of the process itself, where known */
static int learning;

void preload_self(int on) { learning = on; }

long preload_messages(void) { return messages; }

static int within; /* some of these functions call others */

#define COUNTED(name)                                                                           \
  void *name(void *a, void *b, size_t c, size_t d, void *e, void *f) {                          \
    static void *(*real)(void *, void *, size_t, size_t, void *, void *);                       \
    if (!real)                                                                                  \
      real = (void *(*)(void *, void *, size_t, size_t, void *, void *))dlsym(RTLD_NEXT, #name); \
    if (learning)                                                                               \
      self = a;                                                                                 \
    else if (a != self && !within)                                                              \
      messages++;                                                                               \
    within++;                                                                                   \
    void *request = real(a, b, c, d, e, f);                                                     \
    within--;                                                                                   \
    return request;                                                                             \
  }

COUNTED(ucp_tag_send_nbx)
COUNTED(ucp_tag_send_nbr)
COUNTED(ucp_tag_send_nb)
COUNTED(ucp_tag_send_sync_nbx)
COUNTED(ucp_am_send_nbx)
COUNTED(ucp_am_send_nb)

unsigned ucp_worker_progress(void *worker) {
  static unsigned (*real)(void *);
  if (!real) real = (unsigned (*)(void *))dlsym(RTLD_NEXT, "ucp_worker_progress");
  unsigned n = real(worker);
  if (!n) sched_yield();
  return n;
}
