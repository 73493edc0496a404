// Package wrappers installs the compilers that build programs for package cmpi.
package wrappers

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"fabricast/cmpi/internal/fortran"
	"fabricast/cmpi/internal/host"
)

var (
	//go:embed files/start.c
	start string
	//go:embed files/compiler.sh
	script string
)

// compiler is a wrapper, under each of its names.
type compiler struct {
	names         []string
	command       string
	variable      string
	compile, link string
}

var compilers = []compiler{
	{names: []string{"mpicc"}, command: "gcc", variable: "FABRICAST_CC"},
	{names: []string{"mpifort", "mpif90", "mpif77"}, command: "gfortran", variable: "FABRICAST_FC"},
	{names: []string{"mpicxx", "mpic++", "mpiCC"}, command: "g++", variable: "FABRICAST_CXX", link: "-static-libstdc++ -static-libgcc -Wl,-u,__register_frame"},
}

// machineFlags have thread-local variables of shared objects found by a call, which the simulator answers for each rank.
var machineFlags = map[string]string{"arm64": "-mtls-dialect=trad"}

// Install makes a folder with mpicc and its like, and beside them what they need. It
// returns the names of the compilers. It needs gcc, or what the environment names in its place.
func Install(folder string) ([]string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(folder, " '\"$`\\") {
		return nil, fmt.Errorf("found folder %q, expected a name without spaces and quotes", folder)
	}
	home := filepath.Join(folder, "fabricast-mpi")
	files := map[string]string{
		"include/mpi.h": host.Header, "include/fabricast_mpi_functions.h": host.Functions, "include/fabricast.h": host.Extras,
		"include/mgen.h": host.Mgen, "include/mgen-mpi.h": host.MgenMPI, "include/fabricast_mgen_names.h": host.MgenNames(), "include/acp.h": host.ACP,
		"include/mpif.h": fortran.Include(), "include/mpi.f90": fortran.Module(), "include/mpi_f08.f90": fortran.Module08(),
		"lib/start.c": start, "lib/standalone.c": standalone(),
	}
	for name, text := range files {
		if err := write(filepath.Join(home, name), text, 0o644); err != nil {
			return nil, err
		}
	}
	if err := build(home); err != nil {
		return nil, err
	}
	var names []string
	for _, c := range compilers {
		if c.command == "gfortran" {
			c.compile = lenient(home)
		}
		for _, name := range c.names {
			if err := write(filepath.Join(folder, name), c.text(home), 0o755); err != nil {
				return nil, err
			}
			names = append(names, name)
		}
	}
	return names, nil
}

func write(path, text string, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}

// text is the wrapper's script.
func (c *compiler) text(home string) string {
	return strings.NewReplacer(
		"HOME_FOLDER", home, "COMPILER_VARIABLE", c.variable, "COMPILER", c.command,
		" COMPILE_FLAGS", pad(strings.TrimSpace(c.compile+" "+machineFlags[runtime.GOARCH])), " LINK_FLAGS", pad(c.link),
	).Replace(script)
}

func pad(flags string) string {
	if flags == "" {
		return ""
	}
	return " " + flags
}

// ofUser is the compiler that a variable of the environment names, with arguments, as the wrappers understand it.
func ofUser(variable, otherwise string) []string {
	if named := strings.Fields(os.Getenv(variable)); len(named) > 0 {
		return named
	}
	return []string{otherwise}
}

// build compiles what programs are linked with.
func build(home string) error {
	cc := ofUser("FABRICAST_CC", "gcc")
	if _, err := exec.LookPath(cc[0]); err != nil {
		return fmt.Errorf("found no %s, expected it to be installed: programs are compiled with it (FABRICAST_CC may name another)", cc[0])
	}
	lib := filepath.Join(home, "lib")
	steps := [][]string{
		{"-O2", "-fPIC", "-c", "start.c", "-o", "start.o"},
		{"-O2", "-fPIC", "-w", "-shared", "-Wl,-soname,libfabricast-mpi.so", "standalone.c", "-o", "libfabricast-mpi.so"},
	}
	for _, args := range steps {
		args = append(cc[1:len(cc):len(cc)], args...)
		cmd := exec.Command(cc[0], args...)
		cmd.Dir = lib
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s %s: %w\n%s", cc[0], strings.Join(args, " "), err, out)
		}
	}
	fc := ofUser("FABRICAST_FC", "gfortran")
	if _, err := exec.LookPath(fc[0]); err != nil {
		return nil // who has none builds nothing in Fortran
	}
	for _, module := range []string{"mpi.f90", "mpi_f08.f90"} {
		cmd := exec.Command(fc[0], append(fc[1:len(fc):len(fc)], "-w", "-fsyntax-only", module)...)
		cmd.Dir = filepath.Join(home, "include")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", fc[0], err, out)
		}
	}
	return nil
}

// lenient are the flags with which gfortran compiles older programs as it once did by itself: buffers of several
// types handed to one function without an interface, and hexadecimal constants of integers. Compilers
// that do not know the flags need none.
func lenient(home string) string {
	flags := []string{"-fallow-argument-mismatch", "-fallow-invalid-boz"}
	fc := ofUser("FABRICAST_FC", "gfortran")
	cmd := exec.Command(fc[0], slices.Concat(fc[1:], flags, []string{"-fsyntax-only", "mpi.f90"})...)
	cmd.Dir = filepath.Join(home, "include")
	if cmd.Run() != nil {
		return ""
	}
	return strings.Join(flags, " ")
}

// standalone is what stands for MPI when a program is linked, and when it is executed without the simulator.
func standalone() string {
	var s strings.Builder
	s.WriteString("#include <stdio.h>\n#include <stdlib.h>\n" +
		"static void alone(const char *name) {\n" +
		"  fprintf(stderr, \"%s: this program was built for Fabricast; run it with: fabricast run EXPERIMENT.yaml -n RANKS -- PROGRAM\\n\", name);\n" +
		"  exit(1);\n}\n")
	for _, p := range host.Prototypes() {
		fmt.Fprintf(&s, "void %s(void) { alone(\"%s\"); }\nvoid P%s(void) { alone(\"%s\"); }\n", p.Name, p.Name, p.Name, p.Name)
	}
	for _, name := range host.FortranNames() {
		fmt.Fprintf(&s, "void %s(void) { alone(\"%s\"); }\nvoid p%s(void) { alone(\"%s\"); }\n", name, name, name, name)
	}
	for _, name := range host.Extensions() {
		fmt.Fprintf(&s, "void %s(void) { alone(\"%s\"); }\n", name, name)
	}
	return s.String()
}
