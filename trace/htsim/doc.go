// Package htsim reads connection matrices of htsim, the simulator of the Ultra Ethernet Consortium
// (github.com/ultraethernet/uet-htsim, sim/datacenter/connection_matrix.cpp): flows with their
// starts and sizes, triggers by which flows start others, and failures of links.
package htsim
