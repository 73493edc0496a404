// Package timewarp drives the parts of a network by Time Warp (engine.RunOptimistic): each part is a
// simulation of its own, with a goroutine that puts it together, and the Team of a process runs all of
// them, hands on what they have reported before the global virtual time, and sums up what it has cost.
package timewarp
