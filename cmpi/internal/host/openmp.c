//go:build linux && (amd64 || arm64)

/* OpenMP for ranks: every team has one thread, which is the rank.
 *
 * The C library's runtime keeps its teams in variables of the host's threads, which ranks share and change; a rank that
 * calls MPI inside a parallel region would leave its team to another. The names are those that gcc and gfortran
 * compile directives to (the GOMP interface of libgomp) and OpenMP's own functions. What is not here concerns no teams. */
#include <stdlib.h>
#include <string.h>

#include "job.h"

static __thread fc_region of_thread; /* of threads that a rank has started */

static fc_region *region(void) {
  fc_rank *r = fc_current();
  return r ? &r->region : &of_thread;
}

/* --- Teams --- */

enum { MOST_THREADS = 1 << 16 };

typedef void (*fc_outlined)(void *);

/* The threads that a region would have; 0 threads: as many as the program or its environment says. */
static int team_of(const fc_rank *r, unsigned threads) {
  if (!threads) threads = r->team_next;
  const char *said = threads ? 0 : getenv("OMP_NUM_THREADS");
  if (said) threads = atoi(said);
  return threads > 1 && threads <= MOST_THREADS ? threads : 1;
}

/* Runs a region's body; what is under way around it goes on afterwards. If computation is measured, the outermost region takes
 * the share of one thread. */
static void run(fc_outlined body, void *data, unsigned threads, fc_region begin) {
  fc_rank *r = fc_current();
  fc_region *now = region(), outer = *now;
  int team = r && r->measured && !outer.level ? team_of(r, threads) : 1;
  if (team > 1) fc_end_computing(r), r->team = team;
  begin.level = outer.level + 1;
  *now = begin;
  body(data);
  free(now->memory);
  *now = outer;
  if (team > 1) fc_end_computing(r), r->team = 1;
}

static void parallel(fc_outlined body, void *data, unsigned threads, unsigned flags) { run(body, data, threads, (fc_region){0}); }
static void parallel_loop(fc_outlined body, void *data, unsigned threads, long begin, long end, long step, long chunk, unsigned flags) {
  run(body, data, threads, (fc_region){.begin = begin, .end = end, .pending = step > 0 ? begin < end : begin > end});
}
static void parallel_sections(fc_outlined body, void *data, unsigned threads, unsigned count, unsigned flags) {
  run(body, data, threads, (fc_region){.sections = count});
}
static void teams(fc_outlined body, void *data, unsigned teams, unsigned limit, unsigned flags) { body(data); }

/* --- Loops: the one thread gets all iterations at once --- */

static int loop_next(long *begin, long *end) {
  fc_region *r = region();
  if (!r->pending) return 0;
  *begin = r->begin, *end = r->end;
  r->pending = 0;
  return 1;
}

static int loop_begin(int some, long begin, long end, long *from, long *to) {
  fc_region *r = region();
  r->begin = begin, r->end = end, r->pending = some;
  return from ? loop_next(from, to) : 1;
}

/* Memory that a loop's or section's threads would share. */
static void lend(void **memory) {
  fc_region *r = region();
  free(r->memory);
  r->memory = 0;
  if (memory) *memory = r->memory = calloc(1, (size_t)*memory);
}

static int loop_chunks(long begin, long end, long step, long chunk, long *from, long *to) {
  return loop_begin(step > 0 ? begin < end : begin > end, begin, end, from, to);
}
static int loop_runtime(long begin, long end, long step, long *from, long *to) { return loop_chunks(begin, end, step, 0, from, to); }
static int loop_full(long begin, long end, long step, long schedule, long chunk, long *from, long *to, void *reductions, void **memory) {
  lend(memory);
  return loop_chunks(begin, end, step, chunk, from, to);
}
static int ull_chunks(_Bool up, uint64_t begin, uint64_t end, uint64_t step, uint64_t chunk, long *from, long *to) {
  return loop_begin(up ? begin < end : begin > end, begin, end, from, to);
}
static int ull_runtime(_Bool up, uint64_t begin, uint64_t end, uint64_t step, long *from, long *to) { return ull_chunks(up, begin, end, step, 0, from, to); }
static int ull_full(_Bool up, uint64_t begin, uint64_t end, uint64_t step, long schedule, uint64_t chunk, long *from, long *to, void *reductions, void **memory) {
  lend(memory);
  return ull_chunks(up, begin, end, step, chunk, from, to);
}

/* Loops that wait for iterations of others count from 0. */
static int doacross_chunks(unsigned n, const long *counts, long chunk, long *from, long *to) { return loop_begin(counts[0] > 0, 0, counts[0], from, to); }
static int doacross_runtime(unsigned n, const long *counts, long *from, long *to) { return doacross_chunks(n, counts, 0, from, to); }
static int doacross_full(unsigned n, const long *counts, long schedule, long chunk, long *from, long *to, void *reductions, void **memory) {
  lend(memory);
  return doacross_chunks(n, counts, chunk, from, to);
}

static void *loop_symbol(const char *rest) {
  const char *end = strrchr(rest, '_');
  int ull = !strncmp(rest, "ull_", 4);
  if (ull) rest += 4;
  if (!end || !strcmp(end, "_next")) return loop_next;
  if (strcmp(end, "_start")) return 0;
  int runtime = strstr(rest, "runtime") != 0;
  if (!strncmp(rest, "doacross", 8)) return end == rest + 8 ? (void *)doacross_full : runtime ? (void *)doacross_runtime : (void *)doacross_chunks;
  if (ull) return runtime ? (void *)ull_runtime : (void *)ull_chunks;
  return runtime ? (void *)loop_runtime : (void *)loop_chunks;
}

/* --- Sections --- */

static unsigned sections_next(void) {
  fc_region *r = region();
  return r->section < r->sections ? ++r->section : 0;
}
static unsigned sections_start(unsigned count) {
  fc_region *r = region();
  r->section = 0, r->sections = count;
  return sections_next();
}
static unsigned sections_full(unsigned count, void *reductions, void **memory) {
  lend(memory);
  return sections_start(count);
}

/* --- Tasks: run where they are met --- */

static void nothing(void) {}
static int zero(void) { return 0; }
static int one(void) { return 1; }
static void *null(void) { return 0; }

/* A task's own copy of what it is given. */
static void with_copy(fc_outlined body, void *data, void (*copy)(void *, void *), long size, long align, const long *range) {
  char room[size + align], *own = data;
  if (copy) {
    own = (char *)(((uintptr_t)room + align - 1) & -(uintptr_t)align);
    copy(own, data);
  }
  if (range) memcpy(own, range, 2 * sizeof *range);
  body(own);
}

static void task(fc_outlined body, void *data, void (*copy)(void *, void *), long size, long align) { with_copy(body, data, copy, size, align, 0); }
static void task_loop(fc_outlined body, void *data, void (*copy)(void *, void *), long size, long align, unsigned flags, unsigned long tasks, int priority,
                      long begin, long end, long step) {
  if (step > 0 ? begin < end : begin > end) with_copy(body, data, copy, size, align, (long[]){begin, end});
}
enum { UP = 1 << 8 }; /* flag of a loop of unsigned numbers */
static void task_loop_ull(fc_outlined body, void *data, void (*copy)(void *, void *), long size, long align, unsigned flags, unsigned long tasks, int priority,
                          uint64_t begin, uint64_t end, uint64_t step) {
  if (flags & UP ? begin < end : begin > end) with_copy(body, data, copy, size, align, (long[]){begin, end});
}

static void reductions(void) {
  fc_rank *r = fc_current();
  if (r) r->name = "OpenMP";
  if (r) fc_crash(r, "reductions of tasks of OpenMP are not part of Fabricast");
  abort();
}

/* --- Functions --- */

static void set_team(int threads) {
  fc_rank *r = fc_current();
  if (r && threads > 0) r->team_next = threads;
}
static void set_team_(const int *threads) { set_team(*threads); }
static int level(void) { return region()->level; }
static int ancestor(int level) { return level >= 0 && level <= region()->level ? 0 : -1; }
static int team_size(int level) { return level >= 0 && level <= region()->level ? 1 : -1; }
static int ancestor_(const int *level) { return ancestor(*level); }
static int team_size_(const int *level) { return team_size(*level); }
static double wall_time(void) {
  fc_rank *r = fc_current();
  return r ? fc_now(r) / 1e12 : 0;
}
static double tick(void) { return 1e-12; }

#define NAME(name, mine) {name, (void *)mine}
static const struct { const char *name; void *address; } names[] = {
    NAME("GOMP_parallel", parallel), NAME("GOMP_parallel_sections", parallel_sections), NAME("GOMP_teams_reg", teams),
    NAME("GOMP_loop_start", loop_full), NAME("GOMP_loop_ull_start", ull_full),
    NAME("GOMP_sections_start", sections_start), NAME("GOMP_sections2_start", sections_full), NAME("GOMP_sections_next", sections_next),
    NAME("GOMP_single_start", one), NAME("GOMP_single_copy_start", null), NAME("GOMP_single_copy_end", nothing),
    NAME("GOMP_task", task), NAME("GOMP_taskloop", task_loop), NAME("GOMP_taskloop_ull", task_loop_ull),
    NAME("GOMP_parallel_reductions", reductions), NAME("GOMP_taskgroup_reduction_register", reductions), NAME("GOMP_scope_start", reductions),
    NAME("omp_get_num_threads", one), NAME("omp_get_max_threads", one), NAME("omp_get_num_procs", one), NAME("omp_get_thread_limit", one),
    NAME("omp_get_thread_num", zero), NAME("omp_in_parallel", zero), NAME("omp_get_active_level", zero), NAME("omp_set_num_threads", set_team),
    NAME("omp_set_num_threads_", set_team_),
    NAME("omp_get_level", level), NAME("omp_get_ancestor_thread_num", ancestor), NAME("omp_get_team_size", team_size),
    NAME("omp_get_ancestor_thread_num_", ancestor_), NAME("omp_get_team_size_", team_size_),
    NAME("omp_get_wtime", wall_time), NAME("omp_get_wtick", tick),
};

static void *named(const char *name, size_t n) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strncmp(name, names[i].name, n) && !names[i].name[n]) return names[i].address;
  return 0;
}

/* What a team of one need not wait for, nor tell others. */
static int is_wait(const char *rest) {
  static const char *const waits[] = {"barrier", "critical", "atomic", "ordered", "taskwait", "taskyield", "taskgroup", "sections_end", "loop_end", "doacross"};
  for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
    if (!strncmp(rest, waits[i], strlen(waits[i]))) return 1;
  return 0;
}

/* fc_openmp_symbol is what a name of OpenMP stands for, null if it is left to the C library's runtime. */
void *fc_openmp_symbol(const char *name) {
  size_t n = strlen(name);
  void *found = named(name, n);
  if (found) return found;
  if (!strncmp(name, "omp_", 4)) return name[n - 1] == '_' ? named(name, n - 1) : 0; /* from Fortran */
  if (strncmp(name, "GOMP_", 5)) return 0;
  const char *rest = name + 5;
  if (is_wait(rest) || !strncmp(rest, "cancel", 6)) return zero;
  if (!strncmp(rest, "loop_", 5)) return loop_symbol(rest + 5);
  if (!strncmp(rest, "parallel_loop_", 14) && strcmp(name + n - 6, "_start")) return parallel_loop;
  return 0;
}
