package host

import (
	"fmt"
	"slices"
	"strings"

	"fabricast/internal/pattern"
)

// Extensions lists the functions that programs can use beyond MPI.
func Extensions() []string {
	var names []string
	for line := range strings.Lines(extensions) {
		if name, found := strings.CutPrefix(line, "FC_EXTENSION("); found {
			names = append(names, strings.TrimSuffix(strings.TrimSpace(name), ")"))
		}
	}
	return names
}

var mpiName = pattern.Lazy(`\bMPI_(\w+)`)

// MgenNames returns a header that defines MGEN_X as MPI_X for all names of MPI.
func MgenNames() string {
	var names []string
	for _, match := range mpiName().FindAllStringSubmatch(Header, -1) {
		names = append(names, match[1])
	}
	for _, p := range Prototypes() {
		names = append(names, strings.TrimPrefix(p.Name, "MPI_"))
	}
	slices.Sort(names)
	var s strings.Builder
	s.WriteString("/* The names of NSIM's programs. */\n")
	for _, name := range slices.Compact(names) {
		fmt.Fprintf(&s, "#define MGEN_%s MPI_%s\n", name, name)
	}
	return s.String()
}
