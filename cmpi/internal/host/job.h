/* A program that has been loaded, and what its ranks have in common. */
#ifndef FABRICAST_JOB_H
#define FABRICAST_JOB_H

#include <elf.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "host.h"

/* A part of the program's memory. */
typedef struct {
  size_t start, end;      /* in the image, whole pages */
  size_t file, file_size; /* what is read from where; the rest is zero */
  size_t offset;          /* in the image, of the first byte read */
  int writable, fd;
} fc_segment;

/* A word of the image that is the same for all ranks, or counts from the image's place, or from a rank's own variables. */
typedef struct {
  size_t place;
  uintptr_t value;
} fc_word;

typedef struct {
  fc_word *list;
  size_t n, room;
} fc_words;

/* The program, or a shared library of its own. Places are those in the image. */
typedef struct {
  const char *path;
  int fd;
  const unsigned char *file;
  size_t file_size, base;
  const Elf64_Dyn *dynamic; /* in the file */
  size_t strings, symbols, versions, gnu_hash, hash, rela, rela_size, jump, jump_size, relr, relr_size;
  size_t init, fini, eh_frame;
  size_t init_array, init_count, fini_array, fini_count, preinit_array, preinit_count;
  size_t tls, tls_file, tls_place; /* thread-local variables: in the image, and where they go */
} fc_module;

/* What a module defines. */
typedef struct {
  const char *name;
  fc_module *module;
  const Elf64_Sym *symbol;
} fc_name;

struct fc_job {
  const char *path;
  fc_module **modules; /* the program first */
  fc_module **order;   /* as they are initialized */
  int nmodules, ordered;
  fc_name *names; /* by hash */
  size_t nnames;
  fc_segment *segments;
  int nsegments;
  size_t span;   /* of the image, whole pages */
  char *pattern; /* the image with all that is the same for all ranks */
  size_t pattern_size;
  fc_words relative, indirect, own;
  size_t main;
  size_t tls_size, tls_align;
  void (*flush)(void *); /* of Fortran's units, which ranks share */
  size_t constants; /* Fortran's common block of them; 0: none */
  size_t register_offset; /* of what registers the frames of exceptions; 0: none */
  void (*register_shared)(void *); /* the same of a shared library */
  int ranks;
  int bundle; /* images in one mapping; 0: each segment of an image is mapped by itself */
  char *images, *stacks;
  size_t stack_size, guard_size; /* a guard lies below each stack */
  int answers; /* NICs may have to answer messages */
  int types;   /* what is done about types that do not match: FC_TYPES_* */
  pthread_mutex_t mutex;
  struct fc_mismatch *mismatches;
  int nmismatches;
  int cancels; /* the program may take sends back */
  int apart;   /* ranks are in several processes */
  int saved;   /* the run leaves checkpoints, or goes on from one */
  int argc;
  char **argv;
  int prefix, omit;
  double speed; /* simulated ps for a ns of host time; 0: computation costs nothing */
  int sampled;  /* only within the loops of which some iterations are run */
  char error[1024];
  int teams;  /* computation of teams of threads has been charged */
  int hinted; /* the user has been told that waiting for the clock takes long */
  int unfit; /* the error is of the file, which is no program of ours */
};

/* The variables and state of the C library that each rank has for itself. */
typedef struct fc_libc {
  FILE *out, *err, *in;
  int option_index, option_error, option_unknown;
  char *option_argument, *option_next;
  char *token;
  struct sigaction *actions; /* what the program wants done about signals; null: nothing yet */
  struct random_data *random;
  struct drand48_data *random48;
  struct fc_exit { void (*with)(void *); void *argument; struct fc_exit *next; } *exits;
  char *lines[2];
  size_t used[2], room[2];
} fc_libc;

enum { FC_TYPES_IGNORED, FC_TYPES_TOLD, FC_TYPES_FAIL };

fc_libc *fc_libc_of(fc_rank *r);
size_t fc_own_variable(const char *name); /* offset in fc_libc plus 1; 0: none */
void fc_start(void);
void fc_prepare(fc_rank *r, void (*start)(void));
void fc_watch_signals(void);
char *fc_new_variables(fc_job *j);

/* signal.c */
void (*fc_signal(int signal, void (*handler)(int)))(int);
int fc_sigaction(int signal, const struct sigaction *new, struct sigaction *old);
int fc_raise(int signal);
int fc_kill(pid_t pid, int signal);
int fc_killpg(pid_t group, int signal);
int fc_sigqueue(pid_t pid, int signal, const union sigval value);
int fc_thread_kill(pthread_t thread, int signal);

/* alarm.c */
unsigned fc_alarm(unsigned seconds);
unsigned fc_ualarm(unsigned after, unsigned every);
struct itimerval;
int fc_getitimer(int which, struct itimerval *now);
int fc_setitimer(int which, const struct itimerval *new, struct itimerval *old);
int fc_wait_for_signal(void);

/* folder.c */
int fc_chdir(const char *path);
int fc_fchdir(int folder);

/* thread.c */
fc_rank *fc_owner(void);
void fc_thread_failed(int signal);
void *fc_tls_get_addr(size_t *index);
void fc_tls_descriptor(void); /* arm64 */
int fc_thread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*begin)(void *), void *argument);

#endif
