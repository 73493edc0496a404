// Package cmpi runs unmodified MPI programs in C on a simulated network.
//
// A program is built with the compilers that [Install] writes into a folder, and loaded for a
// number of ranks ([Load]); then it is a node.Launcher like any other. Parts of MPI that do not
// depend on time (datatypes, groups, attributes) are implemented in C, in internal/host. Sends,
// receives and waits are the node's. Collectives use the algorithms of package collective.
//
// Programs need a build with cgo on linux/amd64 or linux/arm64. Elsewhere Load returns an error.
package cmpi
