// Package goal reads schedules in the Group Operation Assembly Language, as text and in the binary
// form that simulators such as LogGOPSim and ATLAHS run: tasks of each rank (send, recv, calc) and
// the dependencies between them.
//
// See T. Hoefler, C. Siebert, A. Lumsdaine: "Group Operation Assembly Language - A Flexible Way to
// Express Collective Communication", ICPP 2009.
package goal
