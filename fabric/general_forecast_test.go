package fabric

import (
	"testing"
	"unsafe"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/stage"
	"fabricast/fabric/internal/switched"
	"fabricast/fabric/model"

	"fabricast/routing"
	"fabricast/topology"
)

func bytesOf[T any](a core.Array[T]) int64 {
	var t T
	return int64(a.N) * int64(unsafe.Sizeof(t))
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
	f := func(r model.Router, adaptive routing.Adaptive) {
		t.Helper()
		r.VCs, r.Buffer, r.Bandwidth = 3, 100, 1e9
		links := []model.Link{{Bandwidth: 1e9, Latency: 1000}, {Bandwidth: 1e9, Latency: 1000}, {Bandwidth: 1e9, Latency: 1000}, {Bandwidth: 1e9, Latency: 1000}}
		spec := model.Spec{
			Graph:    full.Graph(),
			Adaptive: adaptive,
			Links:    links,
			Router:   r,
			Packet:   model.Packet{MTU: 100, Flit: 10},
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
		want := bytesOf(s.Routers) + bytesOf(s.InputVCs) + bytesOf(s.OutputVCs) + bytesOf(s.Buffers) +
			bytesOf(s.Ports) + bytesOf(s.Links) + bytesOf(s.Maps) + bytesOf(s.Due) + bytesOf(s.Queues) +
			bytesOf(s.Granted) + bytesOf(n.blocks[0].general.Adapt.Choices)
		var got int64
		for i := range spec.Graph.Routers {
			got += switched.ForecastRouter(&spec, int64(spec.Graph.PortBase[i+1]-spec.Graph.PortBase[i]))
		}
		got += switched.ForecastDue(&spec) + int64(len(spec.Graph.NICPort)*r.VCs)*core.SizeOf[stage.OutputVC]()
		got -= int64(spec.Graph.Routers) * core.SizeOf[core.Router]()
		if got < want || got > want+want/10 {
			t.Errorf("%+v: forecast %d bytes, laid out %d", r, got, want)
		}
	}
	f(model.Router{Arbiter: model.Age}, nil)
	f(model.Router{Arbiter: model.Matrix}, nil)
	f(model.Router{Queues: model.VirtualOutputQueues}, nil)
	f(model.Router{OutputBuffer: 200}, nil)
	f(model.Router{}, minimal)
}

// nowhere is routing that is never asked.
type nowhere struct{}

func (nowhere) Name() string                                { return "nowhere" }
func (nowhere) Start(_, _ int32) (uint64, uint8)            { return 0, 0 }
func (nowhere) Next(int32, uint64) (uint16, uint16, uint64) { return 0, 0, 0 }
