// Package splits divides the ranks of a communicator among new ones, by their colors.
package splits
