// Package dist converts random bits to random numbers of several distributions. It uses integers
// only, so that every machine gets the same numbers.
//
// Results are fixed-point numbers with Bits binary places.
package dist

// Bits is the number of binary places of the fixed-point numbers that this package returns.
const Bits = 40

// One is the fixed-point number 1.0.
const One = 1 << Bits
