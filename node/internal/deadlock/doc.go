// Package deadlock explains what the ranks of a deadlocked program wait for.
package deadlock
