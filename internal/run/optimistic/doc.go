// Package optimistic runs the parts of a network by Time Warp (engine/timewarp). Each part is a
// simulation of its own, which a goroutine assembles. The Team of a process runs its parts,
// forwards the reports that they made before the global virtual time (GVT), and sums their costs.
package optimistic
