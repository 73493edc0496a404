// Package goal reads schedules in the Group Operation Assembly Language (GOAL). A schedule lists
// the tasks of each rank (send, recv, calc) and the dependencies between them. The package reads
// the text form and the binary form, which simulators such as LogGOPSim and ATLAHS use, and writes
// the binary form.
//
// See T. Hoefler, C. Siebert, A. Lumsdaine: "Group Operation Assembly Language - A Flexible Way to
// Express Collective Communication", ICPP 2009.
package goal
