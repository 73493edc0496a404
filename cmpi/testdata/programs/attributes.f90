! Attributes, error handlers, operations and generalized requests with functions of the program, in Fortran.
module functions
  use mpi
  implicit none
  integer :: deleted = 0, errors = 0, freed = 0
contains
  subroutine copy_plus(comm, key, extra, in, out, flag, ierr)
    integer :: comm, key, ierr
    integer(MPI_ADDRESS_KIND) :: extra, in, out
    logical :: flag
    out = in + extra
    flag = in /= 13
    ierr = MPI_SUCCESS
  end subroutine
  subroutine delete_counted(comm, key, value, extra, ierr)
    integer :: comm, key, ierr
    integer(MPI_ADDRESS_KIND) :: value, extra
    deleted = deleted + 1
    ierr = MPI_SUCCESS
    if (value == 99) ierr = MPI_ERR_OTHER
  end subroutine
  subroutine copy_old(comm, key, extra, in, out, flag, ierr)
    integer :: comm, key, extra, in, out, ierr
    logical :: flag
    out = in * extra
    flag = .true.
    ierr = MPI_SUCCESS
  end subroutine
  subroutine delete_old(comm, key, value, extra, ierr)
    integer :: comm, key, value, extra, ierr
    deleted = deleted + 1
    ierr = MPI_SUCCESS
  end subroutine
  subroutine count_error(comm, code)
    integer :: comm, code, class, ierr
    call MPI_Error_class(code, class, ierr)
    if (class == MPI_ERR_RANK .or. class == MPI_ERR_OTHER) errors = errors + 1
  end subroutine
  subroutine larger(in, inout, n, type)
    integer :: n, type, i
    integer :: in(n), inout(n)
    do i = 1, n
      if (abs(in(i)) > abs(inout(i))) inout(i) = in(i)
    end do
  end subroutine
  subroutine query(extra, status, ierr)
    integer(MPI_ADDRESS_KIND) :: extra
    integer :: status(MPI_STATUS_SIZE), ierr
    call MPI_Status_set_elements(status, MPI_INTEGER, int(extra), ierr)
    call MPI_Status_set_cancelled(status, .false., ierr)
    status(MPI_SOURCE) = 5
    status(MPI_TAG) = 6
  end subroutine
  subroutine free_request(extra, ierr)
    integer(MPI_ADDRESS_KIND) :: extra
    integer :: ierr
    freed = freed + 1
    ierr = MPI_SUCCESS
  end subroutine
  subroutine cancel_request(extra, complete, ierr)
    integer(MPI_ADDRESS_KIND) :: extra
    logical :: complete
    integer :: ierr
    ierr = MPI_SUCCESS
  end subroutine
end module

program main
  use functions
  implicit none
  integer :: ierr, rank, size, key, old_key, dup, type, type2, win, handler, op, request, status(MPI_STATUS_SIZE), n, i
  integer :: mine(3), all(3), small(2), flavor
  integer(MPI_ADDRESS_KIND) :: value, extra, bytes, base
  logical :: flag
  double precision :: number(4)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)

  extra = 1000
  call MPI_Comm_create_keyval(copy_plus, delete_counted, key, extra, ierr)
  value = 5000000000_MPI_ADDRESS_KIND + rank
  call MPI_Comm_set_attr(MPI_COMM_WORLD, key, value, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, dup, ierr)
  call MPI_Comm_get_attr(dup, key, value, flag, ierr)
  print *, rank, 'copied', flag, value
  call MPI_Comm_free(dup, ierr)
  value = 13
  call MPI_Comm_set_attr(MPI_COMM_WORLD, key, value, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, dup, ierr)
  call MPI_Comm_get_attr(dup, key, value, flag, ierr)
  print *, rank, 'not copied', flag, deleted
  call MPI_Comm_free(dup, ierr)
  call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, ierr)
  call MPI_Comm_free_keyval(key, ierr)
  print *, rank, 'freed', key == MPI_KEYVAL_INVALID, deleted

  call MPI_Keyval_create(copy_old, delete_old, old_key, 3, ierr)
  call MPI_Attr_put(MPI_COMM_WORLD, old_key, 14, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, dup, ierr)
  call MPI_Attr_get(dup, old_key, n, flag, ierr)
  print *, rank, 'old', flag, n
  call MPI_Comm_free(dup, ierr)
  call MPI_Attr_delete(MPI_COMM_WORLD, old_key, ierr)
  call MPI_Keyval_free(old_key, ierr)
  print *, rank, 'deleted', deleted

  call MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, key, extra, ierr)
  call MPI_Type_contiguous(3, MPI_INTEGER, type, ierr)
  value = 77
  call MPI_Type_set_attr(type, key, value, ierr)
  call MPI_Type_dup(type, type2, ierr)
  call MPI_Type_get_attr(type2, key, value, flag, ierr)
  print *, rank, 'type', flag, value
  call MPI_Type_free(type, ierr)
  call MPI_Type_free(type2, ierr)
  call MPI_Type_free_keyval(key, ierr)

  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, value, flag, ierr)
  print *, rank, 'clock', flag
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
  print *, rank, 'tags', flag, value >= 32767

  bytes = 32
  call MPI_Win_create(number, bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_get_attr(win, MPI_WIN_SIZE, value, flag, ierr)
  call MPI_Get_address(number, bytes, ierr)
  call MPI_Win_get_attr(win, MPI_WIN_BASE, base, flag, ierr)
  print *, rank, 'window', flag, value, base == bytes
  call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, value, flag, ierr)
  call MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, bytes, flag, ierr)
  flavor = int(bytes)
  print *, rank, 'unit', value, flavor == MPI_WIN_FLAVOR_CREATE
  call MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, key, extra, ierr)
  value = -8
  call MPI_Win_set_attr(win, key, value, ierr)
  value = 0
  call MPI_Win_get_attr(win, key, value, flag, ierr)
  print *, rank, 'own', flag, value
  call MPI_Win_free(win, ierr)
  call MPI_Win_free_keyval(key, ierr)

  call MPI_Comm_create_errhandler(count_error, handler, ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler, ierr)
  call MPI_Send(mine, 1, MPI_INTEGER, size + 1, 0, MPI_COMM_WORLD, ierr)
  print *, rank, 'errors', errors, ierr /= MPI_SUCCESS
  call MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER, ierr)
  print *, rank, 'called', errors, ierr
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, ierr)
  call MPI_Errhandler_free(handler, ierr)

  call MPI_Op_create(larger, .true., op, ierr)
  mine = [rank, -rank, 2 - rank]
  call MPI_Allreduce(mine, all, 3, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
  print *, rank, 'larger', all(2), abs(all(3))
  call MPI_Op_free(op, ierr)

  extra = 21
  call MPI_Grequest_start(query, free_request, cancel_request, extra, request, ierr)
  call MPI_Test(request, flag, status, ierr)
  call MPI_Grequest_complete(request, ierr)
  call MPI_Wait(request, status, ierr)
  call MPI_Get_count(status, MPI_INTEGER, n, ierr)
  print *, rank, 'general', n, status(MPI_SOURCE), status(MPI_TAG), freed, request == MPI_REQUEST_NULL

  call MPI_Sizeof(number, n, ierr)
  call MPI_Sizeof(small(1), i, ierr)
  print *, rank, 'sizes', n, i
  call MPI_Finalize(ierr)
end program
