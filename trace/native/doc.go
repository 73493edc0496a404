// Package native writes and reads traces in Fabricast's native format. The format stores every
// field of a record, so that a replay of a recorded run gives the same result as the run.
// docs/formats/trace.md specifies the format.
package native
