// Package machine describes the computer on which the simulator runs, and measures what the
// simulator uses of it.
package machine
