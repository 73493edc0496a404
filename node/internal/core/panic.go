package core

import (
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// PanicError is a panic in a rank's program.
type PanicError struct {
	Value any
	Place string // position in the program, such as "main.go:41 in main.step"; empty if not known
	Stack []byte // stack of the program when it panicked
}

// NewPanicError returns a PanicError for value, which recover has returned. It must be called in
// the deferred function that recovers, while the stack still shows where the panic happened.
func NewPanicError(value any) PanicError {
	return PanicError{Value: value, Place: place(), Stack: debug.Stack()}
}

func (e PanicError) Error() string {
	text := fmt.Sprint(e.Value)
	if e.Place != "" {
		text += ", at " + e.Place
	}
	return text
}

// Unwrap returns the panic's value if it is an error, and nil otherwise.
func (e PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// libraries are the packages through which a rank's program calls package node, including their
// subpackages.
var libraries = []string{
	"fabricast/cmpi", "fabricast/collective", "fabricast/mpi", "fabricast/node", "fabricast/pacing",
	"fabricast/rdma", "fabricast/traffic", "fabricast/workload",
}

// isLibrary reports whether pkg is one of the libraries. Package iter of Go counts too: it lies
// between the node and a program that is a coroutine.
func isLibrary(pkg string) bool {
	return pkg == "fabricast" || pkg == "iter" || slices.ContainsFunc(libraries, func(l string) bool {
		return pkg == l || strings.HasPrefix(pkg, l+"/")
	})
}

// entry is the name of the function that calls a rank's program.
const entry = "fabricast/node.(*Block).resume"

// mostFrames is the maximum number of stack frames that are searched.
const mostFrames = 100

// place returns the position of the innermost stack frame that is neither in Go's libraries nor in
// the simulator.
func place() string {
	callers := make([]uintptr, mostFrames)
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
	first, more := frames.Next() // first is runtime.Callers itself
	root := strings.TrimSuffix(first.File, "runtime/extern.go")
	own := "" // directory of the simulator's sources
	for more {
		var f runtime.Frame
		f, more = frames.Next()
		if f.Function == entry {
			break
		}
		if dir, here := strings.CutSuffix(f.File, "node/internal/core/panic.go"); here && own == "" {
			own = dir
		}
		if pkg := packageOf(f.Function); pkg != "" && !isLibrary(pkg) &&
			!ofLibrary(f.File, own) &&
			!standard(f.File, pkg, root) {
			return fmt.Sprintf("%s:%d in %s", filepath.Base(f.File), f.Line, f.Function)
		}
	}
	return ""
}

// ofLibrary reports whether a file belongs to one of the libraries, whose files are below own. It
// checks the file and not the function, because an inlined function literal has the name of its
// caller.
func ofLibrary(file, own string) bool {
	dir, name := path.Split(file)
	pkg, below := strings.CutPrefix(dir, own)
	return below && !strings.HasSuffix(name, "_test.go") &&
		isLibrary("fabricast/"+strings.TrimSuffix(pkg, "/"))
}

// packageOf returns the import path of a function's package: everything up to the first dot after
// the last slash.
func packageOf(function string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[slash:], ".")
	return function[:slash] + name
}

// standard reports whether a file belongs to Go's standard library, whose sources are below root.
// In programs built with -trimpath, file names start with the package path; there a package outside
// of any module is standard.
func standard(file, pkg, root string) bool {
	if root != "" {
		return strings.HasPrefix(file, root)
	}
	return pkg != "main" && !ofModule(pkg)
}

// ofModule reports whether a package belongs to a module that is part of the program's build.
func ofModule(pkg string) bool {
	info, known := debug.ReadBuildInfo()
	if !known {
		return true
	}
	in := func(m *debug.Module) bool {
		return m.Path != "" && (pkg == m.Path || strings.HasPrefix(pkg, m.Path+"/"))
	}
	return in(&info.Main) || slices.ContainsFunc(info.Deps, in)
}
