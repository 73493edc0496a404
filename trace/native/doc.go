// Package native writes and reads traces in Fabricast's own format. The format represents every
// field of a record: a replay of a recorded run gives the same result. docs/formats/trace.md draws
// the format.
package native
