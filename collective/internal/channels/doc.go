// Package channels contains what the algorithms of NCCL have in common: what threads of a GPU do in
// each channel, the protocols by which they exchange data, rings and trees of ranks, and NCCL's
// model of costs, by which it chooses an algorithm and a protocol.
//
//	program.go   what a thread of a rank does, step by step
//	run.go       carries out the programs of all channels of a rank at once
//	relay.go     what passes through the GPU on the receiver's rail (PXN)
//	inorder.go   the same on a communicator whose ranks have no threads
//	protocol.go  the protocols Simple, LL and LL128
//	options.go   the options of algorithms
//	places.go    nodes and the order of ranks in them
//	rings.go     the rings of channels, and the collectives on them
//	trees.go     the double binary tree
//	pat.go       parallel trees of blocks
//	way.go       the algorithms, and which of them can be chosen
//	switches.go  the aggregation trees of switches
//	stream.go    what passes them, segment by segment
//	nvls.go      NVLS and NVLSTree
//	collnet.go   CollNetDirect and CollNetChain
//	cost.go      NCCL's model of costs
//
// Facts are from the source of NCCL 2.30 (commit 5067397c).
package channels
