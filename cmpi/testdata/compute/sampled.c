/* Loops of which some iterations are run. The second one communicates. */
#include <fabricast.h>
#include <stdio.h>

static double now(void) { return MPI_Wtime(); }

int main(int argc, char **argv) {
  int rank, runs = 0, inner = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double start = now();
  for (int i = 0; i < 10; i++)
    FABRICAST_SAMPLE(3) {
      runs++;
      Fabricast_Compute((i + 1) * 1e-6);
      for (int k = 0; k < 4; k++)
        FABRICAST_SAMPLE(2) inner++, Fabricast_Compute(1e-9 / 4 * (k + 1));
    }
  /* Inner iterations: 0.25 and 0.5 ns, 10 of 0.375 ns; outer ones: 1, 2 and 3 us, 7 of the mean, with what is in them. */
  long ps = (now() - start) * 1e12 + 0.5, inside = 250 + 500 + 3750, all = 6000000 + inside;
  if (runs != 3 || inner != 2 || ps != all + all * 7 / 3) printf("rank %d: %d, %d, %ld ps\n", rank, runs, inner, ps);
  for (int i = 0; i < 5; i++)
    FABRICAST_SAMPLE(2) {
      int one = 1, all;
      MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      if (i > 1) printf("not sampled\n");
    }
  printf("end\n");
  MPI_Finalize();
  return 0;
}
