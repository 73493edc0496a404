package optimistic

import (
	"math"
	"sync/atomic"

	"fabricast/engine"
	"fabricast/engine/timewarp"
	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/cluster"
	"fabricast/internal/recording"
)

// Result is the cost of a run in an optimistic mode, summed over all processes. It counts the
// simulation windows of each part (kernel process) separately.
type Result struct {
	Parts       int `json:"kps"` // number of parts in all processes
	Batch       int `json:"batch"`
	GVTInterval int `json:"gvt_interval"`
	timewarp.Cost
}

// Team is the set of parts of this process in a run by Time Warp. Each part has a goroutine that
// assembles it and finishes it.
type Team struct {
	options experiment.Engine
	workers int
	members []Member
	outer   cluster.Group
	window  int64        // ps
	gvt     atomic.Int64 // ps
	ended   atomic.Bool
	cost    timewarp.Cost
	batch   timewarp.Throttle
	last    uint64 // number of windows committed by the last call of run
	stopped bool
	err     error
}

// Member is a part and its simulation.
type Member struct {
	part     *fabric.Part
	Network  *fabric.Network
	Recorder *recording.Recorder // nil if nothing is recorded during the run
	Group    cluster.Group       // all members of all processes
	Stop     *atomic.Bool        // stop flag of this part's goroutine
}

// NewTeam returns a team with the given number of members in this process, which share workers. g
// is the group of processes; nil for one process.
func NewTeam(o experiment.Engine, members, workers int, g cluster.Group) *Team {
	return &Team{options: o, workers: min(workers, members), members: make([]Member, members), outer: g}
}

// Workers returns the number of workers that the members share.
func (t *Team) Workers() int { return t.workers }

// Processes returns the number of processes.
func (t *Team) Processes() int {
	if t.outer == nil {
		return 1
	}
	return t.outer.Size()
}

// GVT returns the global virtual time (ps). driven is false while no member is being run.
func (t *Team) GVT() (gvt int64, driven bool) { return t.gvt.Load(), !t.ended.Load() }

// Join adds the network of a member to the run. Each member must call the returned function, which
// drives all members.
func (t *Team) Join(member int, m Member) (engine.Drive, error) {
	part, err := fabric.NewPart(m.Network)
	if err != nil {
		return nil, err
	}
	m.part = part
	t.members[member] = m
	if member == 0 {
		t.cost = timewarp.Cost{} // discards the cost of an earlier simulation
	}
	g := m.Group
	return func(until int64, _ *atomic.Bool) (windows uint64, stopped bool, err error) {
		cluster.Min(g, 0) // waits for all members
		if member == 0 {
			t.drive(until, part.Window())
		}
		cluster.Min(g, 0)
		if err = t.err; err != nil && member > 0 {
			err = engine.ErrElsewhere
		}
		return t.last, t.stopped, err
	}, nil
}

// drive runs the parts of this process in simulation windows of length window (ps). The windows end
// at or before until (ps).
func (t *Team) drive(until, window int64) {
	t.window, t.last, t.err = window, 0, nil
	t.ended.Store(false)
	if until >= window { // otherwise even the first window ends later
		t.run(until, window)
	}
	t.stopped = cluster.Any(t.outer, t.members[0].Stop.Load())
	t.ended.Store(!t.stopped)
	for i := range t.members {
		t.members[i].Stop.Store(t.stopped)
	}
}

// run runs the parts in at least one simulation window; all windows end at or before until (ps).
func (t *Team) run(until, window int64) {
	o := timewarp.Options{
		Group: t.outer, Control: recording.Control(t.recorders(), t.outer),
		Batch: t.options.Batch, Throttle: &t.batch, Interval: t.options.GVTInterval,
		Check:  t.options.Mode == experiment.EngineOptimisticCheck,
		Static: t.options.Throttle == experiment.ThrottleStatic,
	}
	if until < math.MaxInt64 {
		o.Until = until / window
		until = o.Until * window // the next call of run simulates the rest
	}
	o.GVT = func(gvt int64) {
		t.reach(min(until, min(gvt, int64(fabric.Forever)/window)*window))
	}
	parts := make([]timewarp.Part, len(t.members))
	for i := range t.members {
		parts[i] = t.members[i].part
	}
	var cost timewarp.Cost
	cost, t.err = timewarp.Run(parts, t.workers, t.members[0].Stop, o)
	t.cost.Then(&cost)
	t.last = cost.Committed
}

// reach records that GVT has reached a time (ps).
func (t *Team) reach(gvt int64) {
	t.gvt.Store(gvt)
	first := t.members[0]
	for _, m := range t.members[1:] {
		if m.Stop.Load() {
			first.Stop.Store(true)
		}
		first.Network.Overhear(m.Network)
	}
	recording.HandOn(t.recorders(), gvt)
}

// recorders returns the recorders of the members.
func (t *Team) recorders() (list []*recording.Recorder) {
	for _, m := range t.members {
		list = append(list, m.Recorder)
	}
	return list
}

// Result returns the cost of the run, in the first process summed over all processes.
func (t *Team) Result() *Result {
	r := &Result{
		Parts: t.Processes() * len(t.members), Batch: t.options.Batch, GVTInterval: t.options.GVTInterval,
	}
	r.Add(&t.cost)
	if cluster.Several(t.outer) {
		for p, other := range cluster.GatherFirst(t.outer, t.cost) {
			if p > 0 {
				r.Add(&other)
			}
		}
	}
	return r
}
