// Package allreduce contains the allreduce algorithms, which give every rank the combination of all
// operands.
package allreduce
