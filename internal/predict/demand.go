package predict

import (
	"context"

	"fabricast/fabric"
	"fabricast/internal/plan"
	"fabricast/internal/random"
	"fabricast/node"
	"fabricast/routing"
	"fabricast/topology"
	"fabricast/traffic"
)

// demand is the expected traffic of a network: the load of each output of each router.
type demand struct {
	of    string    // OfTraffic, OfProgram or OfRandom
	ports []float64 // by global port number, in any unit
	// mean number of packets of a message, if known
	length float64
}

// Values of Division.Traffic.
const (
	OfTraffic = "traffic"      // the experiment's synthetic traffic
	OfProgram = "program"      // packets of one iteration of the experiment's program
	OfRandom  = "random pairs" // packets between random pairs of nodes, since no more is known
)

// Limits on the work to find a demand, so that it takes some tenths of a second.
const (
	demandSteps = 1 << 22 // steps of routing.MeanLoads
	demandHops  = 1 << 20 // hops of packets whose routes are followed
	demandPairs = 2000    // random pairs of hosts
	demandDraws = 16      // messages for each source of traffic
	demandPosts = 1 << 21 // messages of a program
)

// demandOf finds the load that the experiment's packets put on the network. It takes packets
// between random pairs of nodes if the experiment's packets are unknown before a run.
func demandOf(ctx context.Context, p *plan.Plan) (*demand, error) {
	e := p.Experiment
	d := &demander{walker: walker{spec: p.Fabric}, ports: make([]float64, len(p.Fabric.Graph.Ports))}
	known, of := false, OfRandom
	switch {
	case e.HasTraffic():
		load, err := p.TrafficLoad()
		if err != nil {
			return nil, err
		}
		known, of = d.traffic(ctx, p, &load), OfTraffic
	case !e.OwnProgram() && !e.HasJobs() && !e.Network.Abstract():
		known, of = d.program(ctx, p), OfProgram
	}
	if !known && d.err == nil {
		clear(d.ports)
		of = OfRandom
		d.random()
	}
	return &demand{of, d.ports, max(1, d.packets/max(1, d.messages))}, d.err
}

// demander adds up the load of packets on the outputs of routers.
type demander struct {
	walker
	ports []float64
	hops  int
	err   error

	messages, packets float64 // numbers of messages and packets of a program
}

// follow adds the given number of packets from host to host. attempt seeds random choices of the
// route.
func (d *demander) follow(from, to int, packets float64, attempt uint64) {
	if d.err != nil || from == to {
		return
	}
	g := d.spec.Graph
	_, d.err = d.walk(from, to, attempt, func(router int32, c routing.Candidate) {
		d.ports[g.PortBase[router]+int32(c.Port)] += packets
		d.hops++
	})
}

// traffic adds up synthetic traffic: exactly if that is cheap and routes do not depend on queues,
// and otherwise for a sample of messages from each source.
func (d *demander) traffic(ctx context.Context, p *plan.Plan, load *traffic.Load) bool {
	g := p.Fabric.Graph
	stop := func() bool { return ctx.Err() != nil }
	if loads, ok := meanLoads(p, load, routing.Effort{Steps: demandSteps, Stop: stop}); ok {
		d.ports = loads
		return true
	}
	attempt, weight := uint64(escapeAttempt), weightsOf(p, load)
	err := load.Samples(g.Hosts, demandDraws, p.Fabric.Packet, func(src, dst int32, share float64) bool {
		attempt++
		d.follow(int(src), int(dst), share*weight(src*int32(g.NICsPerHost)), attempt)
		return d.err == nil && d.hops < demandHops && !stop()
	})
	return err == nil && d.err == nil
}

// meanLoads returns the expected load of each output of routers. known is false if it is unknown or
// takes too long to compute.
func meanLoads(p *plan.Plan, load *traffic.Load, effort routing.Effort) (loads []float64, known bool) {
	g := p.Fabric.Graph
	flows, err := load.Flows(g, p.Fabric.Packet)
	if err != nil || float64(load.Pattern.Fan())*float64(len(g.NICPort)) > capacityPairs {
		return nil, false
	}
	if len(g.HostClasses()) > 1 {
		flows = weighted(flows, weightsOf(p, load))
	}
	var algorithm routing.Algorithm = p.Fabric.Routing
	if p.Fabric.Adaptive != nil {
		algorithm = p.Fabric.Adaptive
	}
	if r, ok := algorithm.(routing.Renewed); ok {
		algorithm = r.Base() // before anything fails
	}
	return routing.MeanLoads(g, algorithm, flows, effort)
}

// weightsOf returns a function for the sending rate of a NIC relative to the mean of all NICs. In
// an open loop, the rate is proportional to the bandwidth of the NIC's link, as a load is a share
// of it. In a closed loop all rates are equal.
func weightsOf(p *plan.Plan, load *traffic.Load) func(nic int32) float64 {
	if load.Window > 0 || len(p.Fabric.Graph.HostClasses()) == 1 {
		return func(int32) float64 { return 1 }
	}
	mean := p.Fabric.MeanHostBandwidth()
	return func(nic int32) float64 { return float64(p.Fabric.HostLink(nic).Bandwidth) / mean }
}

// weighted multiplies flows by the weights of their sources.
func weighted(flows routing.Flows, weight func(nic int32) float64) routing.Flows {
	return func(visit func(some []routing.Flow) bool) {
		flows(func(some []routing.Flow) bool {
			for i := range some {
				some[i].Share *= weight(some[i].Src)
			}
			return visit(some)
		})
	}
}

// program adds up the messages that ranks of a built-in program post in its first iteration: those
// of all hosts or, if that exceeds the limits, of hosts drawn at random.
func (d *demander) program(ctx context.Context, p *plan.Plan) bool {
	surveyor, err := surveyorOf(p)
	if err != nil {
		return false
	}
	defer surveyor.Close()
	posts, size := uint64(0), &p.Fabric.Packet
	each := uint64(1) // one of each `each` messages is followed
	visit := func(t node.Transfer) bool {
		posts++
		if t.From != t.To && random.Below(0, posts, each) == 0 {
			packets := float64(size.Count(int64(t.Size)))
			d.follow(t.From, t.To, packets, posts+escapeAttempt+1)
			d.messages++
			d.packets += packets
		}
		return d.err == nil && posts < 2*demandPosts && ctx.Err() == nil
	}
	for more := true; more && d.err == nil && posts < demandPosts && d.hops < demandHops; {
		if _, more, err = surveyor.Next(visit); err != nil {
			return false
		}
		if each == 1 && posts > 0 { // the first host indicates how many messages there may be
			hops := uint64(d.hops) * min(uint64(p.Fabric.Graph.Hosts), demandPosts/posts)
			each = max(1, hops/(demandHops/2))
		}
	}
	return d.err == nil && d.hops > 0
}

// surveyorOf returns a surveyor of the first iteration of a built-in program.
func surveyorOf(p *plan.Plan) (*node.Surveyor, error) {
	world, err := p.SurveyWorld()
	if err != nil {
		return nil, err
	}
	s, _, err := p.Surveyor(world, nil, 1)
	return s, err
}

// random adds up packets between hosts drawn at random.
func (d *demander) random() {
	hosts := uint64(d.spec.Graph.Hosts)
	for i := range uint64(demandPairs) {
		from, to := random.Below(0, 2*i, hosts), random.Below(0, 2*i+1, hosts)
		d.follow(int(from), int(to), 1, i+escapeAttempt+1)
	}
}

// weights returns the load of each output; nil for a demand of random pairs, whose sample is too
// small to be used for single outputs.
func (d *demand) weights() []float64 {
	if d.of == OfRandom {
		return nil
	}
	return d.ports
}

// crossing returns the share of hops between routers that lead from one partition block to another.
func (d *demand) crossing(spec *fabric.Spec, list []int32) float64 {
	g, hops, crossed := spec.Graph, 0.0, 0.0
	for port, packets := range d.ports {
		next := g.PeerRouter(port)
		if next == int(topology.Unconnected) {
			continue
		}
		hops += packets
		if list[g.Ports[port].Router] != list[next] {
			crossed += packets
		}
	}
	if hops == 0 {
		return 0
	}
	return crossed / hops
}
