package channels

import (
	"testing"

	"fabricast/collective"
)

// seated returns where ranks are on nodes of so many GPUs.
func seated(hosts []int32, gpus int32) *Places {
	m := collective.NewMachine(hosts, nil, nil)
	m.Seat(func(host int32) (node, seat int32) { return host / gpus, host % gpus }, collective.Rates{})
	return PlacesOf(collective.At(nil, m.World()), 0)
}

// TestRingsEnterNodesByTheirRail: on the ring of each channel, whatever the order of ranks, every
// rank has one successor, each node is entered once, by the GPU of the channel's rail, and a node
// without a rank there by the next one.
func TestRingsEnterNodesByTheirRail(t *testing.T) {
	const gpus = 4
	hosts := []int32{5, 0, 9, 2, 7, 3, 10, 4, 1, 6, 8} // of three nodes; the last has no GPU 3
	p := seated(hosts, gpus)
	for channel := range 2 * gpus {
		at, entered := 0, map[int32]bool{}
		for range hosts {
			r := p.ring(at, channel)
			next := int(r.next()[0])
			from, to := hosts[at], hosts[next]
			if from/gpus != to/gpus {
				rail := int32(channel % gpus)
				if to/gpus == 2 && rail == 3 {
					rail = 0
				}
				if entered[to/gpus] || to%gpus != rail {
					t.Errorf("channel %d enters node %d from GPU %d by GPU %d, want %d", channel, to/gpus, from, to%gpus, rail)
				}
				entered[to/gpus] = true
			}
			back := p.ring(next, channel)
			if prev := int(back.prev()[0]); prev != at {
				t.Fatalf("channel %d: %d follows %d, and is preceded by %d", channel, next, at, prev)
			}
			at = next
		}
		if at != 0 || len(entered) != 3 {
			t.Errorf("channel %d: the ring has %d nodes and ends at rank %d", channel, len(entered), at)
		}
	}
}

// TestGPUsOverrideTheNetwork: the option gpus counts consecutive ranks, wherever they are.
func TestGPUsOverrideTheNetwork(t *testing.T) {
	m := collective.NewMachine([]int32{3, 2, 1, 0}, nil, nil)
	m.Seat(func(host int32) (node, seat int32) { return host / 4, host % 4 }, collective.Rates{Within: 7, Between: 9})
	if p := PlacesOf(sized{collective.At(nil, m.World()).(collective.Placed)}, 2); p.Nodes() != 2 || p.Together(1, 2) || !p.Together(2, 3) {
		t.Errorf("%d nodes, want 2 of two ranks", p.Nodes())
	} else if p.rates != (collective.Rates{Within: 7, Between: 9}) {
		t.Errorf("rates %+v", p.rates)
	}
}

// sized is a communicator of four ranks.
type sized struct{ collective.Placed }

func (sized) Size() int { return 4 }
