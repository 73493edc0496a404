//go:build cgo && linux && (amd64 || arm64)

package sharedlib

import (
	"errors"
	"fmt"

	"github.com/ebitengine/purego"
)

// Library is a loaded library. It stays loaded until the program ends.
type Library struct {
	Name   string
	handle uintptr
}

// Open loads the first available library of a list of paths, or of names that the system's loader
// finds. If global is true, libraries loaded later can use its symbols. The error says for each
// name, in a line of its own, why it cannot be loaded.
func Open(global bool, names ...string) (*Library, error) {
	mode := purego.RTLD_NOW | purego.RTLD_LOCAL
	if global {
		mode = purego.RTLD_NOW | purego.RTLD_GLOBAL
	}
	var reasons []error
	for _, name := range names {
		handle, err := purego.Dlopen(name, mode)
		if err == nil {
			return &Library{name, handle}, nil
		}
		reasons = append(reasons, err)
	}
	return nil, errors.Join(reasons...)
}

// Has reports whether the library has a function or a variable.
func (l *Library) Has(name string) bool {
	_, err := purego.Dlsym(l.handle, name)
	return err == nil
}

// Find stores the addresses of functions or variables by their names. The error names those that
// are missing.
func (l *Library) Find(places map[string]*uintptr) error {
	var all error
	for name, to := range places {
		found, missing := purego.Dlsym(l.handle, name)
		*to, all = found, errors.Join(all, missing)
	}
	if all != nil {
		return fmt.Errorf("%s: %w", l.Name, all)
	}
	return nil
}

// Call calls a function whose arguments and result are integers or addresses. The caller must
// ensure that memory passed by address is on the heap, and keep it alive.
func Call(function uintptr, args ...uintptr) uintptr {
	result, _, _ := purego.SyscallN(function, args...)
	return result
}
