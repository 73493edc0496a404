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

// PanicError is a panic of a rank's program.
type PanicError struct {
	Value any
	Place string // in the program, such as "main.go:41 in main.step"; empty if it is not known
	Stack []byte // of the program when it panicked
}

// NewPanicError returns a PanicError for a value that recover returned. Call it in the same
// deferred function, while the stack still shows where the panic happened.
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

// Unwrap returns the panic's value if it is an error.
func (e PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// libraries are the packages through which a rank's program calls this one, with those below them.
var libraries = []string{
	"fabricast/cmpi", "fabricast/collective", "fabricast/mpi", "fabricast/node", "fabricast/pacing",
	"fabricast/rdma", "fabricast/traffic", "fabricast/workload",
}

// isLibrary reports whether a package is one of the libraries. iter is Go's, and calls a program by the way.
func isLibrary(pkg string) bool {
	return pkg == "fabricast" || pkg == "iter" || slices.ContainsFunc(libraries, func(l string) bool {
		return pkg == l || strings.HasPrefix(pkg, l+"/")
	})
}

// entry is the function that calls a rank's program.
const entry = "fabricast/node.(*Block).resume"

// mostFrames is how many stack frames are searched.
const mostFrames = 100

// place returns the innermost function on the stack that belongs neither to Go nor to the
// simulator.
func place() string {
	callers := make([]uintptr, mostFrames)
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
	first, more := frames.Next() // runtime.Callers itself
	root := strings.TrimSuffix(first.File, "runtime/extern.go")
	own := "" // where the simulator's sources are
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
// looks at files because an inlined function literal has the name of its caller.
func ofLibrary(file, own string) bool {
	dir, name := path.Split(file)
	pkg, below := strings.CutPrefix(dir, own)
	return below && !strings.HasSuffix(name, "_test.go") &&
		isLibrary("fabricast/"+strings.TrimSuffix(pkg, "/"))
}

// packageOf returns the import path of a function's package: everything up to the first point after
// the last slash.
func packageOf(function string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[slash:], ".")
	return function[:slash] + name
}

// standard reports whether a file belongs to Go's standard library, whose sources are below root.
// Programs built with -trimpath name files by package; there a package outside any module is
// standard.
func standard(file, pkg, root string) bool {
	if root != "" {
		return strings.HasPrefix(file, root)
	}
	return pkg != "main" && !ofModule(pkg)
}

// ofModule reports whether a package belongs to a module of which the program is built.
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
