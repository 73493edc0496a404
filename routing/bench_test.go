package routing_test

import (
	"testing"

	"fabricast/routing"
	"fabricast/routing/deadlock"
	"fabricast/topology"
)

// BenchmarkCheck measures the check for deadlock on networks of 4,096 hosts.
func BenchmarkCheck(b *testing.B) {
	torus := topology.TorusSpec{Dims: []int{16, 16, 16}, Hosts: 1}
	for _, c := range []combination{
		{"dor/torus", torus, dor(routing.TieSplit), 2, 0},
		{"valiant/torus", torus, valiant, 4, 0},
		{"adaptive/torus", torus, adaptive, 3, 0},
		{"shortest/torus", torus, shortest(routing.ClassesHop), 24, 0},
		{"dor/hyperx", topology.HyperXSpec{Dims: []int{16, 16}, Hosts: 16}, minimal(routing.ChoiceFlow), 2, 0},
		{"ugal/dragonfly", topology.DragonflySpec{P: 4, A: 8, H: 4}, ugalL, 3, 0},
		{"nca/tree", topology.XGFTSpec{M: []int{16, 16, 16}, W: []int{1, 16, 16}}, nca(routing.UpDestination), 2, 0},
	} {
		b.Run(c.name, func(b *testing.B) {
			net, algorithm := c.build(b, c.least)
			for b.Loop() {
				report, err := deadlock.Check(net.Graph(), algorithm, deadlock.Options{VCs: c.least})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(report.Steps), "steps")
				b.ReportMetric(float64(report.Destinations), "destinations")
			}
		})
	}
}

// BenchmarkHop measures the choice of a hop.
func BenchmarkHop(b *testing.B) {
	for _, c := range combinations {
		b.Run(c.name, func(b *testing.B) {
			net, algorithm := c.build(b, c.least)
			w := &walker{t: b, name: c.name, graph: net.Graph(), algorithm: algorithm, vcs: c.least}
			h := w.start(0, int32(net.Graph().Hosts-1))
			list := make([]routing.Candidate, 0, 64)
			a, ok := algorithm.(routing.Adaptive)
			for b.Loop() {
				if ok {
					list = a.Candidates(0, h, quiet{}, list[:0])
				} else {
					algorithm.(routing.Function).Next(0, h)
				}
			}
		})
	}
}

// quiet is the view of a router in an idle network.
type quiet struct{}

func (quiet) Queue(_, _ uint16) int64       { return 0 }
func (quiet) Queues([]routing.Candidate)    {}
func (quiet) PortQueue(uint16) int64        { return 0 }
func (quiet) Published(int32, uint16) int64 { return 0 }
