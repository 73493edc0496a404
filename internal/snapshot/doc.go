// Package snapshot saves the mutable state of a simulation and restores it.
//
// Every part of a model has one method that visits its state with a [Visitor]. The same method is
// used to copy the state into memory, to copy it back, to write it to a file and to read it from a
// file. So a part cannot save something other than what it restores.
//
// State is plain data: numbers, and structs and arrays of numbers. It is saved as its bytes in
// memory, which are valid only for the same build of a program on the same kind of machine. [Write]
// saves the layout of every type, and [Read] compares it.
package snapshot
