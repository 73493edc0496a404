package node

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

// NewPanicError is made of what recover returned, in the deferred call that called it: the stack that tells where it
// happened is still there.
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

// Unwrap returns the value if the program panicked with an error.
func (e PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// libraries are the packages through which a rank's program comes here.
var libraries = []string{"fabricast/node", "fabricast/mpi", "fabricast/rdma", "fabricast/collective", "fabricast/workload", "iter"}

// entry is what calls a rank's program.
const entry = "fabricast/node.(*Block).resume"

// mostFrames is how far up the stack a place is looked for.
const mostFrames = 100

// place finds the innermost function on the stack that belongs neither to Go nor to the simulator.
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
		if dir, here := strings.CutSuffix(f.File, "node/panic.go"); here && own == "" {
			own = dir
		}
		if pkg := packageOf(f.Function); pkg != "" && !slices.Contains(libraries, pkg) && !ofLibrary(f.File, own) && !standard(f.File, pkg, root) {
			return fmt.Sprintf("%s:%d in %s", filepath.Base(f.File), f.Line, f.Function)
		}
	}
	return ""
}

// ofLibrary tells whether a file is of one of the libraries, which are below own: a function literal there that is inlined
// bears the name of the function that calls.
func ofLibrary(file, own string) bool {
	dir, name := path.Split(file)
	pkg, below := strings.CutPrefix(dir, own)
	return below && !strings.HasSuffix(name, "_test.go") && slices.Contains(libraries, "fabricast/"+strings.TrimSuffix(pkg, "/"))
}

// packageOf is the import path of the package that a function belongs to: all up to the first point behind the last slash.
func packageOf(function string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[slash:], ".")
	return function[:slash] + name
}

// standard tells whether a file is Go's own, whose sources are below root. Programs that are built with -trimpath name
// files by their packages: then that of a package in no module is.
func standard(file, pkg, root string) bool {
	if root != "" {
		return strings.HasPrefix(file, root)
	}
	return pkg == "runtime" || strings.HasPrefix(pkg, "internal/")
}
