// Package cluster has what processes do together that share one run.
//
// A Group is the few operations that a run needs: the least of some numbers, and exchanges of bytes.
// Whoever simulates gets a Group and knows nothing of how it works. That of package transport are the
// processes that a launcher (mpirun, srun) has started, which communicate by MPI. That of Local has
// goroutines of one process in the place of processes, and that of Divide has several in each process.
//
// Every operation of a Group is collective: all processes call it, in the same order. One goroutine
// at a time may use a Group.
//
//	group.go    groups, and what is found out or gathered by one
//	local.go    goroutines in the place of processes; divide.go: several in each process
//	flat.go     values of any number, piece by piece; ship.go, carry.go: bytes of any number
//	control.go  control messages, typed, which parts of the simulation register
//	same.go     whether all processes have been given the same
//
// Rooms of their own are transport (MPI libraries and launchers), claims (processes that divide work
// by a folder that they share) and slurm (jobs that start processes).
package cluster
