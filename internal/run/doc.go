// Package run simulates a plan and makes a Result of it.
//
// A run is a list of jobs: the ranks of programs, traffic beside them, or traffic that is measured.
// A single program is a list of one. A simulation consists of the network in blocks, the jobs on it,
// the course that it takes through simulated time, a watcher that reports progress and stops the
// run, and a recorder that writes what the blocks report into the tables of a result folder. The
// options of a run do not change what is predicted.
package run
