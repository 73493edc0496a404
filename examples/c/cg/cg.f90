! Solves Poisson's equation on a square by conjugate gradients (Hestenes and Stiefel 1952), in blocks: a step exchanges the edges of
! blocks with four neighbours, and adds up two numbers of all ranks.
!
!   cg [CELLS]   cells along each side of a rank's block, 32 without
!
! The right side is that of a solution that is 1 everywhere, so the result is checked in every cell.
program cg
  use mpi_f08
  implicit none
  real(8), parameter :: tolerance = 1d-10
  integer :: n, rank, size, dims(2), code, steps
  integer :: left, right, below, above
  type(MPI_Comm) :: grid
  type(MPI_Datatype) :: row
  real(8), allocatable, asynchronous :: p(:, :)
  real(8), allocatable :: x(:, :), r(:, :), q(:, :)
  real(8) :: rho, before, alpha, error, start, end
  character(len=32) :: argument

  call MPI_Init()
  n = 32
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *, iostat=code) n
    if (code /= 0 .or. n < 1) then
      write (0, '(a)') 'usage: cg [CELLS]'
      call MPI_Abort(MPI_COMM_WORLD, 2)
    end if
  end if
  call divide()
  allocate (p(0:n + 1, 0:n + 1), x(n, n), r(n, n), q(n, n))

  start = MPI_Wtime()
  p = 0
  p(1:n, 1:n) = 1
  call multiply()
  r = q
  x = 0
  p(1:n, 1:n) = r
  rho = total(r, r)
  before = rho
  steps = 0
  do while (rho > tolerance**2 * before .and. steps < 10000)
    call multiply()
    alpha = rho / total(p(1:n, 1:n), q)
    x = x + alpha * p(1:n, 1:n)
    r = r - alpha * q
    alpha = 1 / rho
    rho = total(r, r)
    p(1:n, 1:n) = r + (rho * alpha) * p(1:n, 1:n)
    steps = steps + 1
  end do
  end = MPI_Wtime()

  error = maxval(abs(x - 1))
  call MPI_Allreduce(MPI_IN_PLACE, error, 1, MPI_DOUBLE_PRECISION, MPI_MAX, grid)
  if (rank == 0) then
    print '(i0, a, i0, a, i0, 2a)', dims(1) * n, ' x ', dims(2) * n, ' cells, ', steps, ' steps: ', &
      trim(merge('right', 'wrong', error < 1d-7))
    print '(a, f0.3, a)', 'time of a step: ', (end - start) / max(steps, 1) * 1d6, ' us'
  end if
  call MPI_Type_free(row)
  call MPI_Comm_free(grid)
  call MPI_Finalize()
  if (error >= 1d-7) stop 1

contains

  ! Gives each rank its place among the blocks. Nobody is beyond the edges of the square.
  subroutine divide()
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    dims = 0
    call MPI_Dims_create(size, 2, dims)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.false., .false.], .true., grid)
    call MPI_Comm_rank(grid, rank)
    call MPI_Cart_shift(grid, 0, 1, left, right)
    call MPI_Cart_shift(grid, 1, 1, below, above)
    call MPI_Type_vector(n, 1, n + 2, MPI_DOUBLE_PRECISION, row)
    call MPI_Type_commit(row)
  end subroutine

  ! q is what the equation makes of p: four times a cell less its neighbours. The inside is computed while edges are on their way.
  subroutine multiply()
    type(MPI_Request) :: requests(8)
    call MPI_Irecv(p(1, 0), n, MPI_DOUBLE_PRECISION, below, 0, grid, requests(1))
    call MPI_Irecv(p(1, n + 1), n, MPI_DOUBLE_PRECISION, above, 1, grid, requests(2))
    call MPI_Irecv(p(0, 1), 1, row, left, 2, grid, requests(3))
    call MPI_Irecv(p(n + 1, 1), 1, row, right, 3, grid, requests(4))
    call MPI_Isend(p(1, n), n, MPI_DOUBLE_PRECISION, above, 0, grid, requests(5))
    call MPI_Isend(p(1, 1), n, MPI_DOUBLE_PRECISION, below, 1, grid, requests(6))
    call MPI_Isend(p(n, 1), 1, row, right, 2, grid, requests(7))
    call MPI_Isend(p(1, 1), 1, row, left, 3, grid, requests(8))
    call apply(2, n - 1, 2, n - 1)
    call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE)
    call apply(1, n, 1, 1)
    if (n > 1) call apply(1, n, n, n)
    call apply(1, 1, 2, n - 1)
    if (n > 1) call apply(n, n, 2, n - 1)
  end subroutine

  subroutine apply(i, j, k, l)
    integer, intent(in) :: i, j, k, l
    q(i:j, k:l) = 4 * p(i:j, k:l) - p(i - 1:j - 1, k:l) - p(i + 1:j + 1, k:l) - p(i:j, k - 1:l - 1) - p(i:j, k + 1:l + 1)
  end subroutine

  real(8) function total(a, b)
    real(8), intent(in) :: a(:, :), b(:, :)
    total = sum(a * b)
    call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, grid)
  end function
end program
