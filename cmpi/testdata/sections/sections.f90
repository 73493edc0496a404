! Array sections as buffers of calls that return before the message is there: they are the program's memory, not copies of it.
module checks
  use mpi_f08
  implicit none
  integer :: wrong = 0
contains
  subroutine check(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    if (.not. right) wrong = wrong + 1
    if (.not. right) print *, 'wrong: ', what
  end subroutine

  ! Between two arrays of any strides, which may be negative.
  subroutine exchange(rank, size)
    integer, intent(in) :: rank, size
    real(8), asynchronous :: a(12, 10), b(12, 10)
    real(8) :: expected(12, 10), sent(2, 3)
    type(MPI_Request) :: requests(2)
    integer :: f, s, g, u, i, n
    do f = 1, 4
      do s = -2, 4
        do g = 1, 3
          do u = -3, 3
            if (s == 0 .or. u == 0) cycle
            a = reshape([(i * 1d0 + modulo(rank - 1, size) * 1000, i = 1, 120)], [12, 10])
            b = -1
            expected = b
            n = 0
            sent = a(5:5 + f:f, 5:5 + 2 * s / abs(s):s / abs(s))
            expected(6:6 + u:u, 1:1 + 2 * g:g) = sent
            a = reshape([(i * 1d0 + rank * 1000, i = 1, 120)], [12, 10])
            call MPI_Irecv(b(6:6 + u:u, 1:1 + 2 * g:g), 6, MPI_DOUBLE_PRECISION, &
              modulo(rank - 1, size), 1, MPI_COMM_WORLD, requests(1))
            call MPI_Isend(a(5:5 + f:f, 5:5 + 2 * s / abs(s):s / abs(s)), 6, MPI_DOUBLE_PRECISION, &
              modulo(rank + 1, size), 1, MPI_COMM_WORLD, requests(2))
            call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
            call check(all(b == expected), 'a section of two dimensions')
          end do
        end do
      end do
    end do
  end subroutine
end module

program main
  use checks
  implicit none
  type point
    integer :: x
    real(8) :: y
  end type
  integer :: rank, size, i, count
  integer, asynchronous :: list(100), other(100)
  type(point), asynchronous :: points(10)
  complex, asynchronous :: z(8)
  character(len=3), asynchronous :: words(6)
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status
  type(MPI_Datatype) :: three
  type(MPI_Win) :: win
  integer(MPI_ADDRESS_KIND) :: first, second
  integer, asynchronous :: memory(20)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call exchange(rank, size)

  ! What is sent is what is there when the call is made, and what is not of the section stays.
  list = [(i, i = 1, 100)]
  other = 0
  call MPI_Irecv(other(1:100:10), 10, MPI_INTEGER, rank, 2, MPI_COMM_WORLD, requests(1))
  call MPI_Issend(list(100:10:-10), 10, MPI_INTEGER, rank, 2, MPI_COMM_WORLD, requests(2))
  call MPI_Wait(requests(1), status)
  call MPI_Get_count(status, MPI_INTEGER, count)
  call MPI_Wait(requests(2), MPI_STATUS_IGNORE)
  call check(all(other(1:100:10) == list(100:10:-10)) .and. sum(other) == sum(list(100:10:-10)) .and. count == 10, &
    'a synchronous send')

  ! Components of derived types, parts of numbers and strings.
  points%x = 0
  points%y = [(i * 1.5d0 + rank, i = 1, 10)]
  call MPI_Irecv(points(6:10)%y, 5, MPI_DOUBLE_PRECISION, modulo(rank + 1, size), 3, MPI_COMM_WORLD, &
    requests(1))
  call MPI_Isend(points(1:5)%y, 5, MPI_DOUBLE_PRECISION, modulo(rank - 1, size), 3, MPI_COMM_WORLD, &
    requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call check(all(points(6:10)%y == [(i * 1.5d0 + modulo(rank + 1, size), i = 1, 5)]) .and. all(points%x == 0), 'components')
  z = [(cmplx(i, -i), i = 1, 8)]
  call MPI_Irecv(z(1:8:2), 4, MPI_COMPLEX, rank, 4, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(z(2:8:2), 8, MPI_REAL, rank, 4, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call check(all(z(1:8:2) == z(2:8:2)), 'complex numbers')
  words = ['one', 'two', 'thr', 'fou', 'fiv', 'six']
  call MPI_Irecv(words(1:6:3), 6, MPI_CHARACTER, rank, 5, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(words(3:6:3), 6, MPI_CHARACTER, rank, 5, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call check(words(1) == 'thr' .and. words(4) == 'six' .and. words(2) == 'two', 'strings')

  ! Several elements of the array are one of the datatype.
  call MPI_Type_contiguous(3, MPI_INTEGER, three)
  call MPI_Type_commit(three)
  other = 0
  call MPI_Irecv(other(2:12:2), 2, three, rank, 6, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(list(1:6), 2, three, rank, 6, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call check(all(other(2:12:2) == [1, 2, 3, 4, 5, 6]) .and. all(other(1:11:2) == 0), 'a datatype of three elements')

  ! Persistent requests see what is there when they are started.
  call MPI_Send_init(list(1:9:2), 5, MPI_INTEGER, modulo(rank + 1, size), 7, MPI_COMM_WORLD, requests(1))
  call MPI_Recv_init(other(1:17:4), 5, MPI_INTEGER, modulo(rank - 1, size), 7, MPI_COMM_WORLD, requests(2))
  do i = 1, 3
    list(1:9) = i
    other = 0
    call MPI_Startall(2, requests)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call check(all(other(1:17:4) == i) .and. sum(other) == 5 * i, 'persistent requests')
  end do
  call MPI_Request_free(requests(1))
  call MPI_Request_free(requests(2))

  list = [(i, i = 1, 100)]
  other = -1
  if (rank == 1) other(1:30:3) = list(1:10)
  call MPI_Ibcast(other(1:30:3), 10, MPI_INTEGER, 1, MPI_COMM_WORLD, requests(1))
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
  call check(all(other(1:30:3) == list(1:10)) .and. all(other(2:30:3) == -1), 'a broadcast')

  memory = 0
  call MPI_Win_create(memory, 80_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  call MPI_Win_fence(0, win)
  call MPI_Put(list(10:100:10), 10, MPI_INTEGER, modulo(rank + 1, size), 0_MPI_ADDRESS_KIND, 10, MPI_INTEGER, win)
  call MPI_Win_fence(0, win)
  other = 0
  call MPI_Get(other(1:19:2), 10, MPI_INTEGER, modulo(rank + 1, size), 0_MPI_ADDRESS_KIND, 10, MPI_INTEGER, win)
  call MPI_Win_fence(0, win)
  call check(all(memory(1:10) == list(10:100:10)) .and. all(other(1:19:2) == memory(1:10)) .and. all(other(2:20:2) == 0), &
    'puts and gets')
  call MPI_Win_free(win)

  call MPI_Get_address(list(3:30:3), first)
  call MPI_Get_address(list(6), second)
  call check(second - first == 12, 'the address of a section')

  print *, rank, 'found', wrong
  call MPI_Finalize()
end program
