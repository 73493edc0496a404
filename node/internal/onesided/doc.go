// Package onesided executes one-sided operations (RMA) on the memory of ranks: puts, gets,
// accumulates, atomic operations and locks.
package onesided
