package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"fabricast/engine"
	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/checkpoint"
	"fabricast/internal/failure"
	"fabricast/internal/panics"
	"fabricast/internal/plan"
	"fabricast/internal/processes"
	"fabricast/internal/snapshot"
	"fabricast/node"
	"fabricast/routing"
)

// Names of the engine in its optimistic modes.
const (
	EngineOptimistic      = "optimistic"
	EngineOptimisticCheck = "optimistic-check"
)

// OptimisticResult is what a run in an optimistic mode has cost, in all processes together. A window
// is one of one part (kernel process).
type OptimisticResult struct {
	Parts       int `json:"kps"` // in all processes
	Batch       int `json:"batch"`
	GVTInterval int `json:"gvt_interval"`

	Committed         uint64 `json:"committed_windows"`
	RolledBack        uint64 `json:"rolled_back_windows"`
	CommittedPackets  uint64 `json:"committed_packet_hops"`
	RolledBackPackets uint64 `json:"rolled_back_packet_hops"`
	// 1 - rolled back / committed windows, as of events in ROSS
	Efficiency float64 `json:"event_efficiency"`

	Rollbacks  uint64 `json:"rollbacks"`
	Stragglers uint64 `json:"stragglers"` // what came for a window that had been executed
	Cancelled  uint64 `json:"cancelled"`  // what was taken back of what parts had sent
	// what came out of repeated windows as before, and was not sent again
	Confirmed uint64 `json:"confirmed"`
	// windows repeated to get from a saved state to a later one
	Coasted uint64 `json:"coasted_windows"`

	Rounds uint64 `json:"rounds"` // of a batch each
	// Rounds in which no window could come too late, so that no state was saved
	Cautious  uint64 `json:"cautious_rounds"`
	GVTRounds uint64 `json:"gvt_rounds"`
	// of a process with the others
	Synchronizations uint64 `json:"synchronizations"`
	Saves            uint64 `json:"saves"`
	SavedBytes       uint64 `json:"saved_bytes"`       // copied by saves
	SaveMemory       int64  `json:"save_memory_bytes"` // held by saved states at once, at most
}

// runOptimistic simulates a program by Time Warp. Each part of the network is a simulation of its
// own, as that of a process is.
func runOptimistic(ctx context.Context, s settings, p *plan.Plan, watch stopwatch) (*Result, error) {
	if err := s.settle(refuseOptimism(s, p)); err != nil {
		return nil, err
	}
	team := newTeam(s, p)
	n := len(team.members)
	files, err := reopen(s.from, n)
	if err = s.settle(err); err != nil {
		return nil, err
	}
	defer closeAll(files)
	results, errs := make([]*Result, n), make([]error, n)
	groups := processes.Divide(s.group, n)
	var wg sync.WaitGroup
	for i := range n {
		own := s
		own.team, own.member, own.workers, own.group = team, i, 1, groups[i]
		own.from, own.blocks = files[i], n*sizeOf(s.group)
		if i > 0 {
			own.folder, own.progress, own.note = nil, nil, nil
		}
		wg.Go(panics.Guarded("part of a run", func() { results[i], errs[i] = runJobs(ctx, own, p, watch) }))
	}
	wg.Wait()
	return results[0], errorOfParts(errs)
}

// reopen returns, for each of n parts, a file from which it reads its state; nil if there is none.
func reopen(from *checkpoint.File, n int) ([]*checkpoint.File, error) {
	files := make([]*checkpoint.File, n)
	if from == nil {
		return files, nil
	}
	for i := range files {
		var err error
		if files[i], err = checkpoint.Open(from.Path()); err != nil {
			closeAll(files)
			return nil, failure.NewConfigError(err)
		}
	}
	return files, nil
}

func closeAll(files []*checkpoint.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// errorOfParts returns the error of the first part that has one of its own; else what the first has
// of another process.
func errorOfParts(errs []error) error {
	for _, err := range errs {
		var other *failure.ProcessError
		if err != nil && !errors.As(err, &other) && !errors.Is(err, engine.ErrElsewhere) {
			return err
		}
	}
	var other *failure.ProcessError
	if errors.As(errs[0], &other) { // parts are numbered over all processes
		other.Process, other.Of = other.Process/len(errs), other.Of/len(errs)
	}
	return errs[0]
}

// refuseOptimism returns an error if a run cannot be taken back, or cannot go on in so many processes.
func refuseOptimism(s settings, p *plan.Plan) error {
	if of := sizeOf(s.group); s.from != nil && s.from.Blocks%of > 0 {
		return failure.NewConfigError(fmt.Errorf(
			"found %d processes, expected a number by which %d can be divided: the parts of this "+
				"optimistic run",
			of, s.from.Blocks,
		))
	}
	reason := unfitForOptimism(s, p)
	if reason == "" {
		return nil
	}
	e := p.Experiment
	return e.Refuse("engine.mode", e.Engine.Mode, experiment.EngineConservative, reason)
}

// unfitForOptimism returns why a run cannot be taken back to an earlier window; "" if it can.
func unfitForOptimism(s settings, p *plan.Plan) string {
	e := p.Experiment
	_, informed := p.Fabric.Adaptive.(routing.Informed)
	if reason := first([]reason{
		{e.Network.Abstract(), "networks without packets have no windows that parts could execute by themselves"},
		{informed, "routing that knows the queues of all routers leaves no part that could run ahead"},
		{s.wrap != nil, "a recorded trace cannot be taken back"},
		{s.hottest > 0, "the hottest links are known only of windows that stand"},
	}); reason != "" {
		return reason
	}
	if !e.HasJobs() {
		return unfitProgram(p)
	}
	for i := range p.Jobs {
		if reason := unfitProgram(p.Jobs[i].Plan); reason != "" {
			return "job " + p.Jobs[i].Name + ": " + reason
		}
	}
	return ""
}

// unfitProgram returns why the ranks of a plan without jobs, or of one job, cannot be taken back; ""
// if they can.
func unfitProgram(p *plan.Plan) string {
	e := p.Experiment
	switch {
	case e.HasTraffic():
		return ""
	case p.Pacer() != nil:
		return "pacing of collectives keeps tables that all ranks share"
	case e.Launch == nil && e.Program != nil:
		return "programs in Go cannot be taken back to an earlier time"
	}
	launch, err := p.Program(nil)
	if err != nil {
		return "" // the run will tell
	}
	program := launch(e.Ranks)(0) // which is never run
	if s, ok := program.(node.Stopper); ok {
		defer s.Stop()
	}
	if _, ok := program.(node.Stateful); ok {
		return ""
	}
	if e.Launch != nil {
		return "programs in C cannot be taken back to an earlier time"
	}
	return "this program needs coroutines, which cannot be taken back to an earlier time"
}

// team is the parts of this process in a run by Time Warp, each with a goroutine that puts it
// together and looks after it.
type team struct {
	options experiment.Engine
	workers int
	members []teamMember
	outer   processes.Group
	window  int64        // ps
	gvt     atomic.Int64 // ps
	ended   atomic.Bool
	warp    engine.Warp
	batch   engine.Throttle
	last    uint64 // windows that were committed in the last run
	stopped bool
	err     error
}

// teamMember is a part with what belongs to it.
type teamMember struct {
	part     engine.Part
	network  *fabric.Network
	recorder *recorder       // nil if nothing is recorded while the run goes on
	group    processes.Group // of all members of all processes
	stop     *atomic.Bool    // of this part's goroutine
}

func newTeam(s settings, p *plan.Plan) *team {
	size := sizeOf(s.group)
	t := &team{options: p.Experiment.Engine, outer: s.group}
	n := max(1, min(cmp.Or(t.options.KP, s.workers), p.Fabric.Graph.Routers/size))
	switch {
	case s.from != nil:
		n = s.from.Blocks / size
	case s.checkpoints != nil && s.checkpoints.Blocks > n*size:
		n = (s.checkpoints.Blocks + size - 1) / size
	}
	t.members = make([]teamMember, n)
	t.workers = min(s.workers, n)
	return t
}

func (t *team) name() string {
	if t.options.Mode == experiment.EngineOptimisticCheck {
		return EngineOptimisticCheck
	}
	return EngineOptimistic
}

// join makes the network of a member a part of the run. The function that it returns drives all
// members; each of them calls it.
func (t *team) join(member int, m teamMember, on *jobs) (engine.Drive, error) {
	part, err := fabric.NewPart(m.network)
	if err != nil {
		return nil, err
	}
	m.part = &rankPart{part, on}
	t.members[member] = m
	if member == 0 {
		t.warp = engine.Warp{} // not of a simulation before
	}
	g := m.group
	return func(until int64, _ *atomic.Bool) (windows uint64, stopped bool, err error) {
		processes.Min(g, 0) // all are there
		if member == 0 {
			t.drive(until, part.Window())
		}
		processes.Min(g, 0)
		if err = t.err; err != nil && member > 0 {
			err = engine.ErrElsewhere
		}
		return t.last, t.stopped, err
	}, nil
}

// drive runs the parts of this process in windows of a length (ps), as far as these end before a time
// (ps) or at it.
func (t *team) drive(until, window int64) {
	t.window, t.last, t.err = window, 0, nil
	t.ended.Store(false)
	if until >= window { // else not even the first window ends before
		t.run(until, window)
	}
	t.stopped = processes.Any(t.outer, t.members[0].stop.Load())
	t.ended.Store(!t.stopped)
	for i := range t.members {
		t.members[i].stop.Store(t.stopped)
	}
}

// run runs the parts in at least one window that may end at a time (ps).
func (t *team) run(until, window int64) {
	o := engine.Optimism{
		Batch: t.options.Batch, Throttle: &t.batch, Interval: t.options.GVTInterval,
		Check:  t.options.Mode == experiment.EngineOptimisticCheck,
		Static: t.options.Throttle == experiment.ThrottleStatic,
	}
	if processes.Several(t.outer) && t.members[0].recorder != nil {
		o.Aside = t
	}
	if until < math.MaxInt64 {
		o.Until = until / window
		until = o.Until * window // what is left up to the pause is for the next part of the run
	}
	parts := make([]engine.Part, len(t.members))
	for i := range t.members {
		parts[i] = t.members[i].part
	}
	var warp engine.Warp
	warp, t.err = engine.RunOptimistic(parts, o, t.workers, t.members[0].stop, t.outer, func(gvt int64) {
		t.reach(min(until, min(gvt, int64(fabric.Forever)/window)*window))
	})
	t.warp.Then(&warp)
	t.last = warp.Committed
}

// reach takes note that GVT has reached a time (ps).
func (t *team) reach(gvt int64) {
	t.gvt.Store(gvt)
	first := t.members[0]
	for _, m := range t.members[1:] {
		if m.stop.Load() {
			first.stop.Store(true)
		}
		first.network.Overhear(m.network)
	}
	t.handOn(gvt)
}

// handOn hands on what parts have reported before a time (ps): those of the first process to the
// tables, those of others for the next exchange.
func (t *team) handOn(gvt int64) {
	first := t.members[0].recorder
	if first == nil {
		return
	}
	for _, m := range t.members {
		m.recorder.held.stands(gvt)
	}
	if first.relay == nil {
		first.Hear(0, t.news(t.members[1:]))
	}
}

// news returns what members have to tell the first of all.
func (t *team) news(members []teamMember) (news []byte) {
	for _, m := range members {
		if b := &m.recorder.relay.blocks[0]; len(b.data) > 0 || b.windows > relayWindows {
			news = append(news, m.recorder.relay.News()[0]...)
		}
	}
	return news
}

// News implements engine.Aside.
func (t *team) News() []byte { return t.news(t.members) }

// Hear implements engine.Aside.
func (t *team) Hear(process int, news []byte) { t.members[0].recorder.Hear(process, news) }

// describe completes the result of a run.
func (t *team) describe(r *Result) {
	r.Processes, r.Workers, r.Engine = several(t.outer), t.workers, t.name()
	r.Optimistic = t.result()
}

// result returns what the run has cost in all processes, in the first of them.
func (t *team) result() *OptimisticResult {
	w := t.warp
	if processes.Several(t.outer) {
		for p, other := range processes.GatherFirst(t.outer, t.warp) {
			if p > 0 {
				w.Add(&other)
			}
		}
	}
	return &OptimisticResult{
		Parts: sizeOf(t.outer) * len(t.members), Batch: t.options.Batch, GVTInterval: t.options.GVTInterval,
		Committed: w.Committed, RolledBack: w.RolledBack,
		CommittedPackets: w.CommittedPackets, RolledBackPackets: w.RolledBackPackets,
		Efficiency: w.Efficiency(),
		Rollbacks:  w.Rollbacks, Stragglers: w.Stragglers, Cancelled: w.Cancelled, Confirmed: w.Confirmed,
		Coasted: w.Coasted,
		Rounds:  w.Rounds, Cautious: w.Cautious, GVTRounds: w.Collections, Synchronizations: w.Synchronizations,
		Saves: w.Saves, SavedBytes: w.SavedBytes, SaveMemory: w.PeakBytes,
	}
}

// rankPart is a part of the network with what is on it. The first error of a rank is a part of the
// state, too.
type rankPart struct {
	*fabric.Part
	jobs *jobs
}

// Restore implements engine.Part.
func (p *rankPart) Restore(from *snapshot.Snapshot) {
	p.Part.Restore(from)
	p.jobs.forgetFailure(p.Now())
}
