// Package bench measures the speed and memory of the simulator itself on the present machine: with
// experiments that others have published, at the published size, and with cases for which Fabricast
// sets its own limits.
//
// Each case runs in a process of its own, so that CPU time, peak memory and counted instructions
// are those of the case. Measure runs a case in that process; Run starts the processes and computes
// medians. Cases are built in code rather than read from files, so that only the binary is needed.
package bench
