// Package cmpi runs unmodified MPI programs in C on a simulated network.
//
// A program is built with the compilers that [Install] leaves in a folder, loaded for a number of ranks ([Load]), and then
// is a node.Launcher like any other. What MPI defines without regard to time (datatypes, groups,
// attributes) is done in C, in internal/host; sends, receives and waits are the node's; collectives run the
// algorithms of package collective.
//
// Programs need a build with cgo on linux/amd64 or linux/arm64; elsewhere Load says so.
package cmpi
