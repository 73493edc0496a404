//go:build linux && (amd64 || arm64)

/* The time that programs are told is simulated time, and sleeping lets it pass. Dates begin a thousand million seconds after
 * 1970. Threads that a rank has started run in no simulated time: they are told where the rank is, and really sleep. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "fabricast.h"
#include "job.h"

#define PS_PER_S 1000000000000ll
enum { EPOCH = 1000000000 };

/* fc_pass lets time pass. */
void fc_pass(fc_rank *r, int64_t ps) {
  if (r->measured) fc_end_computing(r);
  fc_push(r, (fc_op){.kind = FC_COMPUTE, .size = ps});
  fc_pause(r, FC_SYNC);
}

/* --- Reading --- */

/* Computing costs nothing, so who reads the clock again and again until a time has come would never see it. After some
 * readings at one time each lets time pass: as much as a clock of the host takes (25 ns), much later a hundred-thousandth of
 * what has passed so. */
enum { READINGS = 1000, READING = 25000, SHARE = 100000, MANY = 1000000 };

/* hint tells the user, once, why a program that waits for the clock does not come to an end. */
static void hint(fc_rank *r) {
  if (r->job->speed > 0 || __atomic_exchange_n(&r->job->hinted, 1, __ATOMIC_RELAXED)) return;
  dprintf(2,
          "fabricast: note: rank %d has read the clock a million times with nothing in between that takes time; it stands at %.6g s. "
          "Computation takes no time: if the program computes until a time has come, see the option --compute\n",
          r->id, r->clock / 1e12);
}

static void read_again(fc_rank *r) {
  if (r->clock != r->read_at || r->readings == 0) r->readings = 0, r->reading_since = r->clock, r->waited = 0;
  if (r->readings < READINGS) {
    r->readings++;
    return;
  }
  if (++r->waited == MANY) hint(r);
  int64_t step = (r->clock - r->reading_since) / SHARE;
  fc_pass(r, step > READING ? step : READING);
}

/* fc_now is the rank's time, in ps. */
int64_t fc_now(fc_rank *r) {
  if (r->ops) r->readings = 0;
  if (r->measured) fc_end_computing(r);
  fc_pause(r, FC_SYNC);
  read_again(r);
  return r->read_at = r->clock;
}

static int64_t simulated(void) {
  fc_rank *r = fc_current();
  return r ? fc_now(r) : fc_owner()->clock;
}

static struct timespec date(void) {
  int64_t now = simulated();
  return (struct timespec){EPOCH + now / PS_PER_S, now % PS_PER_S / 1000};
}

static int my_gettimeofday(struct timeval *t, void *zone) {
  struct timespec now = date();
  if (t) *t = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

static int my_clock_gettime(clockid_t clock, struct timespec *t) {
  if (clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID) return clock_gettime(clock, t);
  *t = date();
  return 0;
}

static int my_timespec_get(struct timespec *t, int base) {
  if (base != TIME_UTC) return timespec_get(t, base);
  *t = date();
  return base;
}

static time_t my_time(time_t *t) {
  time_t now = date().tv_sec;
  if (t) *t = now;
  return now;
}

/* The times in the buffer are of the processor. */
static clock_t my_times(struct tms *buffer) {
  int64_t now = simulated(), ticks = sysconf(_SC_CLK_TCK);
  return times(buffer) == (clock_t)-1 ? (clock_t)-1 : (clock_t)(now / (PS_PER_S / ticks));
}

/* --- Sleeping --- */

static int64_t ps_of(const struct timespec *t) { return t->tv_sec * PS_PER_S + t->tv_nsec * 1000ll; }

/* Sleeps, unless an alarm goes off before: returns what is left. */
static int64_t doze(fc_rank *r, int64_t ps) {
  int64_t slept = fc_time_to_alarm(r, ps);
  fc_pass(r, slept);
  if (slept < ps) errno = EINTR;
  return ps - slept;
}

static unsigned my_sleep(unsigned seconds) {
  fc_rank *r = fc_current();
  return r ? (doze(r, seconds * PS_PER_S) + PS_PER_S - 1) / PS_PER_S : sleep(seconds);
}

static int my_usleep(useconds_t t) {
  fc_rank *r = fc_current();
  return r ? -(doze(r, t * 1000000ll) > 0) : usleep(t);
}

static int my_nanosleep(const struct timespec *t, struct timespec *rest) {
  fc_rank *r = fc_current();
  if (!r) return nanosleep(t, rest);
  int64_t left = doze(r, ps_of(t));
  if (left && rest) *rest = (struct timespec){left / PS_PER_S, left % PS_PER_S / 1000};
  return -(left > 0);
}

static int my_clock_nanosleep(clockid_t clock, int flags, const struct timespec *t, struct timespec *rest) {
  if (clock == CLOCK_PROCESS_CPUTIME_ID) return clock_nanosleep(clock, flags, t, rest);
  struct timespec now = {0};
  if (flags & TIMER_ABSTIME) now = date();
  struct timespec left = {t->tv_sec - now.tv_sec, t->tv_nsec - now.tv_nsec};
  if (left.tv_nsec < 0) left.tv_sec--, left.tv_nsec += 1000000000;
  return left.tv_sec >= 0 && my_nanosleep(&left, 0) ? errno : 0;
}

/* Waiting for no files is how some programs sleep. */
static int my_select(int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *limit) {
  fc_rank *r = fc_current();
  if (!r || n || !limit) return select(n, in, out, other, limit);
  return -(doze(r, limit->tv_sec * PS_PER_S + limit->tv_usec * 1000000ll) > 0);
}

static int my_poll(struct pollfd *files, nfds_t n, int ms) {
  fc_rank *r = fc_current();
  if (!r || n || ms < 0) return poll(files, n, ms);
  return -(doze(r, ms * (PS_PER_S / 1000)) > 0);
}

int Fabricast_Compute(double seconds) {
  enum { MOST = 4000000 }; /* what fits into 64 bits of ps, less some */
  fc_rank *r = fc_current();
  if (!(seconds >= 0 && seconds <= MOST)) {
    r->name = "Fabricast_Compute";
    fc_fail(r, "found %g seconds, expected 0 to %d", seconds, MOST);
  }
  if (seconds > 0) fc_pass(r, (int64_t)(seconds * 1e12 + 0.5));
  return 0;
}

/* --- Fortran's intrinsic procedures, by the names under which gfortran's library has them --- */

/* count_clock counts in parts of a second from the beginning, and begins anew after the largest count. */
static int64_t count_clock(int64_t rate, int64_t largest) {
  int64_t now = simulated();
  uint64_t count = (uint64_t)(now / PS_PER_S) * rate + now % PS_PER_S / (PS_PER_S / rate);
  return (int64_t)(largest == INT64_MAX ? count & INT64_MAX : count % ((uint64_t)largest + 1));
}

static void system_clock_4(int32_t *count, int32_t *rate, int32_t *largest) {
  if (count) *count = (int32_t)count_clock(1000, INT32_MAX);
  if (rate) *rate = 1000;
  if (largest) *largest = INT32_MAX;
}

static void system_clock_8(int64_t *count, int64_t *rate, int64_t *largest) {
  if (count) *count = count_clock(1000000000, INT64_MAX);
  if (rate) *rate = 1000000000;
  if (largest) *largest = INT64_MAX;
}

/* How gfortran describes an array of one dimension. */
typedef struct {
  void *base;
  size_t offset, length;
  int version;
  signed char rank, type;
  short attribute;
  ptrdiff_t span, stride, lower, upper;
} fc_vector;

static void store(const fc_vector *v, int i, int value) {
  if (i > v->upper - v->lower) return;
  char *place = (char *)v->base + i * v->stride * (ptrdiff_t)v->length;
  switch (v->length) {
    case 2: *(int16_t *)place = (int16_t)value; break;
    case 4: *(int32_t *)place = value; break;
    case 8: *(int64_t *)place = value; break;
  }
}

/* fill_text copies text and fills up with blanks. */
static void fill_text(char *to, size_t n, const char *text) {
  size_t length = strlen(text);
  if (!to) return;
  memset(to, ' ', n);
  memcpy(to, text, length < n ? length : n);
}

static void date_and_time(char *day, char *clock, char *zone, fc_vector *values, size_t day_length, size_t clock_length, size_t zone_length) {
  struct timespec now = date();
  struct tm t;
  localtime_r(&now.tv_sec, &t);
  int ms = (int)(now.tv_nsec / 1000000), offset = (int)(t.tm_gmtoff / 60), distance = offset < 0 ? -offset : offset;
  char text[32];
  strftime(text, sizeof text, "%Y%m%d", &t);
  fill_text(day, day_length, text);
  size_t n = strftime(text, sizeof text, "%H%M%S", &t);
  snprintf(text + n, sizeof text - n, ".%03d", ms);
  fill_text(clock, clock_length, text);
  snprintf(text, sizeof text, "%c%02d%02d", offset < 0 ? '-' : '+', distance / 60, distance % 60);
  fill_text(zone, zone_length, text);
  if (!values) return;
  int all[] = {t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, offset, t.tm_hour, t.tm_min, t.tm_sec, ms};
  for (int i = 0; i < 8; i++) store(values, i, all[i]);
}

/* secnds is the seconds since midnight, less some. */
static float secnds(float *less) {
  struct timespec now = date();
  struct tm t;
  localtime_r(&now.tv_sec, &t);
  return (float)(t.tm_hour * 3600 + t.tm_min * 60 + t.tm_sec + now.tv_nsec / 1e9 - *less);
}

static void sleep_4(int32_t *seconds) { my_sleep(*seconds > 0 ? *seconds : 0); }
static void sleep_8(int64_t *seconds) { my_sleep(*seconds > 0 ? *seconds : 0); }
static int32_t time_4(void) { return (int32_t)date().tv_sec; }
static int64_t time_8(void) { return date().tv_sec; }

/* --- Names --- */

/* fc_clock_symbol is what a name that has to do with time stands for. */
void *fc_clock_symbol(const char *name) {
#define MINE(name) {#name, (void *)my_##name}
  static const struct { const char *name; void *address; } replaced[] = {
      MINE(gettimeofday), MINE(clock_gettime), MINE(timespec_get), MINE(time), MINE(times), MINE(sleep), MINE(usleep), MINE(nanosleep),
      MINE(clock_nanosleep), MINE(select), MINE(poll),
      {"_gfortran_system_clock_4", (void *)system_clock_4}, {"_gfortran_system_clock_8", (void *)system_clock_8},
      {"_gfortran_date_and_time", (void *)date_and_time}, {"_gfortran_secnds", (void *)secnds},
      {"_gfortran_time_func", (void *)time_4}, {"_gfortran_time8_func", (void *)time_8},
      {"_gfortran_sleep_i4_sub", (void *)sleep_4}, {"_gfortran_sleep_i8_sub", (void *)sleep_8},
  };
  for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++)
    if (!strcmp(name, replaced[i].name)) return replaced[i].address;
  return 0;
}
