package mpi_test

import (
	"fmt"
	"log"
	"sync/atomic"

	"fabricast/collective"
	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/mpi"
	"fabricast/node"
	"fabricast/routing"
	"fabricast/topology"
)

// A world puts the ranks of a program on the hosts of a network.
func ExamplePrograms() {
	t, err := topology.NewTorus([]int{4}, nil, 1)
	if err != nil {
		log.Fatal(err)
	}
	dor, err := routing.NewDOR(t, 2, routing.TieSplit)
	if err != nil {
		log.Fatal(err)
	}
	link := fabric.Link{Bandwidth: 1e9, Latency: 100_000}
	network, err := fabric.New(fabric.Spec{
		Graph:   t.Graph(),
		Routing: dor,
		Links:   []fabric.Link{link, link},
		Router:  fabric.Router{Latency: 50_000, Bandwidth: 1e9, VCs: 2, Buffer: 4096},
		Packet:  fabric.Packet{MTU: 1000, Flit: 1},
		DMA:     1e12,
	}, 1)
	if err != nil {
		log.Fatal(err)
	}
	defer network.Close()
	world, err := node.NewWorld(
		node.Spec{Hosts: 4, NICsPerHost: 1, Memory: 1e10, HostOf: []int32{3, 2, 1, 0}},
		mpi.Programs(func(r *mpi.Rank) { r.Barrier(collective.Default) }),
	)
	if err != nil {
		log.Fatal(err)
	}
	defer world.Close()
	block := network.Blocks()[0]
	ranks := world.NewBlock(block.Hosts())
	block.SetEndpoint(ranks)
	ranks.Start(block)
	if _, err := engine.Run([]engine.Block{block}, 1, new(atomic.Bool)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(world.Finished(), "ranks have ended, after", world.Stats().Messages, "messages")
	// Output:
	// 4 ranks have ended, after 8 messages
}
