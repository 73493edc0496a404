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

// TestIncasts: messages of incasts are measured apart from those of the load, which are those that there are
// without incasts. Four senders that start together share the link of the receiver.
func TestIncasts(t *testing.T) {
	const load = "pattern: {name: group, block: 1}, load: 1%, size: 1000B, arrivals: poisson, measure: {longest: 2ms}"
	alone, x := flowTraffic(t, load), flowTraffic(t, load+", incast: {fan_in: 4, size: 20000B, interval: 100us}")
	if len(alone.Incasts) != 0 || len(x.Incasts) != 1 || x.Incasts[0].From != 16384 || x.Incasts[0].To != 32767 {
		t.Fatalf("incasts: %+v and %+v", alone.Incasts, x.Incasts)
	}
	s, every := x.Incasts[0], int64(100_000_000)
	if n := int64(x.Measured) / every; s.Messages < 4*n || s.Messages > 4*(n+1) {
		t.Errorf("%d messages of incasts in %d intervals", s.Messages, n)
	}
	if s.Slowdown.P50 < 2.5 || s.Slowdown.P50 > 4 || s.Slowdown.Max < 4 {
		t.Errorf("slowdowns of 4 to 1: %+v", s.Slowdown)
	}
	if x.Accepted.Mean < 0.0095 || x.Accepted.Mean > 0.0105 {
		t.Errorf("accepted %.5f, offered 0.01", x.Accepted.Mean)
	}
}
