package fabric_test

import (
	"testing"

	"fabricast/fabric"
	"fabricast/internal/oracle/experiments"
)

// kiloNode is a network of 1024 nodes, an 8x8x16 torus with packets of 1 KiB and
// buffers of 4 KiB, under scattered traffic as heavy as it takes.
func kiloNode(b *testing.B, change func(*experiments.Experiment)) {
	const ns = 1000
	link := fabric.Link{Bandwidth: 8e9, Latency: 100 * ns}
	e := &experiments.Experiment{
		Dims: []int{8, 8, 16}, NICs: 1, Link: link, HostLink: link,
		Router: fabric.Router{
			Routing: 2 * ns, VCAllocation: 2 * ns, SwitchAllocation: 2 * ns, Latency: 140 * ns,
			Bandwidth: 8e9, VCs: 4, Buffer: 4096, Arbiter: fabric.FCFS,
		},
		Packet: fabric.Packet{MTU: 1024, Flit: 16}, DMA: 16e9,
	}
	change(e)
	spec, err := e.Spec()
	if err != nil {
		b.Fatal(err)
	}
	benchmarkShifts(b, spec, 64*1024, 12, 1, scattered)
}

func BenchmarkKiloNodeFast(b *testing.B) { kiloNode(b, func(*experiments.Experiment) {}) }

func BenchmarkKiloNodeMatrix(b *testing.B) {
	kiloNode(b, func(e *experiments.Experiment) { e.Router.Arbiter = fabric.Matrix })
}

func BenchmarkKiloNodeVOQ(b *testing.B) {
	kiloNode(b, func(e *experiments.Experiment) { e.Router.Queues = fabric.VirtualOutputQueues })
}

func BenchmarkKiloNodeSpeedUp(b *testing.B) {
	kiloNode(b, func(e *experiments.Experiment) { e.Router.OutputBuffer, e.Router.Bandwidth = 4096, 16e9 })
}

func BenchmarkKiloNodeAdaptive(b *testing.B) {
	kiloNode(b, func(e *experiments.Experiment) { e.Route = experiments.Adaptive })
}

func BenchmarkKiloNodeEverything(b *testing.B) {
	kiloNode(b, func(e *experiments.Experiment) {
		e.Route, e.Router.Queues = experiments.Adaptive, fabric.VirtualOutputQueues
		e.Router.OutputBuffer, e.Router.Bandwidth = 4096, 16e9
	})
}
