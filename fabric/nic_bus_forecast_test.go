package fabric

import (
	"testing"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/model"

	"fabricast/topology"
)

// TestForecastOfBuses holds the forecast of buses to what a network lays out.
func TestForecastOfBuses(t *testing.T) {
	full, err := topology.FullSpec{Routers: 6, Hosts: 3}.Build(2)
	if err != nil {
		t.Fatal(err)
	}
	spec := model.Spec{
		Graph: full.Graph(), Routing: nowhere{}, Links: []model.Link{{Bandwidth: 1e9, Latency: 1000}, {Bandwidth: 1e9, Latency: 1000}, {Bandwidth: 1e9, Latency: 1000}, {Bandwidth: 1e9, Latency: 1000}},
		Router: model.Router{VCs: 3, Buffer: 400, Bandwidth: 1e9}, Packet: model.Packet{MTU: 100, Flit: 10}, DMA: 1e9,
	}
	timers := func(s model.Spec) (bytes int64, n *Network) {
		n, err := New(s, 1)
		if err != nil {
			t.Fatal(err)
		}
		return bytesOf(n.state.Timers), n
	}
	without, plain := timers(spec)
	defer plain.Close()
	before := Forecast(spec)
	spec.IOBus.Bandwidth = 1e9
	with, n := timers(spec)
	defer n.Close()
	packets := int64(len(spec.Graph.NICPort) * 3 * 4)
	want := with - without + bytesOf(n.nics.Buses.Buses) + bytesOf(n.nics.Buses.Docks) + packets*core.SizeOf[nic.Arrival]()
	if got := Forecast(spec) - before; got != want {
		t.Errorf("forecast %d bytes for the buses, laid out %d", got, want)
	}
	if plain.nics.Buses != nil {
		t.Error("buses are laid out where there are none")
	}
}
