// Package cluster provides communication between processes that share one run.
//
// A Group offers the few operations that a run needs: element-wise minima, and exchanges of bytes.
// The simulation uses a Group without knowing its implementation. Package transport implements it
// by MPI, for processes that a launcher (mpirun, srun) has started. Local implements it by
// goroutines of one process that act as processes, and Divide by several goroutines in each
// process.
//
// Every operation of a Group is collective: all processes call it, in the same order. Only one
// goroutine at a time may use a Group.
//
//	group.go    groups, and simple reductions and gathers
//	local.go    goroutines that act as processes; divide.go: several in each process
//	flat.go     any number of values, in pieces; ship.go, carry.go: any number of bytes
//	control.go  typed control messages, which parts of the simulation register
//	same.go     check that all processes have the same experiment, files and options
//
// Packages below this one are transport (MPI libraries and launchers), claims (processes that
// divide work by means of a shared folder) and slurm (batch jobs).
package cluster
