! The module mpi_f08: handles and statuses with types of their own, and no ierror where nobody asks.
module functions08
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: errors = 0
contains
  subroutine add(invec, inoutvec, n, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: n
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    call c_f_pointer(invec, a, [n])
    call c_f_pointer(inoutvec, b, [n])
    b = b + 2 * a - a
  end subroutine
  subroutine handle(comm, error_code)
    type(MPI_Comm) :: comm
    integer :: error_code
    if (comm == MPI_COMM_WORLD) errors = errors + 1
  end subroutine
  subroutine copy(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    attribute_val_out = attribute_val_in + extra_state
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine
end module

program main
  use functions08
  implicit none
  integer, parameter :: n = 4
  integer :: rank, size, i, code, key, count, dims(2), coords(2), sources(1), destinations(1), numbers(n), sums(n), length
  integer, asynchronous :: out(n), in(n)
  type(MPI_Comm) :: comm, grid, ring
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status, statuses(2)
  type(MPI_Datatype) :: type
  type(MPI_Op) :: op
  type(MPI_Win) :: win
  type(MPI_Group) :: group
  type(MPI_Info) :: info
  type(MPI_Errhandler) :: handler
  type(MPI_Message) :: message
  type(c_ptr) :: place
  integer, pointer :: window(:)
  logical :: flag, periods(2)
  character(len=MPI_MAX_OBJECT_NAME) :: name
  integer(MPI_ADDRESS_KIND) :: lb, extent, value, bytes
  real(8) :: matrix(3, 5), column(5)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(comm=MPI_COMM_WORLD, size=size)

  out = rank * 10 + [1, 2, 3, 4]
  call MPI_Irecv(in, n, MPI_INTEGER, modulo(rank - 1, size), 3, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(out, n, MPI_INTEGER, modulo(rank + 1, size), 3, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, statuses)
  call MPI_Get_count(statuses(1), MPI_INTEGER, count)
  print *, rank, 'ring', in, statuses(1)%MPI_SOURCE, statuses(1)%MPI_TAG, count, requests(1) == MPI_REQUEST_NULL

  call MPI_Isend(out, 1, MPI_INTEGER, rank, 9, MPI_COMM_WORLD, requests(1))
  call MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, message, status)
  call MPI_Mrecv(in, 1, MPI_INTEGER, message, MPI_STATUS_IGNORE)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
  print *, rank, 'matched', in(1), status%MPI_TAG, message /= MPI_MESSAGE_NULL

  call MPI_Op_create(add, .true., op)
  numbers = rank
  call MPI_Allreduce(numbers, sums, n, MPI_INTEGER, op, MPI_COMM_WORLD)
  call MPI_Op_free(op)
  call MPI_Allreduce(MPI_IN_PLACE, numbers, n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, code)
  print *, rank, 'sums', sums, numbers, code, op == MPI_OP_NULL

  matrix = reshape([(i * 1d0 + rank * 100, i = 1, 15)], [3, 5])
  call MPI_Type_vector(5, 1, 3, MPI_DOUBLE_PRECISION, type)
  call MPI_Type_commit(type)
  call MPI_Type_get_extent(type, lb, extent)
  call MPI_Sendrecv(matrix(2, 1), 1, type, modulo(rank + 1, size), 4, column, 5, MPI_DOUBLE_PRECISION, modulo(rank - 1, size), 4, &
    MPI_COMM_WORLD, status)
  print *, rank, 'column', column, lb, extent
  call MPI_Type_set_name(type, 'a column')
  call MPI_Type_get_name(type, name, length)
  print *, rank, trim(name), length
  call MPI_Type_free(type)

  ! A section is passed as a copy where the call waits.
  if (rank == 0) call MPI_Send(matrix(1, 1:5:2), 3, MPI_DOUBLE_PRECISION, 1, 5, MPI_COMM_WORLD)
  if (rank == 1) then
    call MPI_Recv(column, 3, MPI_DOUBLE_PRECISION, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    print *, rank, 'section', column(1:3)
  end if

  dims = 0
  call MPI_Dims_create(size, 2, dims)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .false.], .false., grid)
  call MPI_Cart_get(grid, 2, dims, periods, coords)
  print *, rank, 'grid', dims, periods, coords
  sources = modulo(rank - 1, size)
  destinations = modulo(rank + 1, size)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, sources, MPI_UNWEIGHTED, 1, destinations, MPI_UNWEIGHTED, &
    MPI_INFO_NULL, .false., ring)
  call MPI_Neighbor_allgather(rank, 1, MPI_INTEGER, count, 1, MPI_INTEGER, ring)
  call MPI_Dist_graph_neighbors_count(ring, i, length, flag)
  print *, rank, 'neighbour', count, i, length, flag

  bytes = 4 * size
  call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, place, win)
  call c_f_pointer(place, window, [size])
  window = -1
  call MPI_Win_fence(0, win)
  do i = 0, size - 1
    call MPI_Put(rank, 1, MPI_INTEGER, i, int(rank, MPI_ADDRESS_KIND), 1, MPI_INTEGER, win)
  end do
  call MPI_Win_fence(0, win)
  print *, rank, 'window', window
  call MPI_Win_free(win)

  call MPI_Comm_create_errhandler(handle, handler)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler)
  call MPI_Send(numbers, 1, MPI_INTEGER, size, 0, MPI_COMM_WORLD, code)
  print *, rank, 'errors', errors, code /= MPI_SUCCESS
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)
  call MPI_Errhandler_free(handler)

  value = 7
  call MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, key, value)
  call MPI_Comm_set_attr(MPI_COMM_WORLD, key, value)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_get_attr(comm, key, value, flag)
  print *, rank, 'attribute', flag, value, comm /= MPI_COMM_WORLD
  call MPI_Comm_group(comm, group)
  call MPI_Group_incl(group, 2, [1, 0], group)
  call MPI_Group_rank(group, i)
  print *, rank, 'group', i == MPI_UNDEFINED, merge(i, -1, rank < 2)

  call MPI_Info_create(info)
  call MPI_Info_set(info, 'where', '  over there  ')
  name = 'untouched'
  call MPI_Info_get(info, 'nowhere', len(name), name, flag)
  print *, rank, flag, trim(name)
  call MPI_Info_get(info, 'where', len(name), name, flag)
  print *, rank, flag, trim(name)
  call MPI_Info_free(info)
  call MPI_Sizeof(matrix, i)
  print *, rank, 'size', i, MPI_SUBARRAYS_SUPPORTED .or. .true.
  call MPI_Finalize()
end program
