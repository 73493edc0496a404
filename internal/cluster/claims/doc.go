// Package claims divides pieces of work among processes that share a folder, on one machine or
// many, without any other connection.
//
//	claims.go   claiming a piece of work, releasing it, and settling it when completed
//	owner.go    the owner of a claim, and whether that process is alive
//	watch.go    claims from other machines: whether their heartbeats continue
//
// A claim is a file KEY.claim.N that its owner creates exclusively (O_EXCL), which is atomic on
// local disks and on NFS. It names the process, and contains a counter that the owner increments
// every few seconds: its heartbeat. N is the generation. If the owner of generation N is dead, the
// process that creates generation N+1 takes the work over; only one process can. A dead owner's
// file stays until the work is settled, so that no other process can mistake the work for
// unclaimed.
//
// Clocks of different machines are never compared. A process is considered dead if it ran on this
// machine and is gone, or if its counter is unchanged in many inspections some seconds apart. The
// latter can happen to a live process that was stopped for that long. Two processes may then do the
// same work, so its outcome must not depend on which of them did it.
package claims
