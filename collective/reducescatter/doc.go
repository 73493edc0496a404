// Package reducescatter holds the algorithms by which every rank gets its block of the combination
// of all operands.
package reducescatter
