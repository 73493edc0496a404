// Package optimistic runs the parts of a network by Time Warp (engine/timewarp). Each part is a
// simulation of its own, with a goroutine that puts it together. The Team of a process runs all of
// them, hands on what they have reported before the global virtual time, and sums up what it has cost.
package optimistic
