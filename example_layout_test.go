package fabricast_test

import (
	"fmt"
	"log"

	"fabricast"
	"fabricast/experiment"
	"fabricast/topology"
)

// The network of an experiment can be looked at without running anything.
func ExampleExperiment_Layout() {
	e := fabricast.Experiment{
		Network: experiment.Network{
			Topology: topology.DragonflySpec{P: 2, A: 4, H: 2},
			Links: map[string]experiment.Link{
				"global": {Bandwidth: 4 * fabricast.GBPerSecond, Latency: 300 * fabricast.Nanosecond},
			},
		},
		Workload: experiment.Workload{Program: "barrier"},
	}
	layout, err := e.Layout()
	if err != nil {
		log.Fatal(err)
	}
	survey := layout.Survey()
	fmt.Println(survey.Hosts, "hosts,", survey.Routers, "routers, diameter", survey.Distance.Diameter)
	for _, class := range survey.Links {
		fmt.Println(class.Count, class.Name, class.Bandwidth, class.Latency)
	}
	routes, err := layout.Routes(0, 71)
	if err != nil {
		log.Fatal(err)
	}
	for _, hop := range routes[0].Hops {
		fmt.Println(hop.RouterName, hop.PortName)
	}
	// Output:
	// 72 hosts, 36 routers, diameter 3
	// 54 local 8GB/s 100ns
	// 36 global 4GB/s 300ns
	// 72 host 8GB/s 100ns
	// g0.r0 local3
	// g0.r3 global1
	// g8.r0 local3
	// g8.r3 host1
}
