/* Regions of OpenMP that ranks leave to one another in the middle, by calls of MPI. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

static int own;
#pragma omp threadprivate(own)
int main(int argc, char **argv) {
  int rank, size, s = 0, ord = 0, sec = 0, tasks = 0, count = 0;
  long u = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  omp_set_num_threads(4);
#pragma omp parallel
  {
#pragma omp master
    MPI_Barrier(MPI_COMM_WORLD);
#pragma omp barrier
#pragma omp for schedule(dynamic, 3) reduction(+ : s)
    for (int i = 0; i < 100; i++) s += i;
#pragma omp for schedule(guided)
    for (unsigned long i = 100; i > 3; i -= 7)
#pragma omp atomic
      u += i;
#pragma omp for ordered schedule(dynamic)
    for (int i = 10; i >= 0; i--)
#pragma omp ordered
      ord = ord * 3 + i;
#pragma omp critical
    {
      MPI_Barrier(MPI_COMM_WORLD);
      count++;
    }
#pragma omp sections
    {
#pragma omp section
      sec += 1;
#pragma omp section
      sec += 10;
#pragma omp section
      {
        sec += 100;
        MPI_Allreduce(MPI_IN_PLACE, &sec, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      }
    }
#pragma omp single
    {
      for (int i = 0; i < 5; i++)
#pragma omp task firstprivate(i)
        {
#pragma omp atomic
          tasks += i;
        }
#pragma omp taskwait
#pragma omp taskloop grainsize(2)
      for (int i = 0; i < 20; i++)
#pragma omp atomic
        tasks += i;
    }
#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int i = 0; i < 10; i++)
#pragma omp atomic
      count += i;
  }
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 10; i++)
#pragma omp atomic
    count += i;
#pragma omp parallel sections
  {
#pragma omp section
    sec += 1;
#pragma omp section
    sec += 10;
  }
  own = rank;
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d: %d %ld %d %d %d %d, own %d, inside %d\n", rank, s, u, ord, sec, tasks, count, own, omp_in_parallel());
  MPI_Finalize();
  return 0;
}
