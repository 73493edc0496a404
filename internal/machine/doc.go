// Package machine tells about the computer on which the simulator runs, and
// what the simulator has used of it.
package machine
