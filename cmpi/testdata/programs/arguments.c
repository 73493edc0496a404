/* What calls say of wrong arguments. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size, calls;

static void expect(int line, int wanted, int code) {
  int class;
  MPI_Error_class(code, &class);
  if (class != wanted) printf("rank %d, line %d: found class %d, expected %d\n", rank, line, class, wanted);
  calls++;
}
#define WRONG(class, call) expect(__LINE__, MPI_ERR_##class, call)

static int x[8], y[8], n, flag;
static MPI_Comm world = MPI_COMM_WORLD, none = MPI_COMM_NULL, made;
static MPI_Datatype raw; /* which has not been committed */
static MPI_Status status;
static MPI_Request request, nothing = MPI_REQUEST_NULL;

static void messages(void) {
  WRONG(COUNT, MPI_Send(x, -1, MPI_INT, 0, 0, world));
  WRONG(TYPE, MPI_Send(x, 1, MPI_DATATYPE_NULL, 0, 0, world));
  WRONG(TYPE, MPI_Send(x, 1, raw, 0, 0, world));
  WRONG(RANK, MPI_Send(x, 1, MPI_INT, size, 0, world));
  WRONG(RANK, MPI_Send(x, 1, MPI_INT, MPI_ANY_SOURCE, 0, world));
  WRONG(TAG, MPI_Send(x, 1, MPI_INT, 0, MPI_ANY_TAG, world));
  WRONG(COMM, MPI_Send(x, 1, MPI_INT, 0, 0, none));
  WRONG(BUFFER, MPI_Send(NULL, 1, MPI_INT, 0, 0, world));
  WRONG(BUFFER, MPI_Bsend(x, 4, MPI_INT, 0, 0, world));
  WRONG(COUNT, MPI_Recv(x, -1, MPI_INT, 0, 0, world, &status));
  WRONG(TAG, MPI_Recv(x, 1, MPI_INT, 0, -9, world, &status));
  WRONG(RANK, MPI_Isend(x, 1, MPI_INT, size, 0, world, &request));
  WRONG(COUNT, MPI_Send_init(x, -1, MPI_INT, 0, 0, world, &request));
  WRONG(RANK, MPI_Probe(size, 0, world, &status));
  WRONG(TAG, MPI_Iprobe(0, -3, world, &flag, &status));
  WRONG(TAG, MPI_Sendrecv(x, 1, MPI_INT, 0, -5, y, 1, MPI_INT, 0, 0, world, &status));
  WRONG(COUNT, MPI_Waitall(-1, &nothing, MPI_STATUSES_IGNORE));
  WRONG(REQUEST, MPI_Start(&nothing));
  WRONG(REQUEST, MPI_Cancel(&nothing));
  WRONG(REQUEST, MPI_Request_free(&nothing));
}

static void collectives(void) {
  WRONG(ROOT, MPI_Bcast(x, 1, MPI_INT, size, world));
  WRONG(COUNT, MPI_Bcast(x, -1, MPI_INT, 0, world));
  WRONG(TYPE, MPI_Bcast(x, 1, raw, 0, world));
  WRONG(COMM, MPI_Barrier(none));
  WRONG(OP, MPI_Reduce(x, y, 1, MPI_INT, MPI_OP_NULL, 0, world));
  WRONG(OP, MPI_Reduce(x, y, 1, MPI_DOUBLE, MPI_BAND, 0, world));
  WRONG(OP, MPI_Allreduce(x, y, 1, MPI_INT, MPI_MAXLOC, world));
  WRONG(BUFFER, MPI_Allreduce(x, x, 1, MPI_INT, MPI_SUM, world));
  WRONG(ROOT, MPI_Gather(x, 1, MPI_INT, y, 1, MPI_INT, -7, world));
  WRONG(TYPE, MPI_Alltoall(x, 1, raw, y, 1, MPI_INT, world));
  WRONG(OP, MPI_Reduce_local(x, y, 1, MPI_DOUBLE, MPI_BXOR));
  WRONG(OP, MPI_Op_commutative(MPI_OP_NULL, &n));
  MPI_Op sum = MPI_SUM;
  WRONG(OP, MPI_Op_free(&sum));
}

static void objects(void) {
  int members[2] = {-1, 0}, negative = -1, zero = 0, invalid = MPI_KEYVAL_INVALID;
  MPI_Group all, some, no_group = MPI_GROUP_NULL;
  MPI_Datatype type = MPI_INT, no_type = MPI_DATATYPE_NULL;
  MPI_Comm_group(world, &all);
  WRONG(COMM, MPI_Comm_dup(none, &made));
  WRONG(COMM, MPI_Comm_free(&none));
  WRONG(COMM, MPI_Comm_compare(world, none, &n));
  WRONG(GROUP, MPI_Comm_create(world, MPI_GROUP_NULL, &made));
  WRONG(RANK, MPI_Group_incl(all, 1, members, &some));
  WRONG(ARG, MPI_Group_incl(all, -1, members, &some));
  WRONG(GROUP, MPI_Group_size(MPI_GROUP_NULL, &n));
  WRONG(GROUP, MPI_Group_free(&no_group));
  WRONG(COUNT, MPI_Type_contiguous(-1, MPI_INT, &type));
  WRONG(TYPE, MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &type));
  WRONG(COUNT, MPI_Type_vector(1, -1, 1, MPI_INT, &type));
  WRONG(COUNT, MPI_Type_indexed(1, &negative, &zero, MPI_INT, &type));
  type = MPI_INT;
  WRONG(TYPE, MPI_Type_free(&type));
  WRONG(TYPE, MPI_Type_commit(&no_type));
  WRONG(TYPE, MPI_Type_size(MPI_DATATYPE_NULL, &n));
  WRONG(KEYVAL, MPI_Comm_free_keyval(&invalid));
  WRONG(KEYVAL, MPI_Comm_set_attr(world, MPI_KEYVAL_INVALID, x));
  WRONG(TOPOLOGY, MPI_Cartdim_get(world, &n));
  WRONG(TOPOLOGY, MPI_Dist_graph_neighbors_count(world, &n, &n, &n));
  WRONG(DIMS, MPI_Dims_create(7, 2, (int[]){2, 0}));
  WRONG(ARG, MPI_Get_address(x, NULL));
  MPI_Group_free(&all);
}

static void windows(void) {
  MPI_Win win, no_window = MPI_WIN_NULL;
  WRONG(SIZE, MPI_Win_create(x, -1, 1, MPI_INFO_NULL, world, &win));
  WRONG(COMM, MPI_Win_create(x, 4, 1, MPI_INFO_NULL, none, &win));
  WRONG(WIN, MPI_Win_fence(0, no_window));
  MPI_Win_create(x, sizeof x, 4, MPI_INFO_NULL, world, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  WRONG(RMA_SYNC, MPI_Put(y, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
  WRONG(RMA_SYNC, MPI_Win_unlock(0, win));
  WRONG(RMA_SYNC, MPI_Win_flush(0, win));
  WRONG(RMA_SYNC, MPI_Win_complete(win));
  WRONG(RMA_SYNC, MPI_Win_wait(win));
  MPI_Win_fence(0, win);
  WRONG(COUNT, MPI_Put(y, -1, MPI_INT, 0, 0, 1, MPI_INT, win));
  WRONG(RANK, MPI_Put(y, 1, MPI_INT, size, 0, 1, MPI_INT, win));
  WRONG(TYPE, MPI_Put(y, 1, MPI_INT, 0, 0, 1, raw, win));
  WRONG(OP, MPI_Accumulate(y, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, win));
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  MPI_Win_free(&win);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Type_contiguous(2, MPI_INT, &raw);
  messages();
  collectives();
  objects();
  windows();
  printf("rank %d: %d calls\n", rank, calls);
  MPI_Finalize();
  return 0;
}
