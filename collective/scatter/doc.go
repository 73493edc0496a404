// Package scatter contains the scatter algorithms, which give every rank its block of the root's
// buffer.
package scatter
