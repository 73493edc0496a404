// Package timewarp simulates the parts of a model by Time Warp, as TraceR and ROSS do.
//
// Each part runs ahead of the others, and sends them bytes (Part). What comes for a window that a part
// has executed takes it back to a state that was saved before: package snapshot saves and restores
// what Part.State goes over. What the part has sent since is in doubt, and is taken back where it
// comes out differently. Rounds, in which workers execute windows, alternate with meetings, which find
// the global virtual time (GVT): windows before it will not be undone.
//
// A file has a subject: run.go what workers share, worker.go one of them, kp.go a part (ROSS: kernel
// process) with what undoes it, check.go the check of that, channel.go what one part sends to another,
// abroad.go the exchange with other processes, throttle.go how far parts run ahead, costs.go how often
// states are saved, cost.go what a run has cost.
package timewarp
