package fabric

import (
	"testing"

	"fabricast/topology"
)

// TestForecastOfBuses holds the forecast of buses to what a network lays out.
func TestForecastOfBuses(t *testing.T) {
	full, err := topology.FullSpec{Routers: 6, Hosts: 3}.Build(2)
	if err != nil {
		t.Fatal(err)
	}
	spec := Spec{
		Graph: full.Graph(), Routing: nowhere{}, Links: []Link{{1e9, 1000}, {1e9, 1000}, {1e9, 1000}, {1e9, 1000}},
		Router: Router{VCs: 3, Buffer: 400, Bandwidth: 1e9}, Packet: Packet{MTU: 100, Flit: 10}, DMA: 1e9,
	}
	timers := func(s Spec) (bytes int64, n *Network) {
		n, err := New(s, 1)
		if err != nil {
			t.Fatal(err)
		}
		return bytesOf(n.state.timers), n
	}
	without, plain := timers(spec)
	defer plain.Close()
	before := Forecast(spec)
	spec.IOBus.Bandwidth = 1e9
	with, n := timers(spec)
	defer n.Close()
	packets := int64(len(spec.Graph.NICPort) * 3 * 4)
	want := with - without + bytesOf(n.nics.buses.buses) + bytesOf(n.nics.buses.nics) + packets*sizeOf[arrival]()
	if got := Forecast(spec) - before; got != want {
		t.Errorf("forecast %d bytes for the buses, laid out %d", got, want)
	}
	if plain.nics.buses != nil {
		t.Error("buses are laid out where there are none")
	}
}
