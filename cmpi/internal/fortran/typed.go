package fortran

import (
	"fmt"
	"strconv"
	"strings"
)

// handles lists the kinds of MPI handles. The upper bits of a handle identify its kind.
var handles = []struct {
	bits int64
	name string
}{
	{0x10, "Comm"},
	{0x20, "Group"},
	{0x30, "Datatype"},
	{0x40, "Op"},
	{0x50, "Request"},
	{0x60, "Win"},
	{0x70, "Info"},
	{0x08, "Errhandler"},
	{0x09, "Message"},
	{0x0a, "File"},
}

// Module08 returns the source of the module mpi_f08.
func Module08() string {
	d := dialect{typed: true}
	var s strings.Builder
	s.WriteString("module mpi_f08\n  use, intrinsic :: iso_c_binding, only: c_ptr\n  implicit none\n")
	for _, h := range handles {
		fmt.Fprintf(&s, "  type, bind(C) :: MPI_%s\n    integer :: MPI_VAL\n  end type\n", h.name)
	}
	s.WriteString(
		"  type, bind(C) :: MPI_Status\n    integer :: MPI_SOURCE, MPI_TAG, MPI_ERROR\n    integer " +
			":: fabricast_words(3)\n  end type\n",
	)
	s.WriteString(plain + kinds)
	for _, c := range constants() {
		s.WriteString(typedConstant(c))
	}
	typed := strings.NewReplacer(
		"integer MPI_STATUS_IGNORE(MPI_STATUS_SIZE)", "type(MPI_Status) MPI_STATUS_IGNORE",
		"integer MPI_STATUSES_IGNORE(MPI_STATUS_SIZE,1)", "type(MPI_Status) MPI_STATUSES_IGNORE(1)",
	)
	s.WriteString(typed.Replace(places))
	s.WriteString(common + "  abstract " +
		"interface\n" + callbacks() + "  end interface\n" + nulls() + "  interface\n")
	s.WriteString(d.procedures("MPI_") + d.procedures("PMPI_"))
	s.WriteString(conversions + "  end interface\n" + d.sizeof() + comparisons() + "end module mpi_f08\n")
	return s.String()
}

// typedConstant declares a constant, with the type of its handle if it is one.
func typedConstant(c constant) string {
	if n, err := strconv.ParseInt(c.value, 10, 64); err == nil {
		for _, h := range handles {
			if n>>24 == h.bits {
				return fmt.Sprintf(
					"      type(MPI_%s), parameter :: %s = MPI_%s(%d)\n",
					h.name, c.name, h.name, n,
				)
			}
		}
		return fmt.Sprintf("      %s, parameter :: %s = %s\n", c.typeOf(), c.name, c.value)
	}
	return fmt.Sprintf("      type(MPI_Datatype), parameter :: %s = %s\n", c.name, c.value)
}

// callbacks returns the interfaces of functions that programs pass.
func callbacks() string {
	of := func(kind string) func(name string) declaration {
		return func(name string) declaration { return declaration{name, kind + " :: " + name, false} }
	}
	number, address, truth := of("integer"), of("integer(MPI_ADDRESS_KIND)"), of("logical")
	pointer := of("type(c_ptr), value")
	handle := func(kind, name string) declaration { return of("type(MPI_" + kind + ")")(name) }
	var s strings.Builder
	write := func(name string, list ...declaration) {
		s.WriteString(body("subroutine MPI_"+name, "", "subroutine", list))
	}
	write(
		"User_function",
		pointer("invec"), pointer("inoutvec"), number("len"), handle("Datatype", "datatype"),
	)
	for _, kind := range []string{"Comm", "Type", "Win"} {
		object, name := map[string]string{"Type": "Datatype"}[kind], strings.ToLower(kind)
		if object == "" {
			object = kind
		}
		from := map[string]string{"Comm": "oldcomm", "Type": "oldtype", "Win": "oldwin"}[kind]
		write(
			kind+"_copy_attr_function", handle(object, from), number(name+"_keyval"),
			address("extra_state"), address("attribute_val_in"), address("attribute_val_out"),
			truth("flag"), number("ierror"),
		)
		target := map[string]string{"Comm": "comm", "Type": "datatype", "Win": "win"}[kind]
		write(
			kind+"_delete_attr_function", handle(object, target), number(name+"_keyval"),
			address("attribute_val"), address("extra_state"), number("ierror"),
		)
	}
	for _, kind := range []string{"Comm", "Win", "File"} {
		write(kind+"_errhandler_function", handle(kind, strings.ToLower(kind)), number("error_code"))
	}
	write(
		"Grequest_query_function",
		address("extra_state"),
		declaration{"status", "type(MPI_Status) :: status", false},
		number("ierror"),
	)
	write("Grequest_free_function", address("extra_state"), number("ierror"))
	write("Grequest_cancel_function", address("extra_state"), truth("complete"), number("ierror"))
	write(
		"Datarep_extent_function",
		handle("Datatype", "datatype"), address("extent"), address("extra_state"), number("ierror"),
	)
	write(
		"Datarep_conversion_function",
		pointer("userbuf"),
		handle("Datatype", "datatype"),
		number("count"),
		pointer("filebuf"),
		declaration{
			"position",
			"integer(MPI_OFFSET_KIND) :: position",
			false,
		},
		address("extra_state"),
		number("ierror"),
	)
	return s.String()
}

// nulls declares the predefined functions for attributes.
func nulls() string {
	var s strings.Builder
	for _, kind := range []string{"Comm", "Type", "Win"} {
		upper := strings.ToUpper(kind)
		fmt.Fprintf(
			&s, "  procedure(MPI_%s_copy_attr_function) :: MPI_%s_NULL_COPY_FN, MPI_%s_DUP_FN\n",
			kind, upper, upper,
		)
		fmt.Fprintf(&s, "  procedure(MPI_%s_delete_attr_function) :: MPI_%s_NULL_DELETE_FN\n", kind, upper)
	}
	s.WriteString("  procedure(MPI_Datarep_conversion_function) :: MPI_CONVERSION_FN_NULL\n")
	return s.String()
}

// conversions converts between the two forms of a status.
const conversions = `  subroutine MPI_Status_f2f08(f_status, f08_status, ierror)
    import
    integer, intent(in) :: f_status(MPI_STATUS_SIZE)
    type(MPI_Status), intent(out) :: f08_status
    integer, optional, intent(out) :: ierror
  end subroutine
  subroutine MPI_Status_f082f(f08_status, f_status, ierror)
    import
    type(MPI_Status), intent(in) :: f08_status
    integer, intent(out) :: f_status(MPI_STATUS_SIZE)
    integer, optional, intent(out) :: ierror
  end subroutine
`

// comparisons declares the operators that compare handles.
func comparisons() string {
	var s strings.Builder
	for _, c := range []struct{ operator, name string }{{"==", "equal"}, {"/=", "unequal"}} {
		fmt.Fprintf(&s, "  interface operator(%s)\n", c.operator)
		for _, h := range handles {
			name := "MPI_" + h.name + "_" + c.name
			both := []declaration{
				{"a", "type(MPI_" + h.name + "), intent(in) :: a", false},
				{"b", "type(MPI_" + h.name + "), intent(in) :: b", false},
			}
			s.WriteString(body("function "+name, "    logical :: "+name+"\n", "function", both))
		}
		s.WriteString("  end interface\n")
	}
	return s.String()
}
