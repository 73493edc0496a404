// Package workers is what the workers of every driver share: how they are started, and where they wait
// for each other.
package workers
