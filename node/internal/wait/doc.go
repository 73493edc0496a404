// Package wait decides which completion ends a wait of a rank, and charges the rank for it.
package wait
