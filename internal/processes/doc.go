// Package processes joins the processes that a launcher (mpirun, srun) has started, so that they
// share one run.
//
// A Group is the few operations that a run needs: the least of some numbers, an exchange of bytes,
// and an end. It has two kinds. MPI's is made by Join, which loads the MPI library that is there at
// run time; Fabricast is not compiled against MPI. That of Local has goroutines of one process in
// the place of processes, for tests.
//
// Every operation of a Group is collective: all processes call it, in the same order. One goroutine
// at a time may use a Group.
package processes
