package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"
	"time"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/internal/experiment"
	"fabricast/internal/failure"
	"fabricast/internal/panics"
	"fabricast/internal/plan"
	"fabricast/internal/predict"
	"fabricast/internal/processes"
	"fabricast/internal/units"
	"fabricast/mpi"
	"fabricast/node"
	"fabricast/pacing"
	"fabricast/routing"
)

// Run simulates the experiment and returns its result. It ends within a fraction of a second after
// the context is done, with an *failure.InterruptedError. Its errors are those of package failure.
func Run(ctx context.Context, e *experiment.Resolved, options ...Option) (*Result, error) {
	s := settings{}
	for _, o := range options {
		o(&s)
	}
	if err := s.sameAcross(e); err != nil {
		return nil, err
	}
	s.workers = cmp.Or(s.workers, e.Engine.Workers)
	s.workers = s.workersHere()
	return execute(ctx, e, s)
}

// mostBlocks limits the blocks of a network on machines with fewer processors: more would only cost
// time there.
const mostBlocks = 32

func execute(ctx context.Context, e *experiment.Resolved, s settings) (*Result, error) {
	watch := startWatch()
	out, err := s.openRecord()
	if err = s.settle(err); err != nil {
		return nil, err
	}
	defer out.Abort()
	p, err := prepare(ctx, e, s)
	if err == nil {
		err = errors.Join(s.checkAcross(p), s.checkCheckpoints(p))
	}
	if err = s.settle(err); err != nil {
		return nil, err
	}
	s.folder = out
	if s.checkpoints != nil && s.from == nil {
		s.blocks = max(s.checkpoints.Blocks, s.allBlocks())
	}
	s.tellOfBalance(p.Experiment)
	if p.Experiment.Engine.Optimistic() && s.look == nil { // looks end between windows
		return runOptimistic(ctx, s, p, watch)
	}
	switch {
	case p.Experiment.HasTraffic():
		return runTraffic(ctx, s, p, watch)
	case p.Experiment.HasJobs():
		return runJobs(ctx, s, p, watch)
	}
	return runRanks(ctx, s, p, watch)
}

// prepare makes the plan if a run of it fits in memory, and reports warnings before the run.
func prepare(ctx context.Context, e *experiment.Resolved, s settings) (*plan.Plan, error) {
	p, err := setUp(
		ctx,
		e.TotalRanks(),
		func() (*plan.Plan, error) { return plan.Build(e) },
		func(*plan.Plan) {},
	)
	if err != nil {
		return nil, err
	}
	if p, err = predict.WithParameters(p); err != nil {
		return nil, err
	}
	memory := p.Forecast()
	if processes.Several(s.group) {
		memory = memory.Each(s.group.Size())
	} else if s.workers == 1 {
		memory = memory.WithoutSaves()
	}
	if err := memory.Check(); err != nil {
		return nil, err
	}
	if s.note == nil {
		return p, nil
	}
	if text := memory.Warning(); text != "" {
		s.note(text)
	}
	for _, text := range predict.Notes(p) {
		s.note(text)
	}
	return p, nil
}

// runRanks simulates a program and returns its result.
func runRanks(ctx context.Context, s settings, p *plan.Plan, watch stopwatch) (*Result, error) {
	p, err := s.cutTogether(ctx, p)
	if err != nil {
		return nil, err
	}
	gaps, err := p.Pace()
	if err = s.settle(err); err != nil {
		return nil, err
	}
	paced := paced{gaps: gaps, pacer: p.Pacer()}
	balanced, err := balancedTime(ctx, s, p, paced)
	if err != nil {
		return nil, err
	}
	begins, imbalance := begins(p, balanced)
	sim, err := simulate(ctx, s, p, paced, begins)
	if err != nil {
		return nil, err
	}
	defer sim.end()
	sim.share()
	r := sim.result()
	r.Pacing = predict.SumUpPacing(paced.gaps)
	r.Notes = predict.Notes(p)
	r.pacingOfCollectives(paced.pacer)
	r.Imbalance = imbalance.end(r.SimulatedTime)
	r.Compute = measured(p.Experiment)
	r.Host = watch.host()
	if s.team != nil && s.member == 0 {
		s.team.describe(r)
	}
	sim.recorder.bring(s.group, sim.network, int64(r.SimulatedTime))
	if err := s.settle(sim.record(s.folder, r)); err != nil || sim.ended() {
		return r, err
	}
	return nil, sim.interrupted
}

// paced holds how the messages of ranks are paced.
type paced struct {
	gaps  *mpi.Pacing   // of the messages of a built-in program; nil if it is not paced
	pacer *pacing.Pacer // of a program's collectives; nil if none is paced
}

// simulate runs the ranks, which begin at the given times (ps), to their end. With a result folder
// it also returns the simulation if it was interrupted. The caller must end the returned
// simulation.
func simulate(
	ctx context.Context,
	s settings,
	p *plan.Plan,
	paced paced,
	begins []int64,
) (*simulation, error) {
	program, err := p.Program(paced.gaps)
	if err = s.settle(err); err != nil {
		return nil, err
	}
	if s.wrap != nil {
		program = s.wrap(program)
	}
	assembled := func() (*simulation, error) { return assemble(ctx, p, program, paced.pacer, begins, s) }
	return start(ctx, s, p, assembled, func(sim *simulation) {
		sim.forecast = newWorkForecast(sim, paced.gaps)
	})
}

// start runs what has been put together to its end.
func start(
	ctx context.Context,
	s settings,
	p *plan.Plan,
	assembled func() (*simulation, error),
	prepare func(*simulation),
) (*simulation, error) {
	sim, err := setUp(ctx, p.Experiment.TotalRanks(), assembled, (*simulation).close)
	if err == nil {
		prepare(sim)
		sim.recorder, err = newRecorder(s, p, sim.network.packets, len(sim.blocks))
	}
	if err == nil {
		sim.saver, err = newSaver(s, p)
	}
	if err = s.settle(err); err != nil {
		if sim != nil {
			sim.close()
		}
		return nil, err
	}
	failed := sim.begin(ctx, s)
	if err = s.settle(failed); err != nil {
		if failed == nil {
			sim.close()
		}
		return nil, err
	}
	sim.lookEnd = s.lookEnd()
	trim()
	err = sim.drive(ctx, s)
	if !sim.left {
		err = s.settle(err)
	}
	if errors.As(err, &sim.interrupted) && s.recorded() && !sim.left && sim.interrupted.Checkpoint == "" {
		return sim, nil
	}
	if err != nil {
		sim.abandon(err)
		return nil, err
	}
	return sim, nil
}

// attach makes the recorder observe the network and the ranks.
func (s *simulation) attach() {
	s.recorder.attach(s.network, s.world)
	if n := s.network.across; n != nil {
		n.Aside(s.recorder.aside())
	}
}

// simulation holds the parts of one run: the network in blocks, and the ranks on it.
type simulation struct {
	plan    *plan.Plan
	network *medium
	world   population
	pacer   *pacing.Pacer   // of the ranks' collectives; nil if none is paced
	jobs    *jobs           // the same, if there are several; else nil
	group   processes.Group // that share the run; nil if there is one process
	team    *team           // with which it is driven, in an optimistic mode; else nil
	member  int             // its number there
	beside  *beside         // traffic without an end of its own; nil if there is none
	shot    *shot           // when traffic without an end of its own ended; nil if there is none
	blocks  []engine.Block
	windows uint64
	stop    atomic.Bool
	halted  atomic.Bool // it is stopped for good
	lookEnd int64       // ps: when it is to end before its own end; 0: not
	cutAt   units.Time  // when it has; 0 if it has not
	saver   *saver      // nil if it leaves no checkpoints
	workers int

	recorder *recorder
	// estimates the total work while the run goes on; nil if the program is unknown
	forecast    *workForecast
	speed       speed
	interrupted *failure.InterruptedError // nil unless the run was interrupted
	left        bool                      // a rank still computes; nobody waits for it
}

// assemble builds a simulation: it makes the network and the ranks, divided into as many blocks as
// there are workers. That takes seconds for a large experiment, so the context can interrupt it.
func assemble(
	ctx context.Context,
	p *plan.Plan,
	program node.Launcher,
	pacer *pacing.Pacer,
	begins []int64,
	o settings,
) (*simulation, error) {
	e := p.Experiment
	network, err := newMedium(p, o, true)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		network.Close()
		return nil, &failure.InterruptedError{Ranks: e.Ranks, Err: ctx.Err(), SettingUp: true}
	}
	s := &simulation{
		plan: p, network: network, group: o.group, workers: o.workers, team: o.team, member: o.member,
		pacer: pacer,
	}
	if s.world, err = newWorld(p, program, pacer, begins, o); err != nil {
		network.Close()
		return nil, err
	}
	s.populate(ctx)
	return s, nil
}

// newWorld makes the ranks of a program.
func newWorld(
	p *plan.Plan,
	program node.Launcher,
	pacer *pacing.Pacer,
	begins []int64,
	o settings,
) (*node.World, error) {
	e := p.Experiment
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
		Unordered:     e.Network.Abstract(),
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
		Classes: sizeClasses(e),
		HostOf:  p.Hosts,
		Begin:   begins,
		Noise:   noiseOfRanks(e),
	}
	if pacer != nil {
		spec.Collectives = pacer
	}
	if o.out != "" { // for its tables
		spec.Serialization, spec.Distance = serializationOf(p), distancesOf(p)
	}
	w, err := node.NewWorld(spec, program)
	if err != nil {
		return nil, &failure.InternalError{Err: err}
	}
	w.Across(o.group, e.Common, o.saves())
	return w, nil
}

// chooseNIC returns a function that selects the source host's NIC for messages between two hosts.
// It returns nil if a rank's messages use its NICs in turn.
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

// populate places the ranks on the hosts of the network.
func (s *simulation) populate(ctx context.Context) {
	var starts []func()
	for _, b := range s.network.parts {
		s.blocks = append(s.blocks, b)
	}
	for _, b := range s.network.homes {
		starts = append(starts, s.inhabit(b).start)
	}
	for _, start := range starts {
		if ctx.Err() != nil {
			s.stop.Store(true)
			return
		}
		start()
	}
	if n := s.network.packets; n != nil {
		n.Cells().Settler(s)
	}
}

// inhabitants are the ranks of a home. They are started, or settled if they go on.
type inhabitants struct{ start, settle func() }

// inhabit makes the ranks of a home.
func (s *simulation) inhabit(b home) inhabitants {
	if s.jobs != nil {
		return s.jobs.inhabit(b, int32(s.plan.Fabric.Graph.NICsPerHost))
	}
	ranks := s.world.(*node.World).NewBlock(b.Hosts())
	b.SetEndpoint(ranks)
	return inhabitants{
		start:  func() { ranks.Start(b.transport) },
		settle: func() { ranks.Settle(b.transport) },
	}
}

// Settle implements fabric.Settler.
func (s *simulation) Settle(c *fabric.Cell) { s.inhabit(home{c, c.Block}).settle() }

// Leave implements fabric.Settler.
func (s *simulation) Leave(e fabric.Endpoint) {
	switch e := e.(type) {
	case *node.Block:
		e.Leave()
	case *jobsEndpoint:
		s.jobs.leave(e)
	}
}

// ended reports whether a simulation has come to its end, or to that of a look.
func (s *simulation) ended() bool { return s.interrupted == nil || s.interrupted.Looked }

// end closes a simulation whose results have been read. After an interruption it does so in the
// background.
func (s *simulation) end() {
	if s.interrupted != nil {
		// who interrupts a run does not want to wait until a million ranks have been released
		panics.Go("release of a run", s.close)
		return
	}
	s.close()
}

// close releases the ranks' programs and the network's memory.
func (s *simulation) close() {
	s.recorder.close()
	s.saver.close()
	s.world.Close()
	s.network.Close()
}

// abandon closes a simulation that ended with an error. It does nothing if a rank of it still
// computes.
func (s *simulation) abandon(err error) {
	if !s.left {
		errors.As(err, &s.interrupted)
		s.end()
	}
}

// drive runs the simulation until no events are left, or it is stopped, and returns why it ended;
// nil means that all ranks have ended.
func (s *simulation) drive(ctx context.Context, settings settings) error {
	watch := s.watch(ctx, settings)
	var windows uint64
	var err error
	ended := panics.Go("engine", func() {
		windows, err = s.advance()
	})
	if !waitFor(ctx, ended, grace(settings)) {
		s.left = true
		watch.end()
		return &failure.InterruptedError{
			Time:      s.now(),
			Finished:  s.world.Finished(),
			Ranks:     s.world.Ranks(),
			Err:       ctx.Err(),
			Computing: true,
		}
	}
	s.windows += windows
	watch.end()
	if err != nil {
		return runFault(err, s.now())
	}
	return s.outcome(ctx)
}

// grace returns how long to wait for an interrupted run to stop. A rank that computes cannot be
// stopped from outside, and is left running after that time. The time is longer with a result
// folder, where partial results are recorded.
func grace(s settings) time.Duration {
	if s.checkpoints != nil { // programs that can be saved never compute for long
		return time.Hour
	}
	if s.folder != nil {
		return 5 * time.Second
	}
	return time.Second
}

// waitFor waits until ended is closed. It returns false if that does not happen within grace after
// the context is done.
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

// runFault turns a panic of the model into an error: that of a limit of the network, or a fault of
// the simulator.
func runFault(err error, now units.Time) error {
	var limit *fabric.LimitError
	if errors.As(err, &limit) {
		return &failure.LimitError{Time: now, Err: limit}
	}
	var record *failure.RecordError // of the last checkpoint
	if errors.As(err, &record) {
		return record
	}
	return &failure.InternalError{Err: err}
}

// outcome returns nil if all ranks have ended, once no events are left. Else it returns the error
// that explains the state: a failed rank, an interruption or a deadlock.
func (s *simulation) outcome(ctx context.Context) error {
	s.shareState()
	if s.cutAt > 0 && ctx.Err() == nil {
		return s.cut()
	}
	stopped := engine.Stopped(&s.stop, s.network.others())
	var failed *node.RankError
	if errors.As(s.world.Err(), &failed) {
		found := &failure.RunError{Rank: failed.Rank, Time: failed.Time, Err: failed.Err}
		var inJob *jobError
		if errors.As(s.world.Err(), &inJob) {
			found.Job = inJob.job
		}
		return found
	}
	finished := s.world.Finished()
	// a run that leaves checkpoints and has left no last one had ended when it was stopped
	ended := s.saver != nil && s.saver.left() == "" && !s.halted.Load()
	if stopped && !ended && (ctx.Err() != nil || processes.Several(s.group)) {
		return &failure.InterruptedError{
			Time:       s.now(),
			Finished:   finished,
			Ranks:      s.world.Ranks(),
			Err:        interruption(ctx),
			Checkpoint: s.saver.left(),
		}
	}
	if err := s.network.Verify(); err != nil {
		return &failure.InternalError{Err: err}
	}
	if d := s.network.Deadlock(); d != nil {
		return &failure.DeadlockError{Time: units.Time(d.Since), Err: d}
	}
	if finished < s.world.Ranks() {
		var stuck *node.DeadlockError
		err := s.world.Deadlock()
		if !errors.As(err, &stuck) {
			return &failure.InternalError{
				Err: fmt.Errorf(
					"%d of %d ranks have ended, and the others do not wait",
					finished, s.world.Ranks(),
				),
			}
		}
		return &failure.DeadlockError{Time: stuck.Since, Err: err}
	}
	return nil
}

// now returns the simulated time (ps) that all blocks have reached.
func (s *simulation) now() units.Time {
	if s.team != nil && !s.team.ended.Load() {
		return units.Time(s.team.gvt.Load())
	}
	now := s.network.parts[0].Now()
	for _, b := range s.network.parts {
		now = min(now, b.Now())
	}
	return units.Time(now)
}

// fabricOf makes the network of a plan for the workers and processes of a run.
func fabricOf(p *plan.Plan, o settings) (*fabric.Network, error) {
	spec := p.Fabric
	if o.balances(p.Experiment) {
		spec.Cells = plan.CellsEach * o.allBlocks()
	}
	network, err := fabric.NewAcross(spec, o.allBlocks(), o.group)
	if err != nil {
		return nil, refuseNetwork(p.Experiment, err)
	}
	if o.team == nil {
		network.Sync(syncs[p.Experiment.Engine.Sync])
	}
	return network, nil
}

// syncs are the values of engine.sync.
var syncs = map[string]fabric.Sync{
	experiment.SyncAll: fabric.SyncAll, experiment.SyncNeighbours: fabric.SyncNeighbours,
}

// refuseNetwork turns an error of making the network into one about the experiment, unless the
// operating system caused it.
func refuseNetwork(e *experiment.Resolved, err error) error {
	var refused syscall.Errno
	if errors.As(err, &refused) {
		return fmt.Errorf(
			"this machine does not let the network be simulated (its limits may be too low: ulimit -a): %w",
			err,
		)
	}
	return e.Refuse("network", "a network", "one that can be simulated", err.Error())
}
