// Package host is the C side of C programs: it loads them, runs their ranks as coroutines, and
// implements the functions of MPI as far as they need no simulated time. For functions that do, a
// rank stores its operations in a list and switches to package cmpi.
//
// # Ranks
//
// All ranks are in the simulator's process. Each has its own stack and its own copy of the
// program's variables (loader.c). The C library and other shared libraries exist once. Those parts
// of their state that programs rely on, such as standard output and random numbers, are provided
// for each rank by functions that replace the library's (process.c).
//
// # Layout
//
// host.h declares what both sides see; layout.go repeats it in Go. A rank never calls Go: it
// switches back to the code that resumed it.
package host
