// Package steps contains what several algorithms share: buffers, their division into chunks and
// segments, the combining of operands, and messages up and down a tree.
package steps
