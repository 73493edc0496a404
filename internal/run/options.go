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

// Option changes the execution of a run, but not its result.
type Option func(*settings)

type settings struct {
	workers  int
	progress func(Progress)
	interval time.Duration
	note     func(string)
	hottest  int // number of links in progress reports
	out      string
	// whether to also run each job alone
	interference bool
	keepStopped  bool // the results of jobs are wanted although ranks have stopped with their hosts
	// wraps the programs of a job; job is "" if there is only one program; nil: programs are not
	// wrapped
	wrap func(job string, launch node.Launcher) node.Launcher
	// folder into which the run writes while it proceeds; nil if there is none
	folder *record.Folder
	// processes that share the run; nil if there is one
	group cluster.Group
	// the parts of a run in an optimistic mode, and the index of this part; nil in other modes
	team   *optimistic.Team
	member int
	// recorders of the programs, by job; the key is "" if there is only one program
	traced map[string]Traced
	// when to write checkpoints; nil: never
	checkpoints *Checkpoints
	from        *checkpoint.File // checkpoint from which the run is resumed; nil for a new run
	blocks      int              // number of partition blocks; 0: one for each worker
	// creates the balancer, in tests; nil: the experiment selects it
	move func(*fabric.Cells) engine.Balancer
	look *Look // nil unless the run is a look
	// fork from which the run starts, and the one that it makes at its time; nil: none
	fork, makes *Fork
	// the hosts between which messages take no resources; nil if all do
	relieved *[2]int32
}

// apart returns the settings for a separate simulation to which a run is compared. That simulation
// runs from start to end, and writes neither a folder nor checkpoints. After an interruption it is
// repeated.
func (s settings) apart() settings {
	s.folder, s.out = nil, ""
	s.checkpoints, s.from, s.look, s.traced = nil, nil, nil, nil
	return s
}

// Workers sets the number of goroutines that simulate concurrently. 0 means one per core, which is
// also the maximum.
func Workers(n int) Option { return func(s *settings) { s.workers = n } }

// Progress reports the progress of a run.
type Progress struct {
	Time     units.Time    // simulated
	Finished int           // ranks whose program has ended
	Ranks    int           // 0: the experiment has synthetic traffic, no ranks
	Elapsed  time.Duration // wall-clock time since the simulation started

	// Share estimates the completed fraction of the run, from 0 to 1; 0 if unknown. For a built-in
	// program it is the fraction of its messages, packets and packet-hops, whose totals are known
	// in advance. For synthetic traffic it is the fraction of the simulated time that the
	// measurement is expected to take. For other programs it is the fraction of ranks that have
	// ended.
	Share float64
	// Left estimates the remaining wall-clock time of the simulation at its speed so far; 0 if
	// Share is 0. It excludes the work after the simulation, such as writing tables.
	Left time.Duration

	// latest simulated time at which the present phase of synthetic traffic ends; otherwise 0
	Bound      units.Time
	PacketHops int64 // so far

	Hottest        []recording.LinkLoad // with option Hottest: busiest links, in descending order
	HotFrom, HotTo units.Time           // interval to which Hottest applies
}

// OnProgress calls f about once per interval while the simulation runs.
func OnProgress(interval time.Duration, f func(Progress)) Option {
	return func(s *settings) { s.interval, s.progress = interval, f }
}

// OnNote calls f before the simulation starts, once for each warning. A warning is about something
// that may distort the result, such as routes that were not checked for deadlock (also in
// Result.Notes), or that may end the run early, such as too little memory.
func OnNote(f func(text string)) Option { return func(s *settings) { s.note = f } }

// WrapPrograms calls wrap to replace the programs of the ranks before they run, for example to
// record their calls. wrap may be called more than once: the last call is for the run whose result
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

// WrapJobs is like WrapPrograms for a run of several jobs: it calls wrap for the program of each
// job, with the job's name. It does not wrap the programs of jobs that run alone to measure
// interference.
func WrapJobs(wrap func(job string, launch node.Launcher) node.Launcher) Option {
	return func(s *settings) { s.wrap = wrap }
}

// Hottest makes Progress report the n links with the highest utilization. The run then counts the
// bytes of every link in intervals, which slows it down a little.
func Hottest(n int) Option { return func(s *settings) { s.hottest = n } }

// Record makes the run write a result folder (docs/formats/result.md): tables of all links and
// ranks, and everything needed to repeat the run. An earlier result in the folder is replaced. A
// folder with other contents is an error, reported before the run.
func Record(folder string) Option { return func(s *settings) { s.out = folder } }
