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
	//go:embed files/modules.sh
	modules string // of the wrapper for Fortran
	//go:embed files/newer.txt
	newer string
)

// compiler is a wrapper compiler.
type compiler struct {
	names         []string
	command       string
	variable      string
	compile, link string
}

var compilers = []compiler{
	{names: []string{"mpicc"}, command: "gcc", variable: "FABRICAST_CC"},
	{names: []string{"mpifort", "mpif90", "mpif77"}, command: "gfortran", variable: "FABRICAST_FC"},
	{
		names:    []string{"mpicxx", "mpic++", "mpiCC"},
		command:  "g++",
		variable: "FABRICAST_CXX",
		link:     "-static-libstdc++ -static-libgcc -Wl,-u,__register_frame",
	},
}

// machineFlags holds compiler flags by architecture. They make the program access thread-local
// variables of shared objects by a call, which the simulator implements for each rank.
var machineFlags = map[string]string{"arm64": "-mtls-dialect=trad"}

// Install writes the wrapper compilers, such as mpicc, into a folder, with the files they need
// beside them, and returns the names of the compilers. It needs gcc, or the compiler that the
// environment names instead.
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
		"include/mpi.h":                     host.Header,
		"include/fabricast_mpi_functions.h": host.Functions,
		"include/fabricast.h":               host.Extras,
		"include/mgen.h":                    host.Mgen,
		"include/mgen-mpi.h":                host.MgenMPI,
		"include/fabricast_mgen_names.h":    host.MgenNames(),
		"include/acp.h":                     host.ACP,
		"include/mpif.h":                    fortran.Include(),
		"include/mpi.f90":                   fortran.Module(),
		"include/mpi_f08.f90":               fortran.Module08(),
		"lib/start.c":                       start,
		"lib/standalone.c":                  standalone(),
		"lib/newer.txt":                     newer,
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
		c.compile = c.probes()
		for _, name := range c.names {
			if err := write(filepath.Join(folder, name), c.text(home), 0o755); err != nil {
				return nil, err
			}
			names = append(names, name)
		}
		if c.command == "gfortran" {
			if err := c.makeModules(folder, home); err != nil {
				return nil, err
			}
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

// text returns the wrapper's script.
func (c *compiler) text(home string) string {
	preparation := ""
	if c.command == "gfortran" {
		preparation = modules
	}
	values := strings.NewReplacer(
		"HOME_FOLDER",
		home,
		"COMPILER_VARIABLE",
		c.variable,
		"COMPILER",
		c.command,
		" COMPILE_FLAGS",
		pad(strings.TrimSpace(c.compile+" "+machineFlags[runtime.GOARCH])),
		" LINK_FLAGS",
		pad(c.link),
	)
	return values.Replace(strings.Replace(script, "PREPARATION\n", preparation, 1))
}

// probe is the compiler flag that makes functions touch each page of their frames, so that a stack
// overflow is detected.
const probe = "-fstack-clash-protection"

// probes returns the flag probe, or "" if the installed compiler does not support it.
func (c *compiler) probes() string {
	found := ofUser(c.variable, c.command)
	if _, err := exec.LookPath(found[0]); err != nil {
		return probe
	}
	language := map[string]string{"gcc": "c", "g++": "c++", "gfortran": "f95"}[c.command]
	cmd := exec.Command(
		found[0],
		slices.Concat(found[1:], []string{probe, "-fsyntax-only", "-x", language, os.DevNull})...)
	if cmd.Run() != nil {
		return ""
	}
	return probe
}

// makeModules lets the wrapper for Fortran build its modules if there is a compiler. Otherwise the
// wrapper builds them when they are first needed.
func (c *compiler) makeModules(folder, home string) error {
	if err := os.RemoveAll(filepath.Join(home, "include", "fortran-flags")); err != nil {
		return err
	}
	if _, err := exec.LookPath(ofUser(c.variable, c.command)[0]); err != nil {
		return nil
	}
	out, err := exec.Command(filepath.Join(folder, c.names[0]), "--fabricast-modules").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", c.names[0], err, out)
	}
	return nil
}

func pad(flags string) string {
	if flags == "" {
		return ""
	}
	return " " + flags
}

// ofUser returns the compiler that an environment variable names, with arguments, or otherwise if
// it is not set.
func ofUser(variable, otherwise string) []string {
	if named := strings.Fields(os.Getenv(variable)); len(named) > 0 {
		return named
	}
	return []string{otherwise}
}

// build compiles the objects that programs are linked with.
func build(home string) error {
	cc := ofUser("FABRICAST_CC", "gcc")
	if _, err := exec.LookPath(cc[0]); err != nil {
		return fmt.Errorf(
			"found no %s, expected it to be installed: programs are compiled with it (FABRICAST_CC "+
				"may name another)",
			cc[0],
		)
	}
	lib := filepath.Join(home, "lib")
	steps := [][]string{
		{"-O2", "-fPIC", "-c", "start.c", "-o", "start.o"},
		{ // not optimized, which takes seconds: each function prints an error
			"-O0", "-fPIC", "-w", "-shared", "-Wl,-soname,libfabricast-mpi.so", "standalone.c", "-o", "libfabricast-mpi.so",
		},
	}
	for _, args := range steps {
		args = append(cc[1:len(cc):len(cc)], args...)
		cmd := exec.Command(cc[0], args...)
		cmd.Dir = lib
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s %s: %w\n%s", cc[0], strings.Join(args, " "), err, out)
		}
	}
	return nil
}

// standalone returns C code for the MPI functions of a program that is executed without the
// simulator: they print an error and exit.
func standalone() string {
	var s strings.Builder
	s.WriteString("#include <stdio.h>\n#include <stdlib.h>\n" +
		"static void alone(const char *name) {\n" +
		"  fprintf(stderr, \"%s: this program was built for Fabricast; run it with: fabricast run " +
		"EXPERIMENT.yaml -n RANKS -- PROGRAM\\n\", name);\n" +
		"  exit(1);\n}\n")
	for _, p := range host.Prototypes() {
		fmt.Fprintf(
			&s,
			"void %s(void) { alone(\"%s\"); }\nvoid P%s(void) { alone(\"%s\"); }\n",
			p.Name,
			p.Name,
			p.Name,
			p.Name,
		)
	}
	for _, name := range host.FortranNames() {
		fmt.Fprintf(
			&s,
			"void %s(void) { alone(\"%s\"); }\nvoid p%s(void) { alone(\"%s\"); }\n",
			name,
			name,
			name,
			name,
		)
	}
	for _, name := range host.Extensions() {
		fmt.Fprintf(&s, "void %s(void) { alone(\"%s\"); }\n", name, name)
	}
	return s.String()
}
