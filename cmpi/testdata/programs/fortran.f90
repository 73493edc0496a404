! Calls from Fortran: constants by address, statuses, indices from 1, strings, variables of each rank.
module state
  implicit none
  integer :: counter = 3
end module state

program chapter
  use mpi
  use state
  implicit none
  integer :: ierr, rank, size, total, i, n, index, requests(2), status(MPI_STATUS_SIZE), column, half, halves
  integer :: statuses(MPI_STATUS_SIZE, 2), values(2), saved = 10
  integer, dimension(4, 3) :: matrix
  integer, dimension(4) :: row
  double precision :: x(3), t
  logical :: flag, periods(2)
  integer :: dims(2), grid, coords(2)
  character(len=40) :: name
  character(len=MPI_MAX_ERROR_STRING) :: text
  common /shared/ t

  call MPI_INIT(ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierr)
  counter = counter + rank
  saved = saved + rank
  total = rank
  call MPI_ALLREDUCE(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  x = rank
  call MPI_SENDRECV_REPLACE(x, 3, MPI_DOUBLE_PRECISION, mod(rank + 1, size), 1, mod(rank + size - 1, size), 1, &
      MPI_COMM_WORLD, status, ierr)
  print '(A,I3,I5,I3,I3,F6.2,I4,I4)', 'exchange', rank, total, status(MPI_SOURCE), status(MPI_TAG), x(2), counter, saved

  do i = 1, 2
    call MPI_IRECV(values(i), 1, MPI_INTEGER, mod(rank + size - 1, size), i, MPI_COMM_WORLD, requests(i), ierr)
  end do
  call MPI_SEND(rank, 1, MPI_INTEGER, mod(rank + 1, size), 2, MPI_COMM_WORLD, ierr)
  call MPI_WAITANY(2, requests, index, MPI_STATUS_IGNORE, ierr)
  call MPI_SEND(rank, 1, MPI_INTEGER, mod(rank + 1, size), 1, MPI_COMM_WORLD, ierr)
  call MPI_WAITALL(2, requests, statuses, ierr)
  print '(A,I4,L2,2I4)', 'waitany', rank, index == 1 .or. index == 2, values

  do i = 1, 12
    matrix(mod(i - 1, 4) + 1, (i - 1) / 4 + 1) = 100 * rank + i
  end do
  call MPI_TYPE_VECTOR(3, 1, 4, MPI_INTEGER, column, ierr)
  call MPI_TYPE_COMMIT(column, ierr)
  call MPI_SENDRECV(matrix(2, 1), 1, column, mod(rank + 1, size), 0, row, 3, MPI_INTEGER, MPI_ANY_SOURCE, 0, &
      MPI_COMM_WORLD, status, ierr)
  call MPI_GET_COUNT(status, MPI_INTEGER, n, ierr)
  print '(A,5I5)', 'column', rank, n, row(1:3)

  dims = 0
  periods = .true.
  call MPI_DIMS_CREATE(size, 2, dims, ierr)
  call MPI_CART_CREATE(MPI_COMM_WORLD, 2, dims, periods, .false., grid, ierr)
  call MPI_CART_COORDS(grid, rank, 2, coords, ierr)
  call MPI_COMM_SET_NAME(grid, 'a grid', ierr)
  call MPI_COMM_GET_NAME(grid, name, n, ierr)
  call MPI_COMM_SPLIT(grid, mod(rank, 2), -rank, half, ierr)
  call MPI_COMM_RANK(half, halves, ierr)
  print '(A,6I4,1X,A,I4)', 'grid', rank, dims, coords, halves, trim(name), n
  call MPI_IPROBE(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, flag, status, ierr)
  call MPI_ERROR_STRING(MPI_SUCCESS, text, n, ierr)
  print '(A,I3,L2,L2)', 'probe', rank, flag, n > 0
  t = MPI_WTIME()
  if (MPI_WTIME() < t) print *, 'time goes back'
  call MPI_FINALIZE(ierr)
end program chapter
