/* Whether large buffers lie in huge pages, and small ones do not. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether huge pages have been asked for at an address. */
static int asked(const void *at) {
  FILE *f = fopen("/proc/self/smaps", "r");
  char line[512];
  int inside = 0, found = 0;
  while (fgets(line, sizeof line, f)) {
    unsigned long from, to;
    if (sscanf(line, "%lx-%lx", &from, &to) == 2) inside = from <= (unsigned long)at && (unsigned long)at < to;
    if (inside && !strncmp(line, "VmFlags:", 8)) found = strstr(line, " hg") != 0;
  }
  fclose(f);
  return found;
}

int main(int argc, char **argv) {
  const size_t n = 16 << 20, middle = n / 2;
  MPI_Init(&argc, &argv);
  void *aligned = 0, *mpi = 0;
  char *m = malloc(n), *c = calloc(n, 1), *r = realloc(malloc(1), n), *a = aligned_alloc(64, n), *small = malloc(1 << 20);
  if (posix_memalign(&aligned, 4096, n)) return 1;
  MPI_Alloc_mem(n, MPI_INFO_NULL, &mpi);
  printf("%d %d %d %d %d %d, small %d\n", asked(m + middle), asked(c + middle), asked(r + middle), asked(a + middle),
         asked((char *)aligned + middle), asked((char *)mpi + middle), asked(small + (1 << 19)));
  for (size_t i = 0; i < n; i += 4096)
    if (c[i]) printf("byte %zu of calloc is not zero\n", i);
  free(m), free(c), free(r), free(a), free(aligned), free(small), MPI_Free_mem(mpi);
  MPI_Finalize();
  return 0;
}
