// Package deadlock explains in words what the ranks of a deadlocked program wait for.
package deadlock
