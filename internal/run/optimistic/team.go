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

// Result is what a run in an optimistic mode has cost, in all processes together. A window
// is one of one part (kernel process).
type Result struct {
	Parts       int `json:"kps"` // in all processes
	Batch       int `json:"batch"`
	GVTInterval int `json:"gvt_interval"`
	timewarp.Cost
}

// Team is the parts of this process in a run by Time Warp, each with a goroutine that puts it
// together and looks after it.
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
	last    uint64 // windows that were committed in the last run
	stopped bool
	err     error
}

// Member is a part with what belongs to it.
type Member struct {
	part     *fabric.Part
	Network  *fabric.Network
	Recorder *recording.Recorder // nil if nothing is recorded while the run goes on
	Group    cluster.Group       // of all members of all processes
	Stop     *atomic.Bool        // of this part's goroutine
}

// NewTeam returns a team of so many members, which share workers, in each process of a group; g is nil
// for one process.
func NewTeam(o experiment.Engine, members, workers int, g cluster.Group) *Team {
	return &Team{options: o, workers: min(workers, members), members: make([]Member, members), outer: g}
}

// Workers is how many workers the members share.
func (t *Team) Workers() int { return t.workers }

// Processes is how many processes there are.
func (t *Team) Processes() int {
	if t.outer == nil {
		return 1
	}
	return t.outer.Size()
}

// GVT returns the global virtual time (ps). It returns false while the members are not driven.
func (t *Team) GVT() (gvt int64, driven bool) { return t.gvt.Load(), !t.ended.Load() }

// Join makes the network of a member a part of the run. The function that it returns drives all
// members; each of them calls it.
func (t *Team) Join(member int, m Member) (engine.Drive, error) {
	part, err := fabric.NewPart(m.Network)
	if err != nil {
		return nil, err
	}
	m.part = part
	t.members[member] = m
	if member == 0 {
		t.cost = timewarp.Cost{} // not of a simulation before
	}
	g := m.Group
	return func(until int64, _ *atomic.Bool) (windows uint64, stopped bool, err error) {
		cluster.Min(g, 0) // all are there
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

// drive runs the parts of this process in windows of a length (ps), as far as these end before a time
// (ps) or at it.
func (t *Team) drive(until, window int64) {
	t.window, t.last, t.err = window, 0, nil
	t.ended.Store(false)
	if until >= window { // else not even the first window ends before
		t.run(until, window)
	}
	t.stopped = cluster.Any(t.outer, t.members[0].Stop.Load())
	t.ended.Store(!t.stopped)
	for i := range t.members {
		t.members[i].Stop.Store(t.stopped)
	}
}

// run runs the parts in at least one window that may end at a time (ps).
func (t *Team) run(until, window int64) {
	o := timewarp.Options{
		Group: t.outer, Control: recording.Control(t.recorders(), t.outer),
		Batch: t.options.Batch, Throttle: &t.batch, Interval: t.options.GVTInterval,
		Check:  t.options.Mode == experiment.EngineOptimisticCheck,
		Static: t.options.Throttle == experiment.ThrottleStatic,
	}
	if until < math.MaxInt64 {
		o.Until = until / window
		until = o.Until * window // what is left up to the pause is for the next part of the run
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

// reach takes note that GVT has reached a time (ps).
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

// recorders are those of the members.
func (t *Team) recorders() (list []*recording.Recorder) {
	for _, m := range t.members {
		list = append(list, m.Recorder)
	}
	return list
}

// Result returns what the run has cost in all processes, in the first of them.
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
