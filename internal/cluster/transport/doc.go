// Package transport connects the processes that a launcher (mpirun, srun) has started, so that they
// can share one run: type MPI is a cluster.Group. It loads the installed MPI library at run time;
// Fabricast is not compiled against MPI.
//
// Packages of the simulation must not import it; only those that start a run may.
package transport
