package fabric

import (
	"testing"
	"unsafe"

	"fabricast/routing"
	"fabricast/topology"
)

func bytesOf[T any](a array[T]) int64 {
	var t T
	return int64(a.n) * int64(unsafe.Sizeof(t))
}

// TestForecastOfGeneralRouters holds the forecast of all that is not a packet to
// what a network lays out.
func TestForecastOfGeneralRouters(t *testing.T) {
	full, err := topology.FullSpec{Routers: 6, Hosts: 3}.Build(1)
	if err != nil {
		t.Fatal(err)
	}
	minimal, err := routing.NewMinimalAdaptive(full, 3)
	if err != nil {
		t.Fatal(err)
	}
	f := func(r Router, adaptive routing.Adaptive) {
		t.Helper()
		r.VCs, r.Buffer, r.Bandwidth = 3, 100, 1e9
		links := []Link{{1e9, 1000}, {1e9, 1000}, {1e9, 1000}, {1e9, 1000}}
		spec := Spec{
			Graph:    full.Graph(),
			Adaptive: adaptive,
			Links:    links,
			Router:   r,
			Packet:   Packet{MTU: 100, Flit: 10},
			DMA:      1e9,
		}
		if adaptive == nil {
			spec.Routing = nowhere{}
		}
		n, err := New(spec, 1)
		if err != nil {
			t.Fatal(err)
		}
		defer n.Close()
		s := n.general
		want := bytesOf(s.routers) + bytesOf(s.inlets) + bytesOf(s.outlets) + bytesOf(s.buffers) +
			bytesOf(s.ports) + bytesOf(s.links) + bytesOf(s.maps) + bytesOf(s.due) + bytesOf(s.queues) +
			bytesOf(s.granted) + bytesOf(n.blocks[0].general.adapt.choices)
		var got int64
		for i := range spec.Graph.Routers {
			got += forecastRouter(&spec, int64(spec.Graph.PortBase[i+1]-spec.Graph.PortBase[i]))
		}
		got += forecastDue(&spec) + int64(len(spec.Graph.NICPort)*r.VCs)*sizeOf[outlet]()
		got -= int64(spec.Graph.Routers) * sizeOf[routerState]()
		if got < want || got > want+want/10 {
			t.Errorf("%+v: forecast %d bytes, laid out %d", r, got, want)
		}
	}
	f(Router{Arbiter: Age}, nil)
	f(Router{Arbiter: Matrix}, nil)
	f(Router{Queues: VirtualOutputQueues}, nil)
	f(Router{OutputBuffer: 200}, nil)
	f(Router{}, minimal)
}

// nowhere is routing that is never asked.
type nowhere struct{}

func (nowhere) Name() string                                { return "nowhere" }
func (nowhere) Start(_, _ int32) (uint64, uint8)            { return 0, 0 }
func (nowhere) Next(int32, uint64) (uint16, uint16, uint64) { return 0, 0, 0 }
