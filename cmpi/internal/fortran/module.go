package fortran

import (
	"fmt"
	"runtime"
	"strings"

	"fabricast/cmpi/internal/host"
	"fabricast/internal/pattern"
)

// dialect is one of the two modules. In mpi, handles and statuses are integers; in mpi_f08 they
// have types of their own, and ierror is optional. Both are passed in the same way, so the same
// functions implement both.
type dialect struct{ typed bool }

// old lists functions of MPI 1 whose addresses are plain integers; mpi_f08 has none of them.
var old = set(
	"Address Type_hvector Type_hindexed Type_struct Type_extent Type_lb Type_ub Keyval_create " +
		"Keyval_free Attr_put Attr_get Attr_delete " +
		"Errhandler_create Errhandler_set Errhandler_get",
)

// declaration is the declaration of a dummy argument.
type declaration struct {
	name, text string
	lenient    bool // of any type, kind and rank
}

// procedures returns the interfaces of all functions.
func (d dialect) procedures(prefix string) string {
	var s strings.Builder
	for _, p := range host.Prototypes() {
		name := strings.TrimPrefix(p.Name, "MPI_")
		if onlyC().MatchString(p.Name) || (d.typed && old[name]) {
			continue
		}
		if p.Result == "int" {
			s.WriteString(d.procedure(prefix, name, &p))
		} else if d.typed {
			s.WriteString(d.function(prefix, name, p.Result, arguments(p.Arguments)))
		}
	}
	return s.String()
}

func (d dialect) procedure(prefix, name string, p *host.Prototype) string {
	list := d.declarations(name, arguments(p.Arguments))
	if name != "Pcontrol" {
		list = append(
			list,
			declaration{
				"ierror",
				d.choose("integer :: ierror", "integer, optional, intent(out) :: ierror"),
				false,
			},
		)
	}
	head := "subroutine " + prefix + name
	if d.typed && name == "Buffer_detach" {
		head += "_typed"
	}
	if d.typed && keepsBuffers(p) {
		return described(head, sectionName(prefix, name), list)
	}
	return body(head, "", "subroutine", list)
}

// described returns the interface of a C function that receives descriptors of its buffers.
func described(head, symbol string, list []declaration) string {
	for i, x := range list {
		if x.lenient && strings.HasPrefix(x.text, "type(*)") {
			list[i] = declaration{x.name, "type(*), dimension(..), asynchronous :: " + x.name, false}
		}
	}
	return strings.Replace(
		body(head, "", "subroutine", list),
		")\n    import\n",
		") bind(C, name=\""+symbol+"\")\n    import\n",
		1,
	)
}

func (d dialect) function(prefix, name, result string, args []string) string {
	kind := map[string]string{"double": "double precision", "MPI_Aint": "integer(MPI_ADDRESS_KIND)"}[result]
	return body(
		"function "+prefix+name,
		"    "+kind+" :: "+prefix+name+"\n",
		"function",
		d.declarations(name, args),
	)
}

// body returns an interface body.
func body(head, result, kind string, list []declaration) string {
	var names, lines []string
	for _, x := range list {
		names = append(names, x.name)
		if x.lenient {
			lines = append(lines, "!GCC$ ATTRIBUTES NO_ARG_CHECK :: "+x.name)
		}
		lines = append(lines, "    "+x.text)
	}
	return fmt.Sprintf(
		"  %s( &\n    %s)\n    import\n%s%s\n  end %s\n",
		head, strings.Join(names, ", &\n    "), result, strings.Join(lines, "\n"), kind,
	)
}

func (d dialect) choose(plain, typed string) string {
	if d.typed {
		return typed
	}
	return plain
}

func (d dialect) declarations(function string, args []string) []declaration {
	oneSidedCall := strings.Contains(strings.Join(args, ","), "void *origin")
	var list []declaration
	for _, a := range args {
		name := strings.TrimSuffix(nameOnly().FindString(a), "[][3]")
		if name == "argc" || name == "argv" && strings.HasPrefix(function, "Init") || a == "..." {
			continue
		}
		x := declaration{name: keyword(function, name, oneSidedCall)}
		d.declare(&x, function, name, a)
		list = append(list, x)
	}
	return list
}

var base = pattern.Lazy(`^(?:const )?(\w+)`)

// declare sets the declaration of one argument, whose C declaration is a.
func (d dialect) declare(x *declaration, function, name, a string) {
	kind := base().FindStringSubmatch(a)[1]
	intent := ""
	if byValue().MatchString(a) || strings.HasPrefix(a, "const ") {
		intent = ", intent(in)"
	}
	shape := ""
	if isArray(function, name) {
		shape = "(*)"
	}
	switch {
	case strings.HasSuffix(kind, "_function"):
		x.text = d.choose("external :: "+x.name, "procedure("+kind+") :: "+x.name)
	case kind == "char":
		x.text = "character(len=*)" + intent + " :: " + x.name + strings.Repeat(
			"(*)",
			min(strings.Count(a, "*")-1, 1),
		)
	case kind == "void":
		d.declareBuffer(x, function, name)
	case kind == "MPI_Status":
		extent := map[string]string{"": "(MPI_STATUS_SIZE)", "(*)": "(MPI_STATUS_SIZE,*)"}
		x.text = d.choose(
			"integer :: "+x.name+extent[shape],
			"type(MPI_Status) :: "+x.name+shape,
		)
	case strings.HasSuffix(a, "[][3]"):
		x.text = "integer, intent(in) :: " + x.name + "(3,*)"
	default:
		x.text = d.typeOf(kind, function, name) + intent + " :: " + x.name + shape
		x.lenient = shape != "" && !d.typed
	}
}

// declareBuffer sets the declaration of an argument that is void * in C.
func (d dialect) declareBuffer(x *declaration, function, name string) {
	switch {
	case name == "value" || name == "extra":
		x.text = d.typeOf("MPI_Aint", function, name) + " :: " + x.name
	case d.typed && (x.name == "baseptr" || name == "buffer_address"):
		x.text = "type(c_ptr), intent(out) :: " + x.name
	default:
		x.text, x.lenient = "type(*), dimension(*) :: "+x.name, true
	}
}

// typeOf returns the Fortran type of a number or handle.
func (d dialect) typeOf(kind, function, name string) string {
	switch {
	case logicals[name]:
		return "logical"
	case kind == "MPI_Aint" && !old[function]:
		return "integer(MPI_ADDRESS_KIND)"
	case kind == "MPI_Count":
		return "integer(MPI_COUNT_KIND)"
	case kind == "MPI_Offset":
		return "integer(MPI_OFFSET_KIND)"
	case d.typed && strings.HasPrefix(kind, "MPI_"):
		return "type(" + kind + ")"
	}
	return "integer"
}

// hasKind reports whether gfortran has a kind of numbers on this machine: 80-bit numbers exist only
// on x86.
func hasKind(name string) bool {
	return runtime.GOARCH == "amd64" || name != "real10" && name != "complex20"
}

// sizeof returns the interfaces of MPI_Sizeof for numbers of each kind.
func (d dialect) sizeof() string {
	var s strings.Builder
	s.WriteString("  interface MPI_Sizeof\n")
	for _, name := range host.Sizeofs() {
		if !hasKind(name) {
			continue
		}
		kind := strings.TrimRight(name, "0123456789")
		number := strings.TrimPrefix(name, kind)
		if number != "" {
			number = "(" + number + ")"
		}
		if kind == "complex" && number != "" {
			var n int
			fmt.Sscanf(number, "(%d)", &n)
			number = fmt.Sprintf("(%d)", n/2) // of each part
		}
		s.WriteString(body("subroutine MPI_Sizeof_"+name, "", "subroutine", []declaration{
			{"x", kind + number + ", intent(in) :: x(..)", false},
			{"size", "integer, intent(out) :: size", false},
			{
				"ierror",
				d.choose("integer, intent(out) :: ierror", "integer, optional, intent(out) :: ierror"),
				false,
			},
		}))
	}
	s.WriteString("  end interface MPI_Sizeof\n")
	return s.String()
}

// Module returns the source of the module mpi.
func Module() string {
	d := dialect{}
	return "module mpi\n  include 'mpif.h'\n  " +
		"interface\n" + d.procedures("MPI_") + "  end interface\n" + d.sizeof() + "end module mpi\n"
}
