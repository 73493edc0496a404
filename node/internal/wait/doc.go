// Package wait decides what ends a wait of a rank, in the order of completion, and what the rank pays
// for it.
package wait
