//go:build linux && (amd64 || arm64)

/* A folder for each rank that has gone to one of its own. Threads of the simulator stop sharing theirs when they first run such a rank; they are in
 * the rank's folder while it runs, and otherwise in that in which the simulator was started. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job.h"

static char *base;
static __thread int apart;

/* fc_begin_folders notes where the simulator is. */
void fc_begin_folders(void) {
  if (!base) base = getcwd(0, 0);
}

static int be_apart(void) {
  if (!apart && unshare(CLONE_FS)) return -1;
  apart = 1;
  return 0;
}

/* fc_enter_folder takes this thread to the rank's folder. One that is gone leaves it where it is. */
void fc_enter_folder(const fc_rank *r) {
  if (be_apart() || chdir(r->folder)) return;
}

/* fc_leave_folder takes it back. */
void fc_leave_folder(void) {
  if (!base || chdir(base)) return;
}

/* Notes where the rank now is. */
static int settle(fc_rank *r) {
  char *now = getcwd(0, 0);
  if (!now) return -1;
  free(r->folder);
  r->folder = now;
  return 0;
}

/* fc_chdir is chdir. */
int fc_chdir(const char *path) {
  fc_rank *r = fc_current();
  if (!r) return chdir(path);
  return be_apart() || chdir(path) ? -1 : settle(r);
}

/* fc_fchdir is fchdir. */
int fc_fchdir(int folder) {
  fc_rank *r = fc_current();
  if (!r) return fchdir(folder);
  return be_apart() || fchdir(folder) ? -1 : settle(r);
}
