package fabricast

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/node"
	"fabricast/routing"
)

// Run predicts what the experiment describes. The experiment itself is not changed.
//
// The context ends the run within a fraction of a second. See the package's
// documentation for the types of errors.
func (e *Experiment) Run(ctx context.Context, options ...Option) (*Result, error) {
	s := settings{}
	for _, o := range options {
		o(&s)
	}
	if s.workers <= 0 {
		s.workers = runtime.GOMAXPROCS(0)
	}
	s.workers = min(s.workers, max(mostBlocks, runtime.GOMAXPROCS(0)))
	resolved := *e
	if err := resolved.Resolve(); err != nil {
		return nil, err
	}
	return resolved.run(ctx, s)
}

// mostBlocks bounds the blocks of a network on machines with fewer processors, which have nothing to gain from more.
const mostBlocks = 32

func (e *Experiment) run(ctx context.Context, s settings) (*Result, error) {
	watch := startWatch()
	out, err := openRecord(s.out)
	if err != nil {
		return nil, err
	}
	defer out.Abort()
	plan, err := e.plan(ctx, s)
	if err != nil {
		return nil, err
	}
	s.folder = out
	if e.HasTraffic() {
		return e.runTraffic(ctx, s, plan, watch)
	}
	return e.runRanks(ctx, s, plan, watch)
}

// plan makes the network, if a run on it fits into memory, and tells what is to be known before the run.
func (e *Experiment) plan(ctx context.Context, s settings) (*plan, error) {
	p, err := setUp(ctx, e.Ranks, e.build, func(*plan) {})
	if err != nil {
		return nil, err
	}
	memory := e.forecast(p)
	if err := memory.check(); err != nil {
		return nil, err
	}
	if s.note == nil {
		return p, nil
	}
	if text := memory.warning(); text != "" {
		s.note(text)
	}
	for _, text := range p.notes() {
		s.note(text)
	}
	return p, nil
}

// runRanks runs a program.
func (e *Experiment) runRanks(ctx context.Context, s settings, plan *plan, watch stopwatch) (*Result, error) {
	var err error
	if plan.pacing, err = e.pace(plan); err != nil {
		return nil, err
	}
	plan.pacer = e.pacer(plan)
	balanced, err := e.balancedTime(ctx, s, plan)
	if err != nil {
		return nil, err
	}
	begins, imbalance := e.begins(plan, balanced)
	sim, err := e.simulate(ctx, s, plan, begins)
	if err != nil {
		return nil, err
	}
	defer sim.end()
	r := sim.result(e)
	r.Pacing = pacingResult(plan.pacing)
	r.Notes = plan.notes()
	r.pacingOfCollectives(plan.pacer)
	r.Imbalance = imbalance.end(r.SimulatedTime)
	r.Compute = e.measured()
	r.Host = watch.host()
	if err := sim.record(s.folder, e, r); err != nil || sim.interrupted == nil {
		return r, err
	}
	return nil, sim.interrupted
}

// simulate runs the ranks, which begin at the given times, to their end, or, if there is a folder,
// until they are interrupted. The caller ends the simulation.
func (e *Experiment) simulate(ctx context.Context, s settings, plan *plan, begins []int64) (*simulation, error) {
	program, err := e.program(plan.pacing)
	if err != nil {
		return nil, err
	}
	assembled := func() (*simulation, error) { return assemble(ctx, e, plan, program, begins, s) }
	sim, err := setUp(ctx, e.Ranks, assembled, (*simulation).close)
	if err != nil {
		return nil, err
	}
	if sim.recorder, err = e.newRecorder(s, plan, len(sim.blocks)); err != nil {
		sim.close()
		return nil, err
	}
	sim.recorder.attach(sim.network, sim.world)
	err = sim.drive(ctx, s)
	if errors.As(err, &sim.interrupted) && s.folder != nil && !sim.left {
		return sim, nil
	}
	if err != nil {
		sim.abandon(err)
		return nil, err
	}
	return sim, nil
}

// simulation is a run's machinery: the network in blocks, and the ranks on it.
type simulation struct {
	plan    *plan
	network *fabric.Network
	world   *node.World
	blocks  []engine.Block
	windows uint64
	stop    atomic.Bool

	recorder    *recorder
	interrupted *InterruptedError // how the run ended, if it was interrupted
	left        bool              // a rank computes, and nobody waits for it any more
}

// assemble puts the parts together: ranks on hosts, hosts on the network, both
// in as many blocks as there are workers. Of a large experiment this takes seconds, so it can be interrupted.
func assemble(ctx context.Context, e *Experiment, p *plan, program node.Launcher, begins []int64, o settings) (*simulation, error) {
	network, err := e.fabricOf(p, o.workers)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		network.Close()
		return nil, &InterruptedError{Ranks: e.Ranks, Err: ctx.Err(), SettingUp: true}
	}
	network.InjectAhead()
	s := &simulation{plan: p, network: network}
	spec := node.Spec{
		Hosts:       p.fabric.Graph.Hosts,
		NICsPerHost: e.Node.NICs,
		Overhead:    int64(e.Node.Overhead),
		Memory:      int64(e.Node.Memory),
		OneCopy:     e.Node.Copies == CopiesOne,
		ChooseNIC:   e.chooseNIC(p),
		Overtaking:  e.severalNICs() || p.fabric.Adaptive != nil || perPacket(p.fabric.Routing),
		Replies:     e.answered(),
		Rendezvous:  rendezvous[e.Node.Protocol.Rendezvous],
		EagerUpTo:   int64(e.Node.Protocol.Eager),
		Intra:       node.Intra{Latency: int64(e.Node.Intra.Latency), Bandwidth: int64(e.Node.Intra.Bandwidth)},
		Classes:     e.sizeClasses(),
		HostOf:      p.hosts,
		Begin:       begins,
		Noise:       e.noiseOfRanks(),
	}
	if p.pacer != nil {
		spec.Collectives = p.pacer
	}
	if o.out != "" { // for its tables
		spec.Serialization, spec.Distance = e.serialization(p.fabric.Packet), distanceOf(p.topology)
	}
	if s.world, err = node.NewWorld(spec, program); err != nil {
		network.Close()
		return nil, &InternalError{err}
	}
	s.populate(ctx)
	return s, nil
}

// answered tells whether NICs answer messages.
func (e *Experiment) answered() bool {
	return e.ownProgram() && !e.TwoSided || e.Node.Protocol.Rendezvous != "" || e.puts()
}

// severalNICs tells whether messages between two hosts may leave by several NICs.
func (e *Experiment) severalNICs() bool {
	return e.Node.NICs > 1 && (e.Node.NICChoice == NICRoundRobin || e.ownProgram())
}

// chooseNIC is by which NIC messages between two hosts leave; nil if a rank's messages take them in turn.
func (e *Experiment) chooseNIC(p *plan) func(src, dst int32) int32 {
	nics := int32(e.Node.NICs)
	if nics == 1 || e.Node.NICChoice == NICRoundRobin {
		return nil
	}
	var ports *routing.FirstPorts
	if e.Node.NICChoice == NICPort {
		ports = routing.NewFirstPorts(p.fabric.Graph, p.fabric.Routing)
	}
	return func(src, dst int32) int32 {
		if port := ports.Of(src, dst); port >= 0 {
			return int32(port) % nics
		}
		return dst % nics
	}
}

// Words of experiments for protocols of the node.
var rendezvous = map[string]node.Protocol{
	"": node.ByExperiment, RendezvousWrite: node.RendezvousWrite, RendezvousRead: node.RendezvousRead,
}

// perPacket tells whether routing lets the packets between two hosts take different ways.
func perPacket(f routing.Function) bool {
	_, random := f.(routing.Randomized)
	return random
}

// populate gives every block of the network the ranks on its hosts.
func (s *simulation) populate(ctx context.Context) {
	blocks := s.network.Blocks()
	nodes := make([]*node.Block, len(blocks))
	for i, b := range blocks {
		nodes[i] = s.world.NewBlock(b.Hosts())
		b.SetEndpoint(nodes[i])
		s.blocks = append(s.blocks, b)
	}
	for i, n := range nodes {
		if ctx.Err() != nil {
			s.stop.Store(true)
			return
		}
		n.Start(blocks[i])
	}
}

// end closes a simulation of which all has been told.
func (s *simulation) end() {
	if s.interrupted != nil {
		go s.close() // who interrupts a run does not want to wait until a million ranks have been released
		return
	}
	s.close()
}

// close releases the ranks' programs and the network's memory.
func (s *simulation) close() {
	s.recorder.close()
	s.world.Close()
	s.network.Close()
}

// abandon closes a simulation that ended with an error, unless it has been left to itself.
func (s *simulation) abandon(err error) {
	if !s.left {
		errors.As(err, &s.interrupted)
		s.end()
	}
}

// drive runs until nothing is left to do and tells how it ended.
func (s *simulation) drive(ctx context.Context, settings settings) error {
	watch := s.watch(ctx, settings)
	ended := make(chan struct{})
	var windows uint64
	var err error
	go func() {
		defer close(ended)
		windows, err = engine.Run(s.blocks, engine.Workers(len(s.blocks)), &s.stop)
	}()
	if !waitFor(ctx, ended, grace(settings)) {
		s.left = true
		watch.end()
		return &InterruptedError{Time: s.now(), Finished: s.world.Finished(), Ranks: s.world.Ranks(), Err: ctx.Err(), Computing: true}
	}
	s.windows = windows
	watch.end()
	if err != nil {
		return runFault(err, s.now())
	}
	return s.outcome(ctx)
}

// grace is for how long an interrupted run is waited for. A rank that computes, which nobody
// can stop from outside, may take longer; it is left behind then. What a busy machine has done
// is worth some seconds if it is recorded.
func grace(s settings) time.Duration {
	if s.folder != nil {
		return 5 * time.Second
	}
	return time.Second
}

// waitFor waits until something has ended; it returns false if it has not, some time after the context has.
func waitFor(ctx context.Context, ended <-chan struct{}, grace time.Duration) bool {
	select {
	case <-ended:
		return true
	case <-ctx.Done():
	}
	select {
	case <-ended:
		return true
	case <-time.After(grace):
		return false
	}
}

// runFault tells a panic of the model from other errors.
func runFault(err error, now Time) error {
	var limit *fabric.LimitError
	if errors.As(err, &limit) {
		return &LimitError{Time: now, Err: limit}
	}
	var fault *engine.Fault
	if errors.As(err, &fault) {
		err = errors.Join(err, errors.New(string(fault.Stack)))
	}
	return &InternalError{err}
}

// outcome looks at how things stand when nothing moves any more.
func (s *simulation) outcome(ctx context.Context) error {
	var failed *node.RankError
	if errors.As(s.world.Err(), &failed) {
		return &RunError{Rank: failed.Rank, Time: Time(failed.Time), Err: failed.Err}
	}
	finished := s.world.Finished()
	if s.stop.Load() && ctx.Err() != nil {
		return &InterruptedError{Time: s.now(), Finished: finished, Ranks: s.world.Ranks(), Err: ctx.Err()}
	}
	if err := s.network.Verify(); err != nil {
		return &InternalError{err}
	}
	if d := s.network.Deadlock(); d != nil {
		return &DeadlockError{Time: Time(d.Since), Err: d}
	}
	if finished < s.world.Ranks() {
		var stuck *node.DeadlockError
		if err := s.world.Deadlock(); !errors.As(err, &stuck) {
			return &InternalError{fmt.Errorf("%d of %d ranks have ended, and the others do not wait", finished, s.world.Ranks())}
		}
		return &DeadlockError{Time: Time(stuck.Since), Err: stuck}
	}
	return nil
}

// now is the simulated time that all blocks have reached.
func (s *simulation) now() Time {
	now := s.network.Blocks()[0].Now()
	for _, b := range s.network.Blocks() {
		now = min(now, b.Now())
	}
	return Time(now)
}
