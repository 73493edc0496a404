// Package journal records the calls of programs and what they returned, and feeds programs with the
// record, which brings a program back to where it was: for checkpoints, for the optimistic mode, and
// when ranks move to another process.
package journal
