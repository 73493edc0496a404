// Package together is what the workers of every driver do together: they are started, and wait for
// each other.
package together
