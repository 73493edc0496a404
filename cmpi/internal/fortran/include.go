package fortran

import (
	"fmt"
	"strings"

	"fabricast/cmpi/internal/host"
	"fabricast/internal/pattern"
)

// constant is a constant of the C header that Fortran also has.
type constant struct{ name, value string }

var define = pattern.Lazy(`(?m)^#define (MPI_\w+) (\(?-?(?:0x)?[0-9a-f]+\)?|MPI_\w+)$`)

func constants() []constant {
	var list []constant
	for _, m := range define().FindAllStringSubmatch(host.Header, -1) {
		value := strings.Trim(m[2], "()")
		if strings.HasPrefix(value, "0x") {
			var n int64
			fmt.Sscanf(value, "0x%x", &n)
			value = fmt.Sprint(n)
		}
		if !strings.HasPrefix(m[1], "MPI_T_") {
			list = append(list, constant{m[1], value})
		}
	}
	return list
}

// plain declares the constants that C does not have.
const plain = `      integer, parameter :: MPI_STATUS_SIZE = 6
      integer, parameter :: MPI_SOURCE = 1
      integer, parameter :: MPI_TAG = 2
      integer, parameter :: MPI_ERROR = 3
`

// typeOf returns the Fortran type of a constant. A constant that stands for a file offset has the
// type of an offset.
func (c constant) typeOf() string {
	if c.name == "MPI_DISPLACEMENT_CURRENT" {
		return "integer(MPI_OFFSET_KIND)"
	}
	return "integer"
}

const kinds = `      integer, parameter :: MPI_ADDRESS_KIND = 8
      integer, parameter :: MPI_OFFSET_KIND = 8
      integer, parameter :: MPI_COUNT_KIND = 8
      integer, parameter :: MPI_INTEGER_KIND = 4
      logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .false.
      logical, parameter :: MPI_ASYNC_PROTECTS_NONBLOCKING = .false.
`

// places declares variables that are recognized by their addresses (fortran_special.c).
const places = `      integer MPI_BOTTOM, MPI_IN_PLACE
      integer MPI_STATUS_IGNORE(MPI_STATUS_SIZE)
      integer MPI_STATUSES_IGNORE(MPI_STATUS_SIZE,1)
      integer MPI_ERRCODES_IGNORE(1)
      integer MPI_UNWEIGHTED(1), MPI_WEIGHTS_EMPTY(1)
`

const common = `      common /fabricast_constants/ MPI_BOTTOM, MPI_IN_PLACE
      common /fabricast_constants/ MPI_STATUS_IGNORE
      common /fabricast_constants/ MPI_STATUSES_IGNORE
      common /fabricast_constants/ MPI_ERRCODES_IGNORE
      common /fabricast_constants/ MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY
      save /fabricast_constants/
      character(1) MPI_ARGV_NULL(1), MPI_ARGVS_NULL(1,1)
      common /fabricast_strings/ MPI_ARGV_NULL, MPI_ARGVS_NULL
      save /fabricast_strings/
`

const functions = `      double precision, external :: MPI_WTIME, MPI_WTICK
      double precision, external :: PMPI_WTIME, PMPI_WTICK
      integer(MPI_ADDRESS_KIND), external :: MPI_AINT_ADD, MPI_AINT_DIFF
      external MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, MPI_DUP_FN
      external MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN
      external MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN
      external MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN
      external MPI_COMM_DUP_FN, MPI_TYPE_DUP_FN, MPI_WIN_DUP_FN
      external MPI_CONVERSION_FN_NULL
`

// Include returns mpif.h in a form that is valid as fixed and as free source.
func Include() string {
	var s strings.Builder
	s.WriteString(plain + kinds)
	for _, c := range constants() {
		fmt.Fprintf(&s, "      %s, parameter :: %s = &\n     & %s\n", c.typeOf(), c.name, c.value)
	}
	s.WriteString(places + common + functions)
	// A line that goes on must end with & in column 73 to be read in both forms.
	lines := strings.Split(s.String(), "\n")
	for i, l := range lines {
		if strings.HasSuffix(l, " &") {
			l = strings.TrimSuffix(l, " &")
			lines[i] = l + strings.Repeat(" ", max(0, 72-len(l))) + "&"
		}
	}
	return strings.Join(lines, "\n")
}
