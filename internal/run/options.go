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

// Option changes how a run is executed, but not its result.
type Option func(*settings)

type settings struct {
	workers  int
	progress func(Progress)
	interval time.Duration
	note     func(string)
	hottest  int // number of links in progress reports
	out      string
	// also run each job alone
	interference bool
	// wraps the programs of a job, which is "" if there is only one program; nil: programs are not
	// wrapped
	wrap func(job string, launch node.Launcher) node.Launcher
	// the folder into which the run writes while it proceeds; nil if there is none
	folder *record.Folder
	// processes that share the run; nil if there is one
	group cluster.Group
	// the parts of a run in an optimistic mode, and the number of this one; nil in others
	team   *optimistic.Team
	member int
	// recorders of the programs, by job; the key is "" if there is only one program
	traced map[string]Traced
	// when the run writes checkpoints; nil if it writes none
	checkpoints *Checkpoints
	from        *checkpoint.File // from which the run is resumed; nil for a new run
	blocks      int              // number of partition blocks; 0: one for each worker
	// creates the balancer, in tests; nil: as the experiment says
	move func(*fabric.Cells) engine.Balancer
	look *Look // nil unless the run is a look
}

// apart returns the settings for a separate simulation with which a run is compared. It goes from
// start to end, and writes neither a folder nor checkpoints. After an interruption it is repeated.
func (s settings) apart() settings {
	s.folder, s.out = nil, ""
	s.checkpoints, s.from, s.look, s.traced = nil, nil, nil, nil
	return s
}

// Workers sets the number of goroutines that simulate concurrently. 0 means one for each core; at
// most one for each core is used.
func Workers(n int) Option { return func(s *settings) { s.workers = n } }

// Progress reports the progress of a run.
type Progress struct {
	Time     units.Time    // simulated
	Finished int           // ranks whose program has ended
	Ranks    int           // 0: the experiment has synthetic traffic, no ranks
	Elapsed  time.Duration // wall-clock time since the simulation started

	// Share estimates how much of the run is done, from 0 to 1; 0 while that is unknown. For a
	// built-in program it is the share of its messages, packets and packet-hops, whose totals are
	// known in advance. For synthetic traffic it is the share of the simulated time that the
	// measurement is expected to take. For other programs it is the share of ranks that have ended.
	Share float64
	// Left estimates the remaining wall-clock time of the simulation at its speed so far; 0 if
	// Share is 0. It excludes the work after the simulation, such as writing tables.
	Left time.Duration

	// synthetic traffic: latest simulated time at which the present phase ends; else 0
	Bound      units.Time
	PacketHops int64 // so far

	Hottest        []recording.LinkLoad // with the option Hottest, in descending order
	HotFrom, HotTo units.Time           // interval to which Hottest applies
}

// OnProgress calls f about once per interval while the simulation runs.
func OnProgress(interval time.Duration, f func(Progress)) Option {
	return func(s *settings) { s.interval, s.progress = interval, f }
}

// OnNote calls f, before the simulation starts, with each warning about what may distort the
// result, such as routes that were not checked for deadlock (also in Result.Notes), or may end the
// run early, such as too little memory.
func OnNote(f func(text string)) Option { return func(s *settings) { s.note = f } }

// WrapPrograms calls wrap to replace the programs of the ranks before they run, for example to
// record what they do. wrap may be called more than once: the last call is for the run whose result
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
// experiment with the same options. If g is nil, it has no effect. Only the first process records
// the run, reports progress and returns the complete result; the others return a result with sums
// only.
func Across(g cluster.Group) Option { return func(s *settings) { s.group = g } }

// WrapJobs is WrapPrograms for a run of several jobs: it calls wrap for the program of each job,
// with the job's name. It does not wrap the programs of jobs that run alone to measure
// interference.
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
