// Package steps holds what several algorithms have in common: buffers, their division into chunks and
// segments, combining operands, and messages up and down a tree.
package steps
