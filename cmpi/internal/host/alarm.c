//go:build linux && (amd64 || arm64)

/* Alarms of a rank, which go off in simulated time: in a call that lets time pass, when it returns, and in the middle of a sleep. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/time.h>
#include <unistd.h>

#include "job.h"

#define PS_PER_S 1000000000000ll
#define PS_PER_US 1000000ll

/* fc_ring has an alarm go off whose time has come. */
void fc_ring(fc_rank *r) {
  if (!r->alarm_at || r->clock < r->alarm_at) return;
  r->alarm_at = r->alarm_every ? r->alarm_at + r->alarm_every : 0;
  fc_raise(SIGALRM);
}

/* fc_time_to_alarm is for how long (ps) a rank may sleep that wants to for some time. */
int64_t fc_time_to_alarm(fc_rank *r, int64_t ps) {
  if (!r->alarm_at) return ps;
  int64_t left = r->alarm_at - fc_now(r);
  return left < 0 ? 0 : left < ps ? left : ps;
}

/* Sets the alarm and returns how much was left (ps) of the one before. */
static int64_t set(fc_rank *r, int64_t after, int64_t every) {
  int64_t now = fc_now(r), left = r->alarm_at ? r->alarm_at - now : 0;
  r->alarm_at = after ? now + after : 0, r->alarm_every = every;
  return left;
}

static int64_t ps_of(const struct timeval *t) { return t->tv_sec * PS_PER_S + t->tv_usec * PS_PER_US; }
static struct timeval timeval_of(int64_t ps) { return (struct timeval){ps / PS_PER_S, ps % PS_PER_S / PS_PER_US}; }

/* fc_alarm is alarm. */
unsigned fc_alarm(unsigned seconds) {
  fc_rank *r = fc_current();
  return r ? (set(r, seconds * PS_PER_S, 0) + PS_PER_S - 1) / PS_PER_S : 0;
}

/* fc_ualarm is ualarm. */
useconds_t fc_ualarm(useconds_t after, useconds_t every) {
  fc_rank *r = fc_current();
  return r ? set(r, after * PS_PER_US, every * PS_PER_US) / PS_PER_US : 0;
}

/* fc_getitimer is getitimer. Timers of the processor's time never go off. */
int fc_getitimer(int which, struct itimerval *now) {
  fc_rank *r = fc_current();
  *now = (struct itimerval){0};
  if (!r || which != ITIMER_REAL || !r->alarm_at) return 0;
  now->it_value = timeval_of(r->alarm_at - fc_now(r)), now->it_interval = timeval_of(r->alarm_every);
  return 0;
}

/* fc_setitimer is setitimer. */
int fc_setitimer(int which, const struct itimerval *new, struct itimerval *old) {
  fc_rank *r = fc_current();
  if (old) fc_getitimer(which, old);
  if (r && which == ITIMER_REAL) set(r, ps_of(&new->it_value), ps_of(&new->it_interval));
  return 0;
}

/* fc_wait_for_signal is pause. */
int fc_wait_for_signal(void) {
  fc_rank *r = fc_current();
  if (!r) return pause();
  if (!r->alarm_at) fc_crash(r, "the program called pause() without an alarm: no signal ever comes");
  fc_pass(r, r->alarm_at - fc_now(r));
  errno = EINTR;
  return -1;
}
