package run

import (
	"time"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/internal/checkpoint"
	"fabricast/internal/cluster"
	"fabricast/internal/recording"
	"fabricast/internal/run/optimistic"
	"fabricast/internal/units"
	"fabricast/node"
	"fabricast/record"
)

// Option changes how a run is carried out, never its result.
type Option func(*settings)

type settings struct {
	workers  int
	progress func(Progress)
	interval time.Duration
	note     func(string)
	hottest  int // links that progress reports
	out      string
	// jobs also run alone
	interference bool
	// of the programs of a job, "" where there is one program; nil: they are run as they are
	wrap func(job string, launch node.Launcher) node.Launcher
	// where the run records while it goes on; nil if nowhere
	folder *record.Folder
	// processes that share the run; nil if there is one
	group cluster.Group
	// the parts of a run in an optimistic mode, and the number of this one; nil in others
	team   *optimistic.Team
	member int
	// what records the programs, by job; "" where there is one program
	traced map[string]Traced
	// when the run leaves checkpoints; nil if it leaves none
	checkpoints *Checkpoints
	from        *checkpoint.File // from which it goes on; nil if it begins at the beginning
	blocks      int              // of the network; 0: one for each worker
	// moves routers between workers, in tests; nil: as the experiment says
	move func(*fabric.Cells) engine.Balancer
	look *Look // nil if the run is to be simulated to its end
}

// apart returns the settings of another simulation from its beginning to its end, with which a run is
// compared: it leaves no folder and no checkpoints. After an interruption it is run again.
func (s settings) apart() settings {
	s.folder, s.out = nil, ""
	s.checkpoints, s.from, s.look, s.traced = nil, nil, nil, nil
	return s
}

// Workers sets how many goroutines simulate at the same time. 0 means one for each core; more than
// the number of cores are not used.
func Workers(n int) Option { return func(s *settings) { s.workers = n } }

// Progress reports how far a run has got.
type Progress struct {
	Time     units.Time    // simulated
	Finished int           // ranks whose program has ended
	Ranks    int           // 0: the experiment has synthetic traffic, no ranks
	Elapsed  time.Duration // of the wall clock, since the simulation began

	// Share estimates how much of the run is done, from 0 to 1; 0 while that is unknown. For a
	// built-in program it is the share of its messages, packets and packet-hops, whose totals are
	// known in advance. For synthetic traffic it is the share of the simulated time that the
	// measurement is expected to take. For other programs it is the share of ranks that have ended.
	Share float64
	// Left estimates the remaining wall-clock time of the simulation, at the speed so far; 0 if
	// Share is 0. It does not include what follows the simulation, such as writing tables.
	Left time.Duration

	// synthetic traffic: simulated time by which the present phase ends at the latest; else 0
	Bound      units.Time
	PacketHops int64 // so far

	Hottest        []recording.LinkLoad // with the option Hottest, the hottest first
	HotFrom, HotTo units.Time           // interval of Hottest
}

// OnProgress calls f about once per interval while the simulation runs.
func OnProgress(interval time.Duration, f func(Progress)) Option {
	return func(s *settings) { s.interval, s.progress = interval, f }
}

// OnNote calls f, before the simulation begins, with each warning: what may make the result
// doubtful, such as routes that were not checked for deadlock (also in Result.Notes), or what may
// end the run early, such as too little memory.
func OnNote(f func(text string)) Option { return func(s *settings) { s.note = f } }

// WrapPrograms calls wrap to replace the programs of the ranks before they run, for example to
// record what they do. wrap may be called more than once: its last call is for the run whose result
// is returned.
func WrapPrograms(wrap func(node.Launcher) node.Launcher) Option {
	return WrapJobs(func(job string, launch node.Launcher) node.Launcher {
		if job != "" {
			return launch
		}
		return wrap(launch)
	})
}

// Across shares the run with the other processes of a group, each of which must run the same
// experiment with the same options; nil has no effect. The result is complete in the first process
// only, which also records it and reports progress; the others return its sums.
func Across(g cluster.Group) Option { return func(s *settings) { s.group = g } }

// WrapJobs is WrapPrograms for the programs of several jobs: it calls wrap for each, with its name.
// Runs of jobs alone, to find their interference, are not wrapped.
func WrapJobs(wrap func(job string, launch node.Launcher) node.Launcher) Option {
	return func(s *settings) { s.wrap = wrap }
}

// Hottest makes Progress report the n links with the highest utilization. The run then counts the
// bytes of every link in intervals, which slows it down a little.
func Hottest(n int) Option { return func(s *settings) { s.hottest = n } }

// Record makes the run write a folder with tables of all links and ranks and everything needed to
// repeat the run (docs/formats/result.md). A folder that holds an earlier result is replaced. Any
// other existing folder is an error, reported before the run.
func Record(folder string) Option { return func(s *settings) { s.out = folder } }
