package ethernet

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"fabricast/fabric"
	"fabricast/internal/draws"
	"fabricast/internal/units"
)

// binned gathers the bins of all blocks of a network, by their begin.
type binned struct {
	fabric.Sink
	mutex sync.Mutex
	rows  []string
	links map[int32]fabric.PortUse
	waits [2]units.Time // for the end of a pause, and for others
	held  int64
}

func (s *binned) Window(int, int64) {}

func (s *binned) Bin(_ int, bin *fabric.Bin) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, l := range bin.Links {
		use := s.links[l.Link]
		use.Packets += uint64(l.Packets)
		use.Bytes += uint64(l.Bytes)
		s.links[l.Link] = use
		s.waits[0] += l.NoCredit
		s.waits[1] += l.BusyOutput
		s.rows = append(s.rows, fmt.Sprint(bin.Begin, bin.Interval, l))
	}
	for _, q := range bin.Buffers {
		s.held += q.Held
		s.rows = append(s.rows, fmt.Sprint(bin.Begin, bin.Interval, q))
	}
}

// bin runs flows on a network whose bins are recorded. It returns them in an order of their own.
func bin(t *testing.T, spec Spec, flows []flow, workers int, o fabric.Observation) (*Network, *binned) {
	t.Helper()
	s := &binned{links: map[int32]fabric.PortUse{}}
	o.Sink = s
	n, ended, _ := simulateOn(t, spec, flows, workers, func(n *Network) { n.Observe(o) })
	if ended == nil {
		return n, nil
	}
	n.EndObservation(fabric.Forever - 1)
	slices.Sort(s.rows)
	return n, s
}

// TestBins: bins are the same for any division into blocks, and those of a link have all that it has sent. With
// longer intervals they sum up to the same.
func TestBins(t *testing.T) {
	waits := [2]units.Time{}
	for seed := range draws.Seeds(40, 5_000) {
		r := rand.New(rand.NewPCG(seed, 11))
		spec := drawSpec(t, r)
		flows := drawFlows(r, &spec)
		o := fabric.Observation{Interval: units.Time(10_000 + r.Int64N(10_000_000)), Buffers: true}
		if r.IntN(2) == 0 {
			o.MaxBins = 2 + 2*r.Int64N(20)
		}
		n, one := bin(t, spec, flows, 1, o)
		if one == nil {
			continue
		}
		if n.Deadlock() == nil {
			compareUse(t, seed, n, one)
		}
		_, several := bin(t, spec, flows, 2+r.IntN(3), o)
		if !slices.Equal(one.rows, several.rows) {
			t.Fatalf("seed %d: the bins of several blocks differ from those of one", seed)
		}
		o.Interval *= 8
		if _, longer := bin(t, spec, flows, 1, o); n.Deadlock() == nil && (longer.waits != one.waits || longer.held != one.held) {
			t.Fatalf("seed %d: longer intervals sum up to %v and %d, not %v and %d", seed, longer.waits, longer.held, one.waits, one.held)
		}
		waits[0] += one.waits[0]
		waits[1] += one.waits[1]
	}
	if waits[1] == 0 || waits[0] == 0 && !testing.Short() {
		t.Errorf("packets have waited %v for pauses and %v for others", waits[0], waits[1])
	}
}

// compareUse compares what bins have of each link with what it has counted itself.
func compareUse(t *testing.T, seed uint64, n *Network, s *binned) {
	t.Helper()
	link := int32(0)
	compare := func(want fabric.PortUse) {
		t.Helper()
		if got := s.links[link]; got != want {
			t.Fatalf("seed %d: link %d has sent %+v, by its bins %+v", seed, link, want, got)
		}
		link++
	}
	for i, p := range n.Graph.Ports {
		if p.Peer >= 0 || p.NIC >= 0 {
			compare(n.Port(i))
		}
	}
	for i := range n.nics {
		compare(n.Sent(i))
	}
}
