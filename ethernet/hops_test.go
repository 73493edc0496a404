package ethernet

import (
	"slices"
	"sync"
	"testing"

	"fabricast/fabric"
)

// hopped gathers the hops of a network.
type hopped struct {
	fabric.Sink
	mutex sync.Mutex
	hops  []fabric.Hop
}

func (s *hopped) Window(int, int64) {}

func (s *hopped) Hop(_ int, h *fabric.Hop) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.hops = append(s.hops, *h)
}

// hopsOf runs flows on a network, and returns its hops in an order, and when each flow was received (ps); nil in
// a deadlock, or if packets are lost in step for ever.
func hopsOf(
	t *testing.T, spec Spec, flows []flow, workers int, order func(a, b *fabric.Hop) int,
) (hops []fabric.Hop, got []int64) {
	t.Helper()
	s := &hopped{}
	n, ended, got := simulateOn(t, spec, flows, workers, func(n *Network) {
		n.Observe(fabric.Observation{Hops: true, Sink: s})
	})
	if ended == nil || n.Deadlock() != nil {
		return nil, nil
	}
	slices.SortFunc(s.hops, func(a, b fabric.Hop) int { return order(&a, &b) })
	return s.hops, got
}
