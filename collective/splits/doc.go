// Package splits divides the ranks of a communicator among new communicators, by their colors.
package splits
