package traffic_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"fabricast/fabric"
	"fabricast/routing"
	"fabricast/topology"
)

// TestWorstOfDragonflies checks the accepted load of the worst case with minimal routing. It is
// 1/(a p) without head-of-line blocking. With input queues it is lower, in particular if a group
// has few routers, because 1/a of the packets that arrive in a group compete with packets that
// leave it.
func TestWorstOfDragonflies(t *testing.T) {
	d := rand.New(rand.NewPCG(2, 0))
	for range 5 {
		s := topology.DragonflySpec{P: 1 + d.IntN(2), A: 2 + d.IntN(3), H: 1 + d.IntN(2)}
		t.Run(fmt.Sprint(s.P, s.A, s.H), func(t *testing.T) {
			top, err := topology.NewDragonfly(s, 1)
			if err != nil {
				t.Fatal(err)
			}
			minimal, err := routing.NewMinimal(top, "minimal", 2, routing.ChoiceFlow)
			if err != nil {
				t.Fatal(err)
			}
			spec, _ := network(t, 2, true, 2)
			spec.Graph, spec.Routing = top.Graph(), minimal.(routing.Function)
			spec.Links = []fabric.Link{spec.Links[0], spec.Links[0], spec.Links[0]}
			spec.Router.Buffer = 8192
			full := 1 / float64(s.A*s.P)
			l := load(t, "worst", top, 1)
			blocked := measure(t, spec, l, 1).Accepted / full
			spec.Router.Queues = fabric.VirtualOutputQueues
			free := measure(t, spec, l, 1).Accepted / full
			if free < 0.98 || free > 1.01 {
				t.Errorf("accepted %.3f of 1/(a p) without head-of-line blocking", free)
			}
			if blocked > 0.995 || blocked < 1-0.3/float64(s.A) {
				t.Errorf("accepted %.3f of 1/(a p) with input queues", blocked)
			}
		})
	}
}
