// One collective of 16 ranks: "allreduce", "allgather", "alltoall", "reduce", and "background".
#include <mpi.h>
#include <string.h>

enum { RANKS = 16, COUNT = 1000 };

static int out[RANKS * COUNT], in[RANKS * COUNT];

int main(int argc, char **argv) {
	MPI_Request request;
	MPI_Init(&argc, &argv);
	if (!strcmp(argv[1], "allreduce")) {
		MPI_Allreduce(out, in, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	} else if (!strcmp(argv[1], "allgather")) {
		MPI_Allgather(out, COUNT, MPI_INT, in, COUNT, MPI_INT, MPI_COMM_WORLD);
	} else if (!strcmp(argv[1], "alltoall")) {
		MPI_Alltoall(out, COUNT, MPI_INT, in, COUNT, MPI_INT, MPI_COMM_WORLD);
	} else if (!strcmp(argv[1], "reduce")) {
		MPI_Reduce(out, in, COUNT, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	} else {
		MPI_Iallreduce(out, in, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
