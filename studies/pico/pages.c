/* Counts the pages of memory that Open MPI gets anew from the system in each call of a collective,
   by algorithm (docs/validation/pico.md). Its temporary buffers come from malloc, and are freed
   after the call. glibc gives the top of the heap back once twice the largest buffer that was ever
   mapped is free there. So algorithms with two buffers of the message's size get new pages in the
   next call, and those with one do not. With Open MPI's mpicc:

   mpicc -O1 pages.c -o pages
   mpirun -np 8 --oversubscribe --mca pml ob1 --mca coll_tuned_use_dynamic_rules 1 \
     --mca coll_tuned_reduce_scatter_algorithm 2 ./pages reduce_scatter 8388608

   With -x MALLOC_TRIM_THRESHOLD_=100000000 -x MALLOC_MMAP_THRESHOLD_=33554432 there are none. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { warm = 5, calls = 10, page = 4096 };

static long faults(void)
{
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

int main(int argc, char **argv)
{
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3) {
    fprintf(stderr, "usage: pages allreduce|reduce|reduce_scatter|allgather BYTES\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  long bytes = atol(argv[2]), before = 0;
  int count = bytes / (long)sizeof(int), *counts = malloc(ranks * sizeof *counts);
  int *from = malloc(bytes), *to = malloc(bytes);
  memset(from, 1, bytes);
  memset(to, 0, bytes);
  for (int i = 0; i < ranks; i++)
    counts[i] = count / ranks;
  for (int i = -warm; i < calls; i++) {
    if (i == 0)
      before = faults();
    if (!strcmp(argv[1], "allreduce"))
      MPI_Allreduce(from, to, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else if (!strcmp(argv[1], "reduce"))
      MPI_Reduce(from, to, count, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    else if (!strcmp(argv[1], "reduce_scatter"))
      MPI_Reduce_scatter(from, to, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else
      MPI_Allgather(from, count / ranks, MPI_INT, to, count / ranks, MPI_INT, MPI_COMM_WORLD);
  }
  double mine = (double)(faults() - before) / calls, most;
  MPI_Reduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%s of %ld bytes: at most %.1f new pages a call, %.2f of the message\n", argv[1], bytes,
           most, most * page / bytes);
  MPI_Finalize();
}
