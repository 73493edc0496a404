// All-to-alls on all ranks, and on parts of them: "all", "background", "rows", "counts", "between".
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4000, MOST = 64 };

static char out[MOST * BLOCK], in[MOST * BLOCK];

int main(int argc, char **argv) {
	int rank, size, counts[MOST], offsets[MOST];
	MPI_Comm part;
	MPI_Request request;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < size; i++) {
		counts[i] = BLOCK;
		offsets[i] = i * BLOCK;
		out[i * BLOCK] = (char)(rank * size + i);
	}
	if (!strcmp(argv[1], "all")) {
		MPI_Alltoall(out, BLOCK, MPI_CHAR, in, BLOCK, MPI_CHAR, MPI_COMM_WORLD);
	} else if (!strcmp(argv[1], "background")) {
		MPI_Ialltoall(out, BLOCK, MPI_CHAR, in, BLOCK, MPI_CHAR, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else if (!strcmp(argv[1], "rows")) {
		MPI_Comm_split(MPI_COMM_WORLD, rank / 4, rank, &part);
		MPI_Alltoall(out, BLOCK, MPI_CHAR, in, BLOCK, MPI_CHAR, part);
		MPI_Comm_free(&part);
	} else if (!strcmp(argv[1], "counts")) {
		MPI_Alltoallv(out, counts, offsets, MPI_CHAR, in, counts, offsets, MPI_CHAR, MPI_COMM_WORLD);
	} else {
		MPI_Comm half;
		MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
		MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &part);
		MPI_Alltoall(out, BLOCK, MPI_CHAR, in, BLOCK, MPI_CHAR, part);
		MPI_Comm_free(&part);
		MPI_Comm_free(&half);
	}
	for (int i = 0; !strcmp(argv[1], "all") && i < size; i++)
		if (in[i * BLOCK] != (char)(i * size + rank))
			MPI_Abort(MPI_COMM_WORLD, 1);
	MPI_Finalize();
	return 0;
}
