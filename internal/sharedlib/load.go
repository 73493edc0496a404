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

// Open loads the first library that is there of some names: paths, or names that the system's loader
// finds. What a global one defines is there for libraries that are loaded later. The error says of
// each name why it cannot be loaded, in a line each.
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

// Find stores the address of each function or variable that is named. The error names those that
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

// Call calls a function whose arguments and result are integers or addresses. What addresses point
// to must lie in the heap, and be kept alive by the caller.
func Call(function uintptr, args ...uintptr) uintptr {
	result, _, _ := purego.SyscallN(function, args...)
	return result
}
