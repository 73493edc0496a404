package fabric_test

import (
	"testing"

	"fabricast/fabric"
	"fabricast/routing"
	"fabricast/topology"
)

// kiloNode is a network of 1024 nodes with packets of 1 KiB and buffers of 4 KiB,
// under scattered traffic as heavy as it takes.
func kiloNode(b *testing.B, network topology.Spec, adaptive bool, change func(*fabric.Router)) {
	const ns = 1000
	t, err := network.Build(1)
	if err != nil {
		b.Fatal(err)
	}
	spec := fabric.Spec{
		Graph: t.Graph(), Links: make([]fabric.Link, 8), Seed: 1,
		Router: fabric.Router{
			Routing: 2 * ns, VCAllocation: 2 * ns, SwitchAllocation: 2 * ns, Latency: 140 * ns,
			Bandwidth: 8e9, VCs: 4, Buffer: 4096,
		},
		Packet: fabric.Packet{MTU: 1024, Flit: 16}, DMA: 16e9,
	}
	for i := range spec.Links {
		spec.Links[i] = fabric.Link{Bandwidth: 8e9, Latency: 100 * ns}
	}
	var algorithm routing.Algorithm
	if adaptive {
		algorithm, err = routing.NewMinimalAdaptive(t, spec.Router.VCs)
	} else {
		algorithm, err = routing.NewMinimal(t, "minimal", spec.Router.VCs, routing.ChoiceFlow)
	}
	if err != nil {
		b.Fatal(err)
	}
	spec.Adaptive, _ = algorithm.(routing.Adaptive)
	spec.Routing, _ = algorithm.(routing.Function)
	change(&spec.Router)
	benchmarkShifts(b, spec, 64*1024, 12, 1, scattered)
}

var (
	kiloTorus  = topology.TorusSpec{Dims: []int{8, 8, 16}, Hosts: 1}
	kiloHyperX = topology.HyperXSpec{Dims: []int{8, 8}, Hosts: 16}
)

func plainRouter(*fabric.Router) {}

func voqRouter(r *fabric.Router) { r.Queues = fabric.VirtualOutputQueues }

func bufferedRouter(r *fabric.Router) { r.OutputBuffer, r.Bandwidth = 4096, 16e9 }

func BenchmarkTorusFast(b *testing.B) { kiloNode(b, kiloTorus, false, plainRouter) }

func BenchmarkTorusMatrix(b *testing.B) {
	kiloNode(b, kiloTorus, false, func(r *fabric.Router) { r.Arbiter = fabric.Matrix })
}

func BenchmarkTorusVOQ(b *testing.B) { kiloNode(b, kiloTorus, false, voqRouter) }

func BenchmarkTorusSpeedUp(b *testing.B) { kiloNode(b, kiloTorus, false, bufferedRouter) }

func BenchmarkTorusAdaptive(b *testing.B) { kiloNode(b, kiloTorus, true, plainRouter) }

func BenchmarkTorusEverything(b *testing.B) {
	kiloNode(b, kiloTorus, true, func(r *fabric.Router) { voqRouter(r); bufferedRouter(r) })
}

func BenchmarkHyperXFast(b *testing.B) { kiloNode(b, kiloHyperX, false, plainRouter) }

func BenchmarkHyperXVOQ(b *testing.B) { kiloNode(b, kiloHyperX, false, voqRouter) }

func BenchmarkHyperXSpeedUp(b *testing.B) { kiloNode(b, kiloHyperX, false, bufferedRouter) }

func BenchmarkHyperXAdaptive(b *testing.B) { kiloNode(b, kiloHyperX, true, plainRouter) }
