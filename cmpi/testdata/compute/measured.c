/* Computes, within a sampled loop if there is an argument. */
#include <fabricast.h>
#include <stdio.h>

static volatile double sum;
static void work(void) {
  for (int i = 0; i < 1000000; i++) sum += 1.0 / (i + 1);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc > 1)
    FABRICAST_SAMPLE(1) work();
  else
    work();
  printf("%d\n", MPI_Wtime() > 0);
  MPI_Finalize();
  return 0;
}
