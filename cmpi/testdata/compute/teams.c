/* Computes in teams of threads. */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

/* Until the thread has taken so much of a processor. */
static void compute(double seconds) {
  struct timespec begin, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  while (now.tv_sec - begin.tv_sec + (now.tv_nsec - begin.tv_nsec) / 1e9 < seconds);
}

static void *thread(void *unused) {
  compute(0.02);
  return unused;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (!strcmp(argv[1], "clause")) {
#pragma omp parallel num_threads(4)
    compute(0.04);
  }
  if (!strcmp(argv[1], "call")) {
    omp_set_num_threads(4);
#pragma omp parallel for
    for (int i = 0; i < 4; i++) compute(0.01);
  }
  if (!strcmp(argv[1], "serial")) {
#pragma omp parallel num_threads(1)
    compute(0.04);
  }
  if (!strcmp(argv[1], "threads")) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, thread, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  }
  MPI_Finalize();
  return 0;
}
