// Package claims divides pieces of work among processes that share a folder, on one machine or on
// many, without any other connection.
//
//	claims.go   taking a piece of work, giving it back, and settling it
//	owner.go    who holds a claim, as its file says, and whether that process still lives
//	watch.go    claims of other machines: whether their heartbeats go on
//
// A claim is a file KEY.claim.N that its owner creates exclusively (O_EXCL), which is atomic on
// local disks and on NFS. It names the process, and holds a counter that the owner raises every few
// seconds: its heartbeat. N is the generation. Where the owner of generation N is dead, whoever
// creates generation N+1 takes the work over. Only one process can. A dead owner's file stays until
// the work is settled, so that no other process can mistake the work for one that nobody has
// claimed.
//
// No clocks are compared between machines. A process is dead if it ran on this machine and is gone,
// or if its counter has not changed in many looks at it that were some seconds apart. A claim can be
// taken from a process that lives, if it was stopped for that long. Both may then do the same work,
// so whatever is the outcome must not depend on who did it.
package claims
