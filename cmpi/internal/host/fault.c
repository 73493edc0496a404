//go:build linux && (amd64 || arm64)

/* Signals that a mistake of the program raises: a rank ends with a message, in its own code and in what the host does on its behalf.
 * Where the simulator's own code raises one, that is left to Go. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "job.h"
#include "machine.h"
#include "memory.h"

static struct sigaction before[64];

/* --- On the stack of a rank --- */

static _Noreturn void landed(void) {
  fc_rank *r = fc_current();
  fc_leave(r, r->fate);
}

/* A frame that does not touch all of its pages may lie far below the guard. */
enum { FAR = 1 << 30 };

static int overflows(const fc_rank *r, const char *address, const char *sp) {
  size_t guard = r->job->guard_size;
  return (address >= r->stack - guard && address < r->stack) || (sp < r->stack && sp >= r->stack - FAR);
}

static int in_image(const fc_rank *r, const char *pc) { return pc >= r->image && pc < r->image + r->job->span; }

/* Tells what has happened, and whether it belongs to the function of MPI that was called. */
static int tell(fc_rank *r, int signal, const char *address, const char *sp, const char *pc) {
  char *text = r->arena;
  size_t room = sizeof r->arena;
  int is_memory = signal == SIGSEGV || signal == SIGBUS, is_own = in_image(r, pc), on_behalf = !is_own && (r->inside || fc_is_ours(pc));
  r->fault = is_own ? pc - r->image + 1 : 0;
  if (signal == SIGABRT)
    snprintf(text, room, "the program was aborted by the C library");
  else if (is_memory && overflows(r, address, sp))
    snprintf(text, room, "stack overflow: more than %zu KiB (see the option --stack)", r->stack_size / 1024);
  else if (is_memory && r->examined) {
    snprintf(text, room, "found no memory %s at address %p, expected %lld bytes of the program's from %p on", r->examined_how & FC_WRITE ? "to write to" : "to read",
             (void *)address, (long long)r->examined_size, r->examined);
    return FC_FAILED;
  } else if (is_memory && on_behalf) {
    snprintf(text, room, "segmentation fault at address %p, expected memory of the program in what the call was given", (void *)address);
    return FC_FAILED;
  } else if (is_memory)
    snprintf(text, room, "%s at address %p", signal == SIGBUS ? "bus error" : "segmentation fault", (void *)address);
  else
    snprintf(text, room, "%s", signal == SIGFPE ? "arithmetic exception" : "illegal instruction");
  return FC_CRASHED;
}

/* The rank is made to go on where it hands over for good; everything else is left as it was. */
static void fail_rank(fc_rank *r, int signal, siginfo_t *info, ucontext_t *u) {
  r->fate = tell(r, signal, info->si_addr, (char *)FC_STACK_POINTER(u), (char *)FC_PROGRAM_COUNTER(u));
  r->message = r->arena;
  r->examined = 0;
  FC_STACK_POINTER(u) = (((uintptr_t)r->stack + r->stack_size) & ~15ul) - FC_ENTRY_OFFSET - 4096;
  FC_PROGRAM_COUNTER(u) = (uintptr_t)landed;
}

/* --- On the stack of the simulator, on behalf of a rank --- */

typedef struct {
  jmp_buf back;
  uintptr_t address;
} guard;

static __thread guard *guarding;

static _Noreturn void back(void) { longjmp(guarding->back, 1); }

/* fc_guarded is in memory.h. */
uintptr_t fc_guarded(void (*task)(void *), void *argument) {
  guard g = {.address = 0};
  guarding = &g;
  if (!_setjmp(g.back)) task(argument);
  guarding = 0;
  return *(volatile uintptr_t *)&g.address;
}

static void leave_task(siginfo_t *info, ucontext_t *u) {
  uintptr_t address = (uintptr_t)info->si_addr;
  guarding->address = address ? address : UINTPTR_MAX; /* of none the processor tells nothing */
  FC_STACK_POINTER(u) = (((uintptr_t)FC_STACK_POINTER(u) - 1024) & ~15ul) - FC_ENTRY_OFFSET;
  FC_PROGRAM_COUNTER(u) = (uintptr_t)back;
}

/* --- The handler --- */

/* Sent by another process, not raised by what this thread does. */
static int from_outside(const siginfo_t *info) { return info->si_code <= 0 && info->si_pid != getpid(); }

static void forward(int signal, siginfo_t *info, void *context) {
  if (before[signal].sa_flags & SA_SIGINFO)
    before[signal].sa_sigaction(signal, info, context);
  else
    sigaction(signal, &before[signal], 0);
}

static void handle(int signal, siginfo_t *info, void *context) {
  fc_rank *r = fc_running;
  if (from_outside(info)) {
    forward(signal, info, context);
  } else if (r) {
    fail_rank(r, signal, info, context);
  } else if (guarding && (signal == SIGSEGV || signal == SIGBUS)) {
    leave_task(info, context);
  } else {
    fc_thread_failed(signal);
    forward(signal, info, context);
  }
}

/* fc_watch_signals is called for each program that is loaded. */
void fc_watch_signals(void) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  static int watching;
  if (__atomic_exchange_n(&watching, 1, __ATOMIC_ACQ_REL)) return;
  for (int i = 0; i < 5; i++) {
    struct sigaction a = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigfillset(&a.sa_mask);
    sigaction(signals[i], &a, &before[signals[i]]);
  }
}
