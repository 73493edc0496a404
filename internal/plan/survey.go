package plan

import (
	"fabricast/experiment"
	"fabricast/internal/failure"
	"fabricast/mpi"
	"fabricast/node"
	"fabricast/workload"
)

// rendezvous maps the experiment's words for rendezvous protocols to those of package node.
var rendezvous = map[string]node.Protocol{
	"": node.ByExperiment, experiment.RendezvousWrite: node.RendezvousWrite,
	experiment.RendezvousRead: node.RendezvousRead,
}

// Rendezvous returns the protocol for messages that exceed the eager limit.
func Rendezvous(e *experiment.Resolved) node.Protocol { return rendezvous[e.Node.Protocol.Rendezvous] }

// SurveyWorld creates ranks that are only surveyed: they send the same messages as in a run, but at
// no particular time.
func (p *Plan) SurveyWorld() (*node.World, error) {
	e := p.Experiment
	program, err := p.Program(nil)
	if err != nil {
		return nil, err
	}
	return node.NewWorld(node.Spec{
		Hosts: p.Fabric.Graph.Hosts, NICsPerHost: e.Node.NICs, Memory: e.Node.Memory, HostOf: p.Hosts,
		Rendezvous: Rendezvous(e), EagerUpTo: e.Node.Protocol.Eager, Replies: e.Answered(),
		Setup: int64(e.Node.Protocol.Setup), SetupAbove: int64(e.Node.Protocol.LeastSetup()),
	}, program)
}

// Surveyor creates a surveyor that lists what the ranks of a built-in program send in their first n
// iterations, or in their first n messages. times is the length of the whole program divided by the
// length of this part. gaps paces the messages; it may be nil.
func (p *Plan) Surveyor(
	world *node.World, gaps *mpi.Pacing, n int,
) (s *node.Surveyor, times float64, err error) {
	e := p.Experiment
	program := workload.Find(e.Workload.Program)
	params := e.Workload.Params(e.Seed)
	params.Pacing = gaps
	params, problems := program.Resolve(params, e.Ranks)
	if len(problems) > 0 {
		return nil, 0, &failure.InternalError{Err: problems[0]}
	}
	params, times = program.Shorter(params, n)
	loop, err := workload.Build(program.Name, params, e.Ranks)
	if err != nil {
		return nil, 0, err
	}
	s, err = world.Surveyor(loop.Programs())
	return s, times, err
}

// Limits of the survey for a memory forecast, chosen to take a few milliseconds.
const (
	postedRanks    = 256
	postedMessages = 1 << 14
)

// posted returns how many messages, bytes and partners a rank of a built-in program has in flight
// on average. It assumes few messages if the program is not built in or cannot be surveyed.
func (p *Plan) posted() (messages, bytes, partners float64) {
	few := func() (float64, float64, float64) {
		size := float64(p.Fabric.Packet.Payload())
		return fewOpen, fewOpen * size, fewPartners
	}
	if p.Experiment.OwnProgram() || p.Experiment.Workload.Program == "" {
		return few()
	}
	world, err := p.SurveyWorld()
	if err != nil {
		return few()
	}
	// survey as many messages of each rank as it can have in flight
	surveyor, _, err := p.Surveyor(world, nil, max(1, p.Experiment.Workload.Window))
	if err != nil {
		return few()
	}
	defer surveyor.Close()
	seen, ranks := 0, 0
	visit := func(node.Transfer) bool { seen++; return true }
	for more := true; more && seen < postedMessages && ranks < postedRanks; {
		var n int
		if n, more, err = surveyor.Next(visit); err != nil {
			return few()
		}
		ranks += n
	}
	posts := surveyor.Posts()
	each := func(sum int64) float64 { return float64(sum) / float64(max(1, posts.Ranks)) }
	return each(int64(posts.Messages)), each(int64(posts.Bytes)), each(int64(posts.Partners))
}
