// Package run simulates a plan and makes a Result of it.
//
// Run drives either the ranks of a program (runRanks) or synthetic traffic through its phases
// (runTraffic). A simulation consists of the network in blocks, the ranks on it, a watcher that
// reports progress and stops the run, and a recorder that writes what the blocks report into the
// tables of a result folder. The options of a run do not change what is predicted.
package run
