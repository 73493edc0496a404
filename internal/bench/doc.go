// Package bench is the table of the simulator's own speed and memory, on the
// machine it runs on: published experiments of others at their size, and the
// cases that Fabricast sets itself bounds for.
//
// Each case runs in a process of its own, so that CPU time, peak memory and
// counted instructions are its own; Measure is what happens in that process, Run
// starts the processes and takes medians. Cases are built here rather than read
// from files, so that the table can be made wherever the binary is.
package bench
