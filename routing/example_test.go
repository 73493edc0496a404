package routing_test

import (
	"fmt"
	"log"

	"fabricast/routing"
	"fabricast/topology"
)

// A route is followed from router to router: each hop consumes the header of the one before it.
func ExampleNewDOR() {
	t, err := topology.NewTorus([]int{4, 4}, nil, 1)
	if err != nil {
		log.Fatal(err)
	}
	dor, err := routing.NewDOR(t, 2, routing.TieSplit)
	if err != nil {
		log.Fatal(err)
	}
	g, router := t.Graph(), int32(0)
	header, _ := dor.Start(0, 13) // from (0,0) to (1,3)
	for {
		port, _, next := dor.Next(router, header)
		fmt.Println(t.RouterName(int(router)), t.PortName(int(router), int(port)))
		at := int(g.PortBase[router]) + int(port)
		if g.Ports[at].NIC != topology.Unconnected {
			break
		}
		router, header = int32(g.PeerRouter(at)), next
	}
	// Output:
	// (0,0) +x
	// (1,0) -y
	// (1,3) nic0
}
