//go:build linux && (amd64 || arm64)

/* What a rank takes for a process of its own: standard streams, exit, getopt, random numbers. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "job.h"

void fc_call_fini(fc_rank *r);

/* --- Standard output: whole lines --- */

/* Keeps what is not a whole line yet. */
static void keep(fc_libc *l, int which, const char *p, size_t n) {
  if (l->used[which] + n > l->room[which]) {
    l->room[which] = 2 * (l->used[which] + n);
    l->lines[which] = realloc(l->lines[which], l->room[which]);
  }
  memcpy(l->lines[which] + l->used[which], p, n);
  l->used[which] += n;
}

static ssize_t take(fc_rank *r, int which, const char *p, size_t n) {
  fc_libc *l = fc_libc_of(r);
  const char *last = memrchr(p, '\n', n);
  if (!last) {
    keep(l, which, p, n);
    return n;
  }
  size_t whole = last + 1 - p;
  if (l->used[which]) {
    keep(l, which, p, whole);
    fc_print(r, which, l->lines[which], l->used[which]);
    l->used[which] = 0;
  } else {
    fc_print(r, which, p, whole);
  }
  if (n > whole) keep(l, which, p + whole, n - whole);
  return n;
}

static ssize_t take_out(void *r, const char *p, size_t n) { return take(r, 0, p, n); }
static ssize_t take_err(void *r, const char *p, size_t n) { return take(r, 1, p, n); }

/* fc_flush_lines writes what a rank has left without an end of line. */
void fc_flush_lines(fc_rank *r) {
  fc_libc *l = fc_libc_of(r);
  for (int i = 0; i < 2; i++) {
    if (l->used[i]) fc_print(r, i, l->lines[i], l->used[i]);
    free(l->lines[i]);
    l->lines[i] = 0, l->used[i] = l->room[i] = 0;
  }
}

void fc_process_begin(fc_rank *r) {
  fc_libc *l = fc_libc_of(r);
  l->out = fopencookie(r, "w", (cookie_io_functions_t){.write = take_out});
  l->err = fopencookie(r, "w", (cookie_io_functions_t){.write = take_err});
  setvbuf(l->out, 0, _IOLBF, 1024);
  setvbuf(l->err, 0, _IONBF, 0);
  l->in = stdin;
  l->option_index = l->option_error = 1;
}

static fc_libc *own(void) { return fc_libc_of(fc_owner()); }

static int my_vprintf(const char *format, va_list a) { return vfprintf(own()->out, format, a); }
static int my_printf(const char *format, ...) {
  va_list a;
  va_start(a, format);
  int n = vfprintf(own()->out, format, a);
  va_end(a);
  return n;
}
static int my_printf_chk(int flag, const char *format, ...) {
  va_list a;
  va_start(a, format);
  int n = vfprintf(own()->out, format, a);
  va_end(a);
  return n;
}
static int my_vprintf_chk(int flag, const char *format, va_list a) { return vfprintf(own()->out, format, a); }
static int my_puts(const char *s) { return fprintf(own()->out, "%s\n", s); }
static int my_putchar(int c) { return fputc(c, own()->out); }
static void my_perror(const char *s) {
  int e = errno;
  fprintf(own()->err, s && *s ? "%s: %s\n" : "%s%s\n", s ? s : "", strerror(e));
}

/* What is written past the C library's streams, too. */
static ssize_t my_write(int fd, const void *p, size_t n) {
  fc_rank *r = fc_owner();
  if (fd != 1 && fd != 2) return write(fd, p, n);
  fflush(fd == 1 ? fc_libc_of(r)->out : fc_libc_of(r)->err);
  return take(r, fd - 1, p, n);
}

/* --- The end --- */

static int my_cxa_atexit(void (*f)(void *), void *argument, void *dso) {
  fc_libc *l = own();
  struct fc_exit *e = malloc(sizeof *e);
  *e = (struct fc_exit){f, argument, l->exits};
  l->exits = e;
  return 0;
}

/* Of a rank's thread-local variables, which end with the rank. */
int __cxa_thread_atexit_impl(void (*f)(void *), void *argument, void *dso);
static int my_cxa_thread_atexit(void (*f)(void *), void *argument, void *dso) {
  return fc_current() ? my_cxa_atexit(f, argument, dso) : __cxa_thread_atexit_impl(f, argument, dso);
}

static int my_atexit(void (*f)(void)) { return my_cxa_atexit((void (*)(void *))f, 0, 0); }

static void close_streams(fc_rank *r) {
  fc_libc *l = fc_libc_of(r);
  fflush(l->out);
  fflush(l->err);
  fc_flush_lines(r);
}

static _Noreturn void my_exit_now(int code) {
  fc_rank *r = fc_current();
  close_streams(r);
  if (r->measured) fc_end_computing(r);
  r->code = code;
  fc_leave(r, FC_EXIT);
}

_Noreturn void fc_exit(int code) {
  fc_rank *r = fc_current();
  fc_libc *l = fc_libc_of(r);
  while (l->exits) {
    struct fc_exit *e = l->exits;
    l->exits = e->next;
    e->with(e->argument);
    free(e);
  }
  if (!r->exiting++) fc_call_fini(r);
  my_exit_now(code);
}

_Noreturn void fc_crash(fc_rank *r, const char *format, ...) {
  va_list a;
  va_start(a, format);
  if (vasprintf(&r->message, format, a) < 0) r->message = 0;
  va_end(a);
  fc_leave(r, FC_CRASHED);
}

static _Noreturn void my_abort(void) {
  fc_rank *r = fc_current();
  close_streams(r);
  fc_crash(r, "the program called abort()");
}

/* A second simulator would come of it. */
static int my_fork(void) {
  fc_rank *r = fc_current();
  close_streams(r);
  fc_crash(r, "the program called fork(), which a simulated rank cannot");
}

static _Noreturn void my_assert_fail(const char *what, const char *file, unsigned line, const char *function) {
  fc_rank *r = fc_current();
  close_streams(r);
  fc_crash(r, "%s:%u: %s: assertion '%s' failed", file, line, function, what);
}

/* --- State of the C library that ranks must not share --- */

static struct random_data *random_state(void) {
  fc_libc *l = own();
  if (!l->random) {
    l->random = calloc(1, sizeof *l->random + 128);
    initstate_r(1, (char *)(l->random + 1), 128, l->random);
  }
  return l->random;
}
static long my_random(void) {
  int32_t n;
  random_r(random_state(), &n);
  return n;
}
static int my_rand(void) { return my_random(); }
static void my_srandom(unsigned seed) { srandom_r(seed, random_state()); }

static struct drand48_data *random48_state(void) {
  fc_libc *l = own();
  if (!l->random48) l->random48 = calloc(1, sizeof *l->random48);
  return l->random48;
}
static double my_drand48(void) {
  double d;
  drand48_r(random48_state(), &d);
  return d;
}
static long my_lrand48(void) {
  long n;
  lrand48_r(random48_state(), &n);
  return n;
}
static long my_mrand48(void) {
  long n;
  mrand48_r(random48_state(), &n);
  return n;
}
static void my_srand48(long seed) { srand48_r(seed, random48_state()); }
static char *my_strtok(char *s, const char *separators) { return strtok_r(s, separators, &own()->token); }

/* --- Options: getopt with variables of the rank's own --- */

/* One letter of a group such as -ab. */
static int short_option(fc_libc *l, int argc, char *const *argv, const char *shorts) {
  int c = (unsigned char)*l->option_next++;
  const char *found = c == ':' ? 0 : strchr(shorts, c);
  int last = !*l->option_next;
  l->option_argument = 0;
  if (!found) {
    l->option_unknown = c;
    if (l->option_error && *shorts != ':') fprintf(l->err, "%s: invalid option -- '%c'\n", argv[0], c);
    c = '?';
  } else if (found[1] == ':') {
    if (!last)
      l->option_argument = l->option_next, last = 1;
    else if (found[2] != ':' && l->option_index + 1 < argc)
      l->option_argument = argv[++l->option_index];
    else if (found[2] != ':') {
      l->option_unknown = c;
      if (l->option_error && *shorts != ':') fprintf(l->err, "%s: option requires an argument -- '%c'\n", argv[0], c);
      c = *shorts == ':' ? ':' : '?';
    }
  }
  if (last) l->option_index++, l->option_next = 0;
  return c;
}

static int long_option(fc_libc *l, int argc, char *const *argv, const char *name, const char *shorts, const struct option *longs, int *index) {
  size_t n = strcspn(name, "=");
  const struct option *found = 0;
  int matches = 0;
  for (const struct option *o = longs; o->name; o++) {
    if (strncmp(o->name, name, n)) continue;
    found = o, matches++;
    if (strlen(o->name) == n) {
      matches = 1;
      break;
    }
  }
  l->option_index++;
  l->option_argument = 0;
  if (matches != 1) {
    l->option_unknown = 0;
    if (l->option_error) fprintf(l->err, "%s: %s option '--%.*s'\n", argv[0], matches ? "ambiguous" : "unrecognized", (int)n, name);
    return '?';
  }
  if (name[n] && found->has_arg != no_argument) l->option_argument = (char *)name + n + 1;
  if (!name[n] && found->has_arg == required_argument) {
    if (l->option_index >= argc) {
      l->option_unknown = found->val;
      if (l->option_error && *shorts != ':') fprintf(l->err, "%s: option '--%s' requires an argument\n", argv[0], found->name);
      return *shorts == ':' ? ':' : '?';
    }
    l->option_argument = argv[l->option_index++];
  }
  if (index) *index = found - longs;
  if (!found->flag) return found->val;
  *found->flag = found->val;
  return 0;
}

/* How many arguments an option and what belongs to it take. */
static int width(char *const *argv, int at, int argc, const char *shorts, const struct option *longs, int only) {
  const char *a = argv[at];
  int more = at + 1 < argc;
  if (longs && (a[1] == '-' || only)) {
    const char *name = a + (a[1] == '-' ? 2 : 1);
    size_t n = strcspn(name, "=");
    for (; longs->name && !name[n]; longs++)
      if (!strncmp(longs->name, name, n)) return 1 + (more && longs->has_arg == required_argument);
    return 1;
  }
  for (a++; *a; a++) {
    const char *found = *a == ':' ? 0 : strchr(shorts, *a);
    if (found && found[1] == ':') return 1 + (more && !a[1] && found[2] != ':');
  }
  return 1;
}

/* Moves arguments that are no options behind all options, as programs for Linux expect. */
static void arrange(int argc, char **argv, const char *shorts, const struct option *longs, int only) {
  char *words[argc + 1], *options[argc + 1];
  int nwords = 0, noptions = 0;
  for (int at = 1; at < argc;) {
    if (argv[at][0] != '-' || !argv[at][1]) {
      words[nwords++] = argv[at++];
      continue;
    }
    int end = !strcmp(argv[at], "--"), n = end ? 1 : width(argv, at, argc, shorts, longs, only);
    while (n--) options[noptions++] = argv[at++];
    while (end && at < argc) words[nwords++] = argv[at++];
  }
  memcpy(argv + 1, options, noptions * sizeof *argv);
  memcpy(argv + 1 + noptions, words, nwords * sizeof *argv);
}

static int parse(int argc, char *const *argv, const char *shorts, const struct option *longs, int *index, int only) {
  fc_libc *l = own();
  if (l->option_index <= 1 && !l->option_next) {
    l->option_index = 1;
    if (*shorts != '+') arrange(argc, (char **)argv, shorts, longs, only);
  }
  l->option_argument = 0;
  if (!l->option_next) {
    const char *a = l->option_index < argc ? argv[l->option_index] : 0;
    if (!a || a[0] != '-' || !a[1]) return -1;
    if (!strcmp(a, "--")) return l->option_index++, -1;
    if (longs && a[1] == '-') return long_option(l, argc, argv, a + 2, shorts, longs, index);
    if (longs && only && (a[2] || !strchr(shorts, a[1]))) return long_option(l, argc, argv, a + 1, shorts, longs, index);
    l->option_next = (char *)a + 1;
  }
  return short_option(l, argc, argv, *shorts == '+' || *shorts == '-' ? shorts + 1 : shorts);
}
static int my_getopt(int argc, char *const *argv, const char *shorts) { return parse(argc, argv, shorts, 0, 0, 0); }
static int my_getopt_long(int argc, char *const *argv, const char *shorts, const struct option *longs, int *index) {
  return parse(argc, argv, shorts, longs, index, 0);
}
static int my_getopt_long_only(int argc, char *const *argv, const char *shorts, const struct option *longs, int *index) {
  return parse(argc, argv, shorts, longs, index, 1);
}

/* --- Names --- */

#define MINE(name, mine) {#name, (void *)mine}
static const struct { const char *name; void *address; } replaced[] = {
    MINE(printf, my_printf), MINE(vprintf, my_vprintf), MINE(__printf_chk, my_printf_chk), MINE(__vprintf_chk, my_vprintf_chk),
    MINE(write, my_write), MINE(puts, my_puts), MINE(putchar, my_putchar), MINE(perror, my_perror), MINE(exit, fc_exit), MINE(_exit, my_exit_now),
    MINE(_Exit, my_exit_now), MINE(quick_exit, my_exit_now), MINE(abort, my_abort), MINE(fork, my_fork), MINE(vfork, my_fork), MINE(__assert_fail, my_assert_fail), MINE(atexit, my_atexit),
    MINE(__cxa_atexit, my_cxa_atexit), MINE(rand, my_rand), MINE(srand, my_srandom), MINE(random, my_random), MINE(srandom, my_srandom),
    MINE(drand48, my_drand48), MINE(lrand48, my_lrand48), MINE(mrand48, my_mrand48), MINE(srand48, my_srand48), MINE(strtok, my_strtok),
    MINE(getopt, my_getopt), MINE(getopt_long, my_getopt_long), MINE(getopt_long_only, my_getopt_long_only),
    MINE(__tls_get_addr, fc_tls_get_addr),
    MINE(signal, fc_signal), MINE(__sysv_signal, fc_signal), MINE(bsd_signal, fc_signal), MINE(sigaction, fc_sigaction), MINE(raise, fc_raise),
    MINE(kill, fc_kill), MINE(killpg, fc_killpg), MINE(sigqueue, fc_sigqueue), MINE(pthread_kill, fc_thread_kill),
    MINE(pthread_create, fc_thread_create), MINE(chdir, fc_chdir), MINE(fchdir, fc_fchdir), MINE(alarm, fc_alarm), MINE(ualarm, fc_ualarm),
    MINE(getitimer, fc_getitimer), MINE(setitimer, fc_setitimer), MINE(pause, fc_wait_for_signal), MINE(__cxa_thread_atexit_impl, my_cxa_thread_atexit),
};

void *fc_process_symbol(const char *name) {
  for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++)
    if (!strcmp(name, replaced[i].name)) return replaced[i].address;
  return 0;
}

size_t fc_own_variable(const char *name) {
  static const struct { const char *name; size_t offset; } variables[] = {
      {"stdout", offsetof(fc_libc, out)}, {"stderr", offsetof(fc_libc, err)}, {"optind", offsetof(fc_libc, option_index)},
      {"opterr", offsetof(fc_libc, option_error)}, {"optopt", offsetof(fc_libc, option_unknown)}, {"optarg", offsetof(fc_libc, option_argument)},
  };
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    if (!strcmp(name, variables[i].name)) return variables[i].offset + 1;
  return 0;
}
