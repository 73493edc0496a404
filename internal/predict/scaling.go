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

// Scaling estimates the speedup if several processes, each with one worker, share the run. It
// applies the cost model of docs/long-runs.md (what a window costs) to a phase in which all nodes
// send at the offered load of the traffic, or as fast as their links permit.
type Scaling struct {
	Window float64 `json:"window_ps"` // simulated time (ps) of a window of full packets
	// HopsInWindow is the total number of hops of all packets in a window.
	HopsInWindow float64         `json:"hops_in_window"`
	Steps        []ScalingOfSize `json:"steps"` // by ascending number of processes
	// Pays is the largest number of processes in Steps that is worthwhile: each step up to it makes
	// the run at least a fifth faster.
	Pays int `json:"pays"`

	length float64 // mean number of packets of a message
}

// ScalingOfSize is the estimate for one number of processes. Times are those of the busiest process
// in one window.
type ScalingOfSize struct {
	Processes int     `json:"processes"`
	Crossing  float64 `json:"crossing"` // share of hops that lead from one process to another
	Work      float64 `json:"work_ns"`
	Packets   float64 `json:"crossing_ns"` // cost of packets sent to other processes
	Messages  float64 `json:"messages_ns"` // cost of messages between processes
	SpeedUp   float64 `json:"speed_up"`    // relative to one process
}

// Terms of the cost model, in ns, from docs/long-runs.md.
const (
	costOfHop       = 100
	costOfCrossing  = 420   // additional cost of a packet that crosses, and of its credit
	costOfRecord    = 450   // cost of the record sent with the first packet of a message
	costOfReduction = 5_600 // for each doubling of the number of processes, if it exceeds swapped
	costOfMessage   = 8_000 // for each pair of messages exchanged with another process
	swapped         = 8     // with at most so many processes, all exchange messages with all
	worthwhile      = 1.2
)

// findScaling computes the estimate for 1, 2, 4 and so on, up to the given number of processes.
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

// add adds a step with more processes than the previous ones.
func (s *Scaling) add(step ScalingOfSize) {
	if len(s.Steps) > 0 {
		before := s.Steps[len(s.Steps)-1]
		if s.Pays == before.Processes && step.SpeedUp >= worthwhile*before.SpeedUp {
			s.Pays = step.Processes
		}
	}
	s.Steps = append(s.Steps, step)
}

// with returns the estimate for n processes that share the network as in d.
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

// chosenOf returns the kind of partition that an experiment uses.
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

// hopsIn returns the number of hops that packets take in the given time (ps) while all nodes send.
func hopsIn(p *plan.Plan, d *demand, time float64) float64 {
	load := 1.0
	if t := p.Experiment; t.HasTraffic() && t.Traffic.Load > 0 {
		load = t.Traffic.Load.Float()
	}
	g, packet := p.Fabric.Graph, &p.Fabric.Packet
	// time (ps) of a full packet on a link of the mean bandwidth
	each := float64(packet.Wire(packet.Payload())) / p.Fabric.MeanHostBandwidth() * 1e12
	hops := load * float64(len(g.NICPort)) * time / each * d.distance(g)
	if d.of == OfRandom { // the sample is too small to find the busiest link
		return hops
	}
	return min(hops, time/each*d.evenness(&p.Fabric))
}

// evenness measures how evenly the load is spread over outputs. It is the number of packets that
// all outputs together send in the time in which a host link of mean bandwidth sends one, if the
// busiest output is saturated.
func (d *demand) evenness(spec *fabric.Spec) float64 {
	hops, busiest := 0.0, math.SmallestNonzeroFloat64
	for port, packets := range d.ports {
		hops += packets
		busiest = max(busiest, packets/float64(spec.Links[spec.Graph.Ports[port].Link].Bandwidth))
	}
	return hops / busiest / spec.MeanHostBandwidth()
}

// distance returns the mean number of hops of a packet.
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
