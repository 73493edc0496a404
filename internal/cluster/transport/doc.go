// Package transport joins the processes that a launcher (mpirun, srun) has started, so that they
// share one run: its MPI is a cluster.Group. It loads the MPI library that is there at run time;
// Fabricast is not compiled against MPI.
//
// The layers keep it above all that simulates: only who starts a run may import it.
package transport
