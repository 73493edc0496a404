// Package allreduce holds the algorithms by which every rank gets the combination of all operands.
package allreduce
