package fortran

import (
	"fmt"
	"slices"
	"strings"

	"fabricast/cmpi/internal/host"
	"fabricast/internal/pattern"
)

// Functions that use a buffer after they have returned must have the program's own memory, not a
// copy of an array section that the compiler makes for the call. In mpi_f08 their buffers are
// described, as Fortran 2018 and TS 29113 say: functions in C, which take descriptors.

// sectionName returns the linker's name of a function that receives descriptors of its buffers.
func sectionName(prefix, name string) string {
	return strings.ToLower(prefix+name) + host.SectionSuffix
}

// keepsBuffers reports whether a function uses buffers after it has returned, or returns their
// addresses.
func keepsBuffers(p *host.Prototype) bool {
	return p.Here && keeping().MatchString(p.Name) && strings.Contains(p.Arguments, "void *") &&
		!strings.Contains(p.Arguments, "_function")
}

var keeping = pattern.Lazy(
	`^MPI_(I[a-z]\w*|\w+_init|R?put|R?get|R?accumulate|R?get_accumulate|Put|Get|Accumulate|` +
		`Get_accumulate|Fetch_and_op|Compare_and_swap|Win_create|Win_attach|Win_detach|` +
		`Buffer_attach|Get_address|Free_mem)$`,
)

// singles are functions with buffers of one element, or of bytes that nothing is read of.
var singles = []string{
	"MPI_Get_address", "MPI_Fetch_and_op", "MPI_Compare_and_swap", "MPI_Win_detach", "MPI_Free_mem",
}

// countOf holds the count and datatype arguments of buffers that may be array sections.
var countOf = map[string][2]string{
	"buf":    {"count", "type"},
	"buffer": {"count", "type"},
	"origin": {"count", "type"},
	"result": {"result_count", "result_type"},
}

// sectionFunction returns the C code of a function that receives descriptors of its buffers.
func sectionFunction(p *host.Prototype) string {
	var taken, passed, before, after []string
	args := arguments(p.Arguments)
	for _, a := range args {
		name := nameOnly().FindString(a)
		if !strings.Contains(a, "void *") {
			x := convert(a)
			taken, passed = append(taken, x.taken), append(passed, x.passed)
			continue
		}
		taken = append(taken, "const fc_array *"+name)
		of, counted := countOf[name]
		switch {
		case counted && strings.Contains(p.Arguments, "int "+of[0]+",") &&
			strings.Contains(p.Arguments, "MPI_Datatype "+of[1]+","):
			before = append(
				before,
				fmt.Sprintf("fc_section %s_s = fc_section_begin(%s, *%s, *%s);", name, name, of[0], of[1]),
			)
			after = append(after, fmt.Sprintf("fc_section_end(&%s_s);", name))
			passed = append(passed, name+"_s.base")
		case slices.Contains(singles, p.Name):
			passed = append(passed, fmt.Sprintf("fc_buffer_of(%s->base)", name))
		default:
			passed = append(passed, fmt.Sprintf("fc_whole_array(%q, %q, %s)", p.Name, name, name))
		}
	}
	call := strings.Join(passed, ", ")
	for name, of := range countOf {
		if strings.Contains(call, name+"_s.base") {
			call = strings.Replace(call, "*"+of[0]+",", name+"_s.count,", 1)
			call = strings.Replace(call, "*"+of[1]+",", name+"_s.type,", 1)
		}
	}
	lines := append(append(before, fmt.Sprintf("fc_tell(ierror, %s(%s));", p.Name, call)), after...)
	return fmt.Sprintf(
		"void %s(%s, int *ierror) {\n  %s\n}\n",
		sectionName("MPI_", strings.TrimPrefix(p.Name, "MPI_")),
		strings.Join(taken, ", "),
		strings.Join(lines, "\n  "),
	)
}
