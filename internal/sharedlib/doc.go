// Package sharedlib loads libraries of C while a program runs, so that it is compiled against none:
// those of MPI, and those that cut graphs.
//
// Libraries are loaded on Linux only, on amd64 and arm64, and by programs that are built with cgo:
// one built without is linked statically and cannot load any. Elsewhere Open returns ErrBuild.
//
// A library may install handlers of signals, which Go's runtime must get back: KeepSignals before a
// call that may do so, and Restore after it.
package sharedlib
