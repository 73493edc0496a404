//go:build linux && (amd64 || arm64)

/* Threads that a rank starts. They run on threads of the host, beside the simulation and in no simulated time, unless
 * computation is measured; they have the rank's variables, its output, and thread-local variables of their own. */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "job.h"

typedef struct {
  fc_rank *owner;
  char *variables;
  void *(*begin)(void *);
  void *argument;
  char signals[32 << 10]; /* the stack for the handler of mistakes, which may be that of the thread's own stack */
} fc_thread;

static __thread fc_thread *of_rank; /* on a thread that a rank has started */
static pthread_key_t ending;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* fc_owner is the rank that runs on this thread, or has started it. */
fc_rank *fc_owner(void) {
  fc_rank *r = fc_current();
  return r || !of_rank ? r : of_rank->owner;
}

/* fc_tls_get_addr finds a thread-local variable: in the part of its module, and there. */
void *fc_tls_get_addr(size_t *index) {
  fc_rank *r = fc_current();
  return (r ? r->tls : of_rank->variables) + index[0] + index[1];
}

/* Destructors of thread-local variables have been called by then. */
static void end(void *thread) {
  fc_thread *t = thread;
  stack_t none = {.ss_flags = SS_DISABLE};
  sigaltstack(&none, 0);
  struct timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  __atomic_add_fetch(&t->owner->threads.time, used.tv_sec * 1000000000ll + used.tv_nsec, __ATOMIC_ACQ_REL);
  __atomic_sub_fetch(&t->owner->threads.running, 1, __ATOMIC_ACQ_REL);
  free(t->variables);
  free(t);
}
static void make_key(void) { pthread_key_create(&ending, end); }

static void keep_stack_for_signals(fc_thread *t) {
  stack_t stack = {.ss_sp = t->signals, .ss_size = sizeof t->signals};
  sigaltstack(&stack, 0);
}

static void *begin(void *thread) {
  fc_thread *t = of_rank = thread;
  pthread_setspecific(ending, t);
  if (t->owner->folder) fc_enter_folder(t->owner);
  keep_stack_for_signals(t);
  return t->begin(t->argument);
}

/* fc_thread_create is pthread_create. */
int fc_thread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
  pthread_once(&once, make_key);
  fc_rank *r = fc_owner();
  fc_thread *t = malloc(sizeof *t);
  t->owner = r, t->variables = fc_new_variables(r->job), t->begin = start, t->argument = argument;
  if (__atomic_fetch_add(&r->threads.running, 1, __ATOMIC_ACQ_REL) == 0) r->threads.team = 0;
  r->threads.team++;
  int failed = pthread_create(thread, attributes, begin, t);
  if (failed) {
    __atomic_sub_fetch(&r->threads.running, 1, __ATOMIC_ACQ_REL);
    r->threads.team--;
    free(t->variables), free(t);
  }
  return failed;
}

/* fc_thread_failed ends the simulator if it was a thread of a rank that a signal is about. */
void fc_thread_failed(int signal) {
  if (!of_rank) return;
  fc_leave_output();
  char text[256];
  int n = snprintf(text, sizeof text, "fabricast: a thread that rank %d has started was ended by signal %d (%s); such threads must not call MPI\n",
                   of_rank->owner->id, signal, strsignal(signal));
  if (write(2, text, n) == n) _exit(1);
  _exit(1);
}
