/* Calls drawn from a seed, the program's argument. What some of them do depends on which message
   comes first. */
#include <mpi.h>
#include <stdlib.h>

static char in[9000], out[9000];

/* next draws a number below n from a state. */
static int next(unsigned *state, int n) {
	*state = *state * 1103515245u + 12345u;
	return (int)(*state >> 16) % n;
}

/* exchange sends to the rank `shift` above and receives from the one `shift` below. */
static void exchange(unsigned *own, int rank, int size, int shift, int round) {
	int to = (rank + shift) % size, from = (rank + size - shift % size) % size;
	int bytes = next(own, sizeof out), there = 0, index, polls;
	MPI_Request q[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	MPI_Status status;
	MPI_Isend(out, bytes, MPI_CHAR, to, round, MPI_COMM_WORLD, &q[0]);
	switch (next(own, 8)) {
	case 0:
		MPI_Recv(in, sizeof in, MPI_CHAR, from, round, MPI_COMM_WORLD, &status);
		break;
	case 1:
		MPI_Probe(MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &status);
		MPI_Recv(in, sizeof in, MPI_CHAR, status.MPI_SOURCE, round, MPI_COMM_WORLD, &status);
		break;
	case 2:
		MPI_Irecv(in, sizeof in, MPI_CHAR, from, MPI_ANY_TAG, MPI_COMM_WORLD, &q[1]);
		break;
	case 3:
		MPI_Irecv(in, sizeof in, MPI_CHAR, from, round, MPI_COMM_WORLD, &q[1]);
		for (polls = 0; polls < 300 && !there; polls++)
			MPI_Test(&q[1], &there, &status);
		break;
	case 4:
		for (polls = 0; polls < 300 && !there; polls++)
			MPI_Iprobe(from, round, MPI_COMM_WORLD, &there, &status);
		MPI_Recv(in, sizeof in, MPI_CHAR, from, round, MPI_COMM_WORLD, &status);
		break;
	case 5:
		MPI_Irecv(in, sizeof in, MPI_CHAR, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &q[1]);
		MPI_Waitany(2, q, &index, &status);
		break;
	case 6:
		MPI_Recv_init(in, sizeof in, MPI_CHAR, from, round, MPI_COMM_WORLD, &q[1]);
		MPI_Start(&q[1]);
		MPI_Wait(&q[1], &status);
		MPI_Request_free(&q[1]);
		break;
	default:
		MPI_Sendrecv(out, 17, MPI_CHAR, rank, 999, in, sizeof in, MPI_CHAR, rank, 999, MPI_COMM_WORLD, &status);
		MPI_Recv(in, sizeof in, MPI_CHAR, from, round, MPI_COMM_WORLD, &status);
	}
	MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD); /* so that a receive of any tag meets its round's message */
}

int main(int argc, char **argv) {
	int rank, size, members, round;
	MPI_Comm half;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	unsigned seed = (unsigned)atoi(argv[1]), common = seed, own = seed * 7919u + (unsigned)rank;
	for (round = 0; round < 5; round++)
		exchange(&own, rank, size, 1 + next(&common, size), round);
	MPI_Comm_split(MPI_COMM_WORLD, rank % (1 + next(&common, 3)), next(&own, 5), &half);
	MPI_Comm_size(half, &members);
	MPI_Allreduce(out, in, 8, MPI_INT, MPI_SUM, half);
	MPI_Bcast(in, 1 + next(&common, 5000), MPI_CHAR, next(&common, members == 1 ? 1 : 2) % members, half);
	MPI_Alltoall(out, 100, MPI_CHAR, in, 100, MPI_CHAR, half);
	MPI_Comm_free(&half);
	MPI_Sendrecv(out, 1 + next(&own, 90), MPI_CHAR, 0, 5, in, 100, MPI_CHAR, MPI_ANY_SOURCE, 5, MPI_COMM_SELF,
		MPI_STATUS_IGNORE);
	MPI_Reduce(out, in, 100, MPI_DOUBLE, MPI_MAX, next(&common, size), MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
