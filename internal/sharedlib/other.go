//go:build !cgo || !linux || (!amd64 && !arm64)

package sharedlib

// Library is a loaded library. This build has none.
type Library struct{ Name string }

// Open returns ErrBuild.
func Open(bool, ...string) (*Library, error) { return nil, ErrBuild }

// Has reports whether the library has a function or a variable.
func (l *Library) Has(string) bool { return false }

// Find stores the address of each function or variable that is named.
func (l *Library) Find(map[string]*uintptr) error { return ErrBuild }

// Call calls a function.
func Call(uintptr, ...uintptr) uintptr { panic(ErrBuild) }

// Actions holds the process's action for each signal.
type Actions struct{}

// KeepSignals returns the actions of all signals.
func KeepSignals() *Actions { return &Actions{} }

// Restore restores all actions that have changed.
func (a *Actions) Restore() {}
