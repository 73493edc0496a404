// Package snapshot saves the mutable state of a simulation and restores it.
//
// Every part of a model has one method that goes over its state with a [Visitor]. The same walk
// copies the state into memory, copies it back, writes it to a file and reads it from there. So a
// part cannot save something other than what it restores.
//
// State is plain data: numbers, and structs and arrays of numbers. The bytes are those of memory.
// They mean something only to the same build of a program on the same kind of machine. [Write] notes
// the layout of every type down, and [Read] compares it.
package snapshot
