// Package partition cuts networks into blocks of routers, which processes and workers simulate at
// the same time. What it decides changes no result, only how long a run takes: how evenly the work
// is divided, and how much of the traffic passes from block to block.
//
// ByTopology cuts where a network is regular: tori, meshes and HyperX into boxes, networks of
// groups or blocks between these, trees between their pods. ByGraph cuts any network by one of
// three methods: of the libraries METIS and Scotch, which are loaded if they are there, or by
// halving the network again and again with a multilevel method of its own. Best takes the best of
// the three. Read takes a partition from a file. Assess measures a partition: cut links, balance,
// hops between blocks.
//
// A partition is the block of each router, from 0. Every block has at least one router. The weight
// of a router is the number of its ports in use, the measure of the packets that pass it.
package partition
