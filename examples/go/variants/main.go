// Variants shows custom models, one per file: a topology, a routing algorithm, an arbiter and a
// flow control, and models that mark packets, limit the data in flight, reduce in switches or let a
// link fail. The first two are registered, with names and options in YAML. The others are set in
// Go.
package main

import (
	"context"
	"fmt"
	"os"

	"fabricast"
)

const described = `
network:
  topology: {kind: star, arms: 4, hosts: 2}
  routing: {algorithm: by-middle, lane: destination}
workload: {program: alltoall, algorithm: simple-spread, size: 3000B}
`

func main() {
	e, err := fabricast.Parse("star.yaml", described)
	if err == nil {
		e.Network.Router.Arbiter, e.Network.Router.OwnArbiter = "", largest
		e.Network.Router.FlowControl = alone
		var r *fabricast.Result
		if r, err = e.Run(context.Background()); err == nil {
			fmt.Println(r.SimulatedTime)
			return
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
