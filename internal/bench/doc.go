// Package bench measures the simulator's own speed and memory on the present machine: published
// experiments of others at their size, and the cases for which Fabricast sets itself limits.
//
// Each case runs in a process of its own, so that CPU time, peak memory and counted instructions
// are its own. Measure runs a case in that process; Run starts the processes and computes medians.
// Cases are built in code rather than read from files, so that the table can be made wherever the
// binary is.
package bench
