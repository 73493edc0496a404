package networks

import (
	"context"
	"testing"

	"fabricast"
)

// flowTraffic runs traffic on a network whose switches cut packets.
func flowTraffic(t *testing.T, traffic string) *fabricast.TrafficResult {
	t.Helper()
	e, err := fabricast.Parse("flows.yaml", `
network:
  topology: {kind: fat-tree, radix: 4, levels: 2, hosts: 2}
  packet: {mtu: 1064B, header: 64B, flit: 1B}
  router: {buffers: lossy, trimming: true, ecn: {at: dequeue}}
node: {transport: {control: {algorithm: nscc}}}
traffic: {`+traffic+"}\n")
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Run(context.Background(), fabricast.Workers(2))
	if err != nil {
		t.Fatal(err)
	}
	return r.Traffic
}

// TestFlowsAlone: packets that meet no others take as long as in an idle network, and what is offered is
// accepted.
func TestFlowsAlone(t *testing.T) {
	x := flowTraffic(t, "pattern: {name: group, block: 1}, load: 1%, size: 1000B, arrivals: poisson, measure: {longest: 2ms}")
	if len(x.Sizes) != 1 || x.Sizes[0].From != 512 || x.Sizes[0].To != 1023 {
		t.Fatalf("sizes: %+v", x.Sizes)
	}
	s := x.Sizes[0]
	if s.Messages != x.Messages || s.Slowdown.P50 != 1 || s.Slowdown.Mean > 1.02 {
		t.Errorf("%d messages, of this size %d, with slowdowns %+v", x.Messages, s.Messages, s.Slowdown)
	}
	if !x.Stable || x.Accepted.Mean < 0.0095 || x.Accepted.Mean > 0.0105 {
		t.Errorf("accepted %.5f, stable: %t", x.Accepted.Mean, x.Stable)
	}
}

// TestFlowsOverload: where all hosts but one offer more to one link than it carries, the link is full, and
// the network is not stable.
func TestFlowsOverload(t *testing.T) {
	x := flowTraffic(t, "pattern: {name: hot-spot, hosts: [0], share: 100%}, load: 50%, size: 20000B, measure: {longest: 400us}")
	if x.Stable || x.SaturatedBy != "sources" {
		t.Errorf("stable: %t, %s", x.Stable, x.SaturatedBy)
	}
	if x.Accepted.Max < 0.9 || x.Accepted.Max > 1 {
		t.Errorf("host 0 received %.4f of its link's bandwidth", x.Accepted.Max)
	}
	if s := x.Sizes[0]; s.Slowdown.P50 < 3 {
		t.Errorf("slowdown %+v", s.Slowdown)
	}
}
