// Package partition divides networks into partition blocks: sets of routers that processes and
// workers simulate concurrently. A partition does not affect results. It determines the speed of a
// run: how evenly the work is divided, and how much traffic crosses from block to block.
//
// ByTopology uses regular structure: it divides tori, meshes and HyperX into boxes, networks of
// groups or blocks between these, and trees between their pods. ByGraph divides any network by one
// of three methods: the libraries METIS and Scotch, which are loaded if they are installed, or a
// multilevel bisection of its own. Best chooses the best result of the three. Read reads a
// partition from a file. Assess measures a partition: cut links, balance, hops between blocks.
//
// A partition lists the block of each router, from 0. Every block has at least one router. The
// weight of a router is the number of its ports in use, a measure of the packets that pass through
// it.
package partition
