//go:build linux && (amd64 || arm64)

/* Computation that takes the time that it takes on this machine, and loops of which only some iterations are run. */
#define _GNU_SOURCE
#include <time.h>

#include "fabricast.h"
#include "job.h"
#include "state.h"

/* Processor time of the thread that runs the rank, in ns: what other programs do on the machine does not count. */
static int64_t processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* fc_begin_computing notes that the program has got control. */
void fc_begin_computing(fc_rank *r) { r->since = processor_time(); }

/* fc_end_computing lets the time pass that the program has computed. */
void fc_end_computing(fc_rank *r) {
  int64_t now = processor_time(), threads = __atomic_exchange_n(&r->threads.time, 0, __ATOMIC_ACQ_REL);
  double own = now - r->since;
  if (r->team > 1) own /= r->team;
  int64_t passed = (int64_t)((own + (threads ? threads / r->threads.team : 0)) * r->job->speed);
  r->since = now;
  if (r->team > 1 || threads) __atomic_store_n(&r->job->teams, 1, __ATOMIC_RELAXED);
  if (passed > 0) fc_push(r, (fc_op){.kind = FC_COMPUTE, .size = passed});
}

static int64_t clock_of(fc_rank *r) {
  if (r->measured) fc_end_computing(r);
  fc_pause(r, FC_SYNC);
  return r->clock;
}

/* Goes back to outside of a loop that has been left in the middle. */
static void leave(fc_rank *r, Fabricast_Loop *loop) {
  for (Fabricast_Loop *l = r->loop; l; l = l->outer)
    if (l == loop) {
      r->loop = l->outer;
      if (r->job->sampled) r->measured = r->loop != 0;
      return;
    }
}

int Fabricast_Sample(Fabricast_Loop *loop, int iterations) {
  fc_rank *r = fc_current();
  leave(r, loop);
  if (loop->run > 0 && loop->run >= iterations) {
    if (r->measured) fc_end_computing(r);
    int64_t all = (__int128)loop->time * ++loop->skipped / loop->run, passed = all - loop->given;
    loop->given = all;
    if (passed > 0) fc_push(r, (fc_op){.kind = FC_COMPUTE, .size = passed});
    return 0;
  }
  loop->began = clock_of(r);
  loop->outer = r->loop;
  r->loop = loop;
  if (r->job->sampled) r->measured = 1, fc_begin_computing(r);
  return 1;
}

int Fabricast_Sampled(void) {
  fc_rank *r = fc_current();
  Fabricast_Loop *loop = r->loop;
  if (!loop) fc_fail(r, "Fabricast_Sampled: no iteration is under way");
  loop->time += clock_of(r) - loop->began;
  loop->run++;
  r->loop = loop->outer;
  if (r->job->sampled) r->measured = r->loop != 0;
  return 0;
}
