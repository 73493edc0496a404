package predict

import (
	"context"
	"math"

	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/partition"
	"fabricast/internal/plan"
	"fabricast/topology"
)

// Scaling is what the cost model of docs/long-runs.md (what a window costs) says of a run that several
// processes of one worker share. It is an estimate, for a time at which all nodes send as much as the
// traffic says, or as much as their links take.
type Scaling struct {
	Window float64 `json:"window_ps"` // simulated time of a window of full packets
	// HopsInWindow is how many hops all packets take in a window.
	HopsInWindow float64         `json:"hops_in_window"`
	Steps        []ScalingOfSize `json:"steps"` // ascending
	// Pays is the largest number of processes of Steps that is worth having: each step up to there
	// makes the run faster by at least a fifth.
	Pays int `json:"pays"`

	length float64 // packets of a message
}

// ScalingOfSize is the scaling with one number of processes. Times are of the process that has most to
// do, for one window.
type ScalingOfSize struct {
	Processes int     `json:"processes"`
	Crossing  float64 `json:"crossing"` // part of the hops that lead from process to process
	Work      float64 `json:"work_ns"`
	Packets   float64 `json:"crossing_ns"` // what packets cost that cross
	Messages  float64 `json:"messages_ns"` // between processes
	SpeedUp   float64 `json:"speed_up"`    // over one process
}

// Terms of the cost model, in ns, as docs/long-runs.md gives them.
const (
	costOfHop       = 100
	costOfCrossing  = 420   // a packet with its credit, besides
	costOfRecord    = 450   // what comes with the first packet of a message
	costOfReduction = 5_600 // for each doubling of the processes, where they are too many to swap
	costOfMessage   = 8_000 // to one other process, and from it
	swapped         = 8     // processes up to which each sends one message to each other in any case
	worthwhile      = 1.2
)

// findScaling computes the scaling for 1, 2, 4 and so on up to so many processes.
func (p *Preview) findScaling(ctx context.Context, expected *demand, most int) error {
	window, err := fabric.WindowOf(p.plan.Fabric)
	if err != nil {
		return err
	}
	s := &Scaling{Window: float64(window), Pays: 1, length: expected.length}
	s.HopsInWindow = hopsIn(p.plan, expected, s.Window)
	for n := 1; ctx.Err() == nil; n = min(2*n, most) {
		d := &Division{Balance: 1}
		if n > 1 {
			if d, err = divide(p.plan, expected, chosenOf(p.plan.Experiment), n); err != nil {
				return err
			}
		}
		s.add(s.with(n, d))
		if n == most {
			break
		}
	}
	p.Scaling = s
	return ctx.Err()
}

// add adds a step with more processes than those before.
func (s *Scaling) add(step ScalingOfSize) {
	if len(s.Steps) > 0 {
		before := s.Steps[len(s.Steps)-1]
		if s.Pays == before.Processes && step.SpeedUp >= worthwhile*before.SpeedUp {
			s.Pays = step.Processes
		}
	}
	s.Steps = append(s.Steps, step)
}

// with returns the scaling with so many processes, between which the network is divided.
func (s *Scaling) with(n int, d *Division) ScalingOfSize {
	hops := s.HopsInWindow / float64(n) / d.Balance
	x := ScalingOfSize{
		Processes: n, Crossing: d.Crossing, Work: hops * costOfHop,
		Packets: d.Crossing * hops * (costOfCrossing + costOfRecord/s.length),
	}
	switch {
	case n == 1:
	case n <= swapped:
		x.Messages = float64(n-1) * costOfMessage
	default:
		x.Messages = float64(d.Neighbours)*costOfMessage + 2*math.Ceil(math.Log2(float64(n)))*costOfReduction
	}
	x.SpeedUp = s.HopsInWindow * costOfHop / max(1, x.Work+x.Packets+x.Messages)
	return x
}

// chosenOf returns the kind of partition that an experiment has.
func chosenOf(e *experiment.Resolved) string {
	switch {
	case e.Partition.File != "":
		return byFile
	case e.Partition.By == "":
		return experiment.PartitionLinear
	case partition.Method(e.Partition.By).Missing() != nil:
		return experiment.PartitionGraph
	}
	return e.Partition.By
}

// hopsIn returns how many hops packets take in so much time (ps), while all nodes send.
func hopsIn(p *plan.Plan, d *demand, time float64) float64 {
	load := 1.0
	if t := p.Experiment; t.HasTraffic() && t.Traffic.Load > 0 {
		load = t.Traffic.Load.Float()
	}
	g, packet := p.Fabric.Graph, &p.Fabric.Packet
	// ps on a link of the mean bandwidth
	each := float64(packet.Wire(packet.Payload())) / p.Fabric.MeanHostBandwidth() * 1e12
	hops := load * float64(len(g.NICPort)) * time / each * d.distance(g)
	if d.of == OfRandom { // a sample that is too small to know the busiest link
		return hops
	}
	return min(hops, time/each*d.evenness(&p.Fabric))
}

// evenness returns how many packets all outputs together send in the time in which a host link of the
// mean bandwidth sends one, if the busiest output sends without pause.
func (d *demand) evenness(spec *fabric.Spec) float64 {
	hops, busiest := 0.0, math.SmallestNonzeroFloat64
	for port, packets := range d.ports {
		hops += packets
		busiest = max(busiest, packets/float64(spec.Links[spec.Graph.Ports[port].Link].Bandwidth))
	}
	return hops / busiest / spec.MeanHostBandwidth()
}

// distance returns how many hops a packet takes on average.
func (d *demand) distance(g *topology.Graph) float64 {
	hops, delivered := 0.0, 0.0
	for port, packets := range d.ports {
		hops += packets
		if g.Ports[port].NIC != topology.Unconnected {
			delivered += packets
		}
	}
	if delivered == 0 {
		return 0
	}
	return hops / delivered
}
