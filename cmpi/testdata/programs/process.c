/* What each rank has for itself: variables, random numbers, options, output, the end. */
#include <mpi.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int initialized = 5, zero;
static int *pointer = &initialized;
int global[1000] = {1, 2, 3};
static __thread int local = 9;
static int (*compare_function)(const char *, const char *) = strcmp;

static void last(void) { printf("rank at the end %d %d\n", initialized, zero); }

__attribute__((constructor)) static void before(void) { zero = 1; }

int main(int argc, char **argv) {
  int rank, size, c, sum = 0;
  char options[64] = "";
  atexit(last);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  static const struct option longs[] = {{"count", required_argument, 0, 'c'}, {"verbose", no_argument, 0, 'v'}, {0, 0, 0, 0}};
  char *list[] = {"prog", "-ab", "word", "-c3", "--count=4", "--verbose", "-c", "5", "rest", 0};
  while ((c = getopt_long(9, list, "abc:v", longs, 0)) != -1) {
    sprintf(options + strlen(options), "%c%s", c, c == 'c' ? optarg : "");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  initialized += rank;
  global[7] = rank;
  local += rank;
  *pointer += 1;
  srand(rank + 1);
  for (int i = 0; i < 5; i++) {
    MPI_Barrier(MPI_COMM_WORLD);
    sum = (sum * 7 + rand()) % 100000;
  }
  char words[] = "a b c", *w = strtok(words, " ");
  MPI_Barrier(MPI_COMM_WORLD);
  w = strtok(0, " ");
  printf("rank %d: %d %d %d %d, random %d, word %s, options %s, rest %s %s, %d\n", rank, initialized, global[7] + global[2], local, *pointer, sum, w, options, list[optind],
         list[optind + 1], compare_function("a", "a"));
  MPI_Finalize();
  puts("after");
  return 0;
}
