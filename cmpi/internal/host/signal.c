//go:build linux && (amd64 || arm64)

/* Signals of a rank. What the program wants done about them is kept for itself and done when it raises one; those from outside
 * are the simulator's, and so are those that mistakes of the program raise. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include "job.h"

static struct sigaction *action_of(int signal) {
  fc_libc *l = fc_libc_of(fc_owner());
  if (signal < 1 || signal >= NSIG) {
    errno = EINVAL;
    return 0;
  }
  if (!l->actions) l->actions = calloc(NSIG, sizeof *l->actions);
  return &l->actions[signal];
}

/* fc_sigaction is sigaction. */
int fc_sigaction(int signal, const struct sigaction *new, struct sigaction *old) {
  struct sigaction *now = action_of(signal), before;
  if (!now) return -1;
  before = *now;
  if (new) *now = *new;
  if (old) *old = before;
  return 0;
}

/* fc_signal is signal. */
void (*fc_signal(int signal, void (*handler)(int)))(int) {
  struct sigaction *now = action_of(signal);
  if (!now) return SIG_ERR;
  void (*before)(int) = now->sa_handler;
  *now = (struct sigaction){.sa_handler = handler};
  return before;
}

/* Signals that end a process if nothing is done about them. */
static int ends(int signal) { return signal != SIGCHLD && signal != SIGCONT && signal != SIGURG && signal != SIGWINCH; }

/* fc_raise is raise. */
int fc_raise(int signal) {
  struct sigaction *now = action_of(signal);
  if (!now) return -1;
  siginfo_t info = {.si_signo = signal};
  if (now->sa_handler == SIG_IGN) return 0;
  if (now->sa_handler == SIG_DFL) {
    if (ends(signal)) fc_crash(fc_current(), "the program raised signal %d (%s)", signal, strsignal(signal));
    return 0;
  }
  if (now->sa_flags & SA_SIGINFO)
    now->sa_sigaction(signal, &info, 0);
  else
    now->sa_handler(signal);
  return 0;
}
