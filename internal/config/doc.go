// Package config reads configuration files for people: whatever is wrong is
// reported with its file, line, column, field, what was found and what was
// expected, and as many mistakes at once as can be told apart.
//
// The way of a file: Parse makes a tree of Nodes that remember where they were
// written; Set lays command-line assignments over it; Decode fills a Go struct
// by its yaml tags and remembers the position of every field, so that checks
// made later on the struct can point at the text as well (Positions.Locate).
//
// The tree is never changed after Parse; Set returns a new one.
package config
