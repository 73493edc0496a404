package topology_test

import (
	"fmt"
	"log"

	"fabricast/topology"
)

// A topology is built from its specification, and says how far hosts are apart.
func ExampleTorusSpec() {
	spec := topology.TorusSpec{Dims: []int{4, 4, 2}, Hosts: 1}
	if wrong := spec.Check(); len(wrong) > 0 {
		log.Fatal(wrong)
	}
	t, err := spec.Build(1)
	if err != nil {
		log.Fatal(err)
	}
	g := t.Graph()
	fmt.Println(g.Routers, "routers with up to", g.Radix(), "ports")
	fmt.Println(t.RouterName(5), "is", t.Distance(0, 5), "links from", t.RouterName(0))
	// Output:
	// 32 routers with up to 7 ports
	// (1,1,0) is 2 links from (0,0,0)
}
