package run

import (
	"math"
	"strconv"

	"fabricast/experiment"
	"fabricast/internal/cluster"
	"fabricast/internal/failure"
	"fabricast/internal/plan"
	"fabricast/internal/random"
	"fabricast/internal/units"
	"fabricast/node"
	"fabricast/routing"
)

// newWorld creates the ranks of a program. control carries control messages between processes; it
// is nil if there is only one process.
func newWorld(
	one *program, launch node.Launcher, o *settings, control *cluster.Control,
) (*node.World, error) {
	p, e := one.Plan, one.Experiment
	spec := node.Spec{
		Hosts:         p.Fabric.Graph.Hosts,
		NICsPerHost:   e.Node.NICs,
		Overhead:      units.Time(overhead(p)),
		Setup:         int64(e.Node.Protocol.Setup),
		SetupAbove:    int64(e.Node.Protocol.LeastSetup()),
		Memory:        e.Node.Memory,
		Combine:       e.Node.Work.Combine,
		Pack:          e.Node.Work.Copy,
		OneCopy:       e.Node.Copies == experiment.CopiesOne,
		ChooseNIC:     chooseNIC(p),
		Overtaking:    e.SeveralNICs() || p.Overtaking(),
		Unordered:     !e.Network.Credits() || o.relieved != nil,
		Replies:       e.Answered(),
		Rendezvous:    plan.Rendezvous(e),
		EagerUpTo:     e.Node.Protocol.Eager,
		UntilFetched:  e.Node.Protocol.Complete == experiment.CompleteFetched,
		Notice:        e.Node.Protocol.Notice,
		Peers:         e.Node.Protocol.Peers,
		EagerToOthers: e.Node.Protocol.Others,
		Processor:     processor(p),
		Intra: node.Intra{
			Latency:   e.Node.Intra.Latency,
			Bandwidth: e.Node.Intra.Bandwidth,
		},
		Classes: sizeClasses(e, one.class()),
		HostOf:  p.Hosts,
		Begin:   one.begins,
		Stops:   p.Stops(),
		Slow:    slow(p),
		Noise:   noiseOfRanks(p),
		Machine: p.Machine(),
	}
	if one.pacer != nil {
		spec.Collectives = one.pacer
	}
	if o.out != "" { // for the tables of the result folder
		spec.Serialization, spec.Distance = serializationOf(p), distancesOf(p)
	}
	w, err := node.NewWorld(spec, launch)
	if err != nil {
		return nil, &failure.InternalError{Err: err}
	}
	w.Across(o.group, control, e.Common, o.saves())
	return w, nil
}

// chooseNIC returns a function that selects the source host's NIC for messages between two hosts.
// It returns nil if each rank uses the NICs in turn.
func chooseNIC(p *plan.Plan) func(src, dst int32) int32 {
	e := p.Experiment
	nics := int32(e.Node.NICs)
	if nics == 1 || e.Node.NICChoice == experiment.NICRoundRobin {
		return nil
	}
	var ports *routing.FirstPorts
	if e.Node.NICChoice == experiment.NICPort && p.Fabric.Routing != nil {
		ports = routing.NewFirstPorts(p.Fabric.Graph, p.Fabric.Routing)
	}
	return func(src, dst int32) int32 {
		if port := ports.Of(src, dst); port >= 0 {
			return int32(port) % nics
		}
		return dst % nics
	}
}

// sizeClasses converts the experiment's classes by message size to those of package node. Messages
// of other sizes are of the job's class.
func sizeClasses(e *experiment.Resolved, job int) []node.SizeClass {
	var list []node.SizeClass
	for _, c := range e.Classes {
		list = append(list, node.SizeClass{To: c.To, Class: uint8(c.Class)})
	}
	if job > 0 {
		list = append(list, node.SizeClass{To: math.MaxInt64, Class: uint8(job)})
	}
	return list
}

// noiseOfRanks converts the experiment's noise to that of package node.
func noiseOfRanks(p *plan.Plan) node.Noise {
	e := p.Experiment
	n := e.Noise
	if p.Losses != nil {
		n.Every = p.Losses.Span()
	}
	return node.Noise{
		Recorded: p.Losses,
		Every:    n.Every, Lose: n.Lose,
		Exponential: n.Distribution == experiment.NoiseExponential,
		Aligned:     n.Phase == experiment.PhaseAligned,
		Seed:        random.Scramble(e.Seed),
	}
}

// synchronous reports whether senders learn at once that their messages have matched a receive.
func synchronous(p *plan.Plan) bool {
	s := p.Experiment.Network.Parameters.S
	return p.Experiment.Network.LogGOPS() && s != nil && *s < largestMessage
}

// largestMessage is an upper bound on the size of any message.
const largestMessage units.Bytes = 1 << 40

// processor describes how the CPUs of ranks take part in communication; nil if as in packet-level
// networks.
func processor(p *plan.Plan) *node.Processor {
	n := &p.Experiment.Network
	if !n.LogGOPS() {
		return nil
	}
	made := &node.Processor{
		PerByte: *n.Parameters.OverheadPerByte, Gap: *n.Parameters.Gap, NICPerByte: *n.Parameters.GapPerByte,
		Synchronous: synchronous(p),
	}
	if made.Synchronous {
		made.EagerUpTo = *n.Parameters.S
	}
	return made
}

// overhead returns the CPU time of each send and each receive.
func overhead(p *plan.Plan) int64 {
	if o := p.Experiment.Network.Parameters.Overhead; o != nil && p.Experiment.Network.Routerless() {
		return int64(*o)
	}
	return int64(p.Experiment.Node.Overhead)
}

// slow returns the factors of the computation of ranks, by rank; nil if there are none.
func slow(p *plan.Plan) []float64 {
	given := p.Experiment.Compute.Ranks
	if len(given) == 0 {
		return nil
	}
	list := make([]float64, len(p.Hosts))
	for rank := range list {
		list[rank] = 1
		if factor, ok := given[strconv.Itoa(rank)]; ok {
			list[rank] = float64(factor)
		}
	}
	return list
}
