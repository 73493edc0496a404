// Package partition divides networks into partition blocks: sets of routers that processes and
// workers simulate concurrently. A partition does not affect results. It determines the speed of a
// run through the balance of the work and the traffic that crosses from block to block.
//
// ByTopology uses regular structure: it divides tori, meshes and HyperX into boxes, grouped and
// hierarchical networks along their groups or inner copies, and trees along their pods. ByGraph
// divides any network by one of three methods: the libraries METIS and Scotch, which are loaded if
// they are installed, or a multilevel bisection of its own. Best returns the best result of the
// three. Read reads a partition from a file. Assess measures a partition: cut links, balance, and
// neighbours of a block.
//
// A partition lists the block of each router. Blocks are numbered from 0, and every block has at
// least one router. The weight of a router is its number of ports in use, a measure of the packets
// that pass through it.
package partition
