//go:build linux && (amd64 || arm64)

/* Signals of a rank. What the program wants done about them is kept for itself and done when it raises one; those from outside
 * are the simulator's, and so are those that mistakes of the program raise. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <unistd.h>

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

/* Does what the program wants done about a signal to itself. */
static int deliver(siginfo_t info) {
  int signal = info.si_signo;
  struct sigaction *now = action_of(signal);
  if (!now) return -1;
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

/* fc_raise is raise. */
int fc_raise(int signal) { return deliver((siginfo_t){.si_signo = signal}); }

/* Whether a process, or a group of them, is the rank's own. Ranks share a process, but each takes it for its own, and so its
 * signals are never sent to the others or to the simulator. */
static int is_own(pid_t pid) { return pid == getpid() || pid == 0 || pid == -1 || pid == -getpgrp(); }

/* fc_kill is kill. */
int fc_kill(pid_t pid, int signal) {
  if (!is_own(pid)) return kill(pid, signal);
  return signal ? fc_raise(signal) : 0;
}

/* fc_killpg is killpg. */
int fc_killpg(pid_t group, int signal) { return fc_kill(-group, signal); }

/* fc_sigqueue is sigqueue. */
int fc_sigqueue(pid_t pid, int signal, const union sigval value) {
  if (!is_own(pid)) return sigqueue(pid, signal, value);
  return signal ? deliver((siginfo_t){.si_signo = signal, .si_code = SI_QUEUE, .si_pid = pid, .si_value = value}) : 0;
}

/* fc_thread_kill is pthread_kill, which returns errors. */
int fc_thread_kill(pthread_t thread, int signal) {
  if (!signal || !pthread_equal(thread, pthread_self())) return pthread_kill(thread, signal);
  return fc_raise(signal) ? errno : 0;
}
