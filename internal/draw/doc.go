// Package draw makes random numbers of several distributions from random bits, in
// integers throughout, so that every machine draws the same ones.
//
// Results are fixed-point numbers with Bits binary places.
package draw

// Bits is the number of binary places of results.
const Bits = 40

// One is the result 1.
const One = 1 << Bits
