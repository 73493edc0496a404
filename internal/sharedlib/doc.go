// Package sharedlib loads C libraries at run time, so that the program is not compiled against any:
// MPI libraries and graph partitioning libraries.
//
// Libraries can be loaded only on Linux, on amd64 and arm64, and by programs built with cgo;
// without cgo, a program is linked statically and cannot load any. Otherwise Open returns ErrBuild.
//
// A library may install signal handlers that replace those of Go's runtime. Call KeepSignals before
// a call that may do so, and Restore after it.
package sharedlib
