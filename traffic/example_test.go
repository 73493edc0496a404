package traffic_test

import (
	"fmt"
	"log"

	"fabricast/topology"
	"fabricast/traffic"
)

// Shares lists the destinations of a host with their shares of its messages.
func ExampleNew() {
	t, err := topology.NewTorus([]int{4, 2}, nil, 1)
	if err != nil {
		log.Fatal(err)
	}
	tornado, err := traffic.New(traffic.Spec{Name: "tornado", Dims: []int{4, 2}}, t)
	if err != nil {
		log.Fatal(err)
	}
	for _, src := range []int32{0, 5} {
		tornado.Shares(src, func(dst int32, share float64) bool {
			from, to := t.RouterName(int(src)), t.RouterName(int(dst))
			fmt.Printf("%.0f %% of what %s sends goes to %s\n", 100*share, from, to)
			return true
		})
	}
	// Output:
	// 100 % of what (0,0) sends goes to (1,0)
	// 100 % of what (1,1) sends goes to (2,1)
}
