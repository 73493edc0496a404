// Package host is the C side of C programs: it loads them, runs their ranks as coroutines, and
// implements the functions of MPI as far as they need no simulated time. Where they do, a rank
// leaves its operations and hands over to package cmpi.
//
// # Ranks
//
// All ranks are in the simulator's process. Each has a stack of its own and a copy of the
// program's variables (loader.c); the C library and other shared libraries are there once, and
// what of their state programs rely on, such as standard output and random numbers, is given to each rank by
// functions that take the library's place (process.c).
//
// # Layout
//
// host.h has what both sides see, layout.go repeats it in Go. A rank never calls Go: it switches back to
// whoever resumed it.
package host
