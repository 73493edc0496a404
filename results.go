package fabricast

import (
	"time"

	"fabricast/internal/meter"
	"fabricast/internal/recording"
	"fabricast/internal/run"
	"fabricast/internal/run/optimistic"
	"fabricast/node"
)

// Option changes how a run is carried out, never its result.
type Option = run.Option

// Workers sets how many goroutines simulate in parallel. There are never more than cores; 0 means
// one for each core.
func Workers(n int) Option { return run.Workers(n) }

// OnProgress makes the run call f about once every interval (of real time) while the simulation
// goes on.
func OnProgress(interval time.Duration, f func(Progress)) Option { return run.OnProgress(interval, f) }

// WrapPrograms makes the run call wrap to replace the programs of the ranks before they start, for
// example to record their operations (see replay.Recorder). wrap may be called more than once; the
// last call is for the run whose result is returned.
func WrapPrograms(wrap func(node.Launcher) node.Launcher) Option { return run.WrapPrograms(wrap) }

// TracePrograms makes a recorder, such as a *replay.Recorder, record the programs of the ranks, or
// those of one of several jobs; job is "" where there are none. Unlike with WrapPrograms the run
// may leave checkpoints; the run that goes on needs a recorder of the same traces.
func TracePrograms(job string, r Traced) Option { return run.TracePrograms(job, r) }

// Traced is a recorder of what ranks do whose run may leave checkpoints (TracePrograms).
type Traced = run.Traced

// WrapJobs is WrapPrograms for several jobs. It calls wrap for the programs of each job, with the
// job's name; traffic has none.
func WrapJobs(wrap func(job string, launch node.Launcher) node.Launcher) Option {
	return run.WrapJobs(wrap)
}

// OnNote makes the run call f, before the simulation begins, with anything that may make the result
// doubtful, such as routes that were not all checked for deadlock (Result.Notes has these too), or
// that may end the run early, such as a shortage of memory.
func OnNote(f func(text string)) Option { return run.OnNote(f) }

// Record makes the run write a folder with tables of all links and ranks, and with everything
// needed to repeat the run (docs/formats/result.md). If the folder exists, it is replaced if it
// holds an earlier result; otherwise the run fails before it begins.
func Record(folder string) Option { return run.Record(folder) }

// Hottest makes Progress list the n links that carry the greatest fraction of their bandwidth. The
// run then counts the traffic of links in intervals, which slows it down a little.
func Hottest(n int) Option { return run.Hottest(n) }

// Interference has a run of several jobs followed by one of each job alone, on the same hosts, to
// report how much the others slow it down.
func Interference() Option { return run.Interference() }

// While a run goes on.
type (
	Progress = run.Progress       // how far it has got
	LinkLoad = recording.LinkLoad // what a link carried lately
)

// Schema names the JSON layout of a Result and its version.
const Schema = run.Schema

// EngineWindows is the Result.Engine of a simulation that advances the network in windows of
// simulated time, as long as the engine's lookahead.
const EngineWindows = run.EngineWindows

// Result holds the prediction and what it cost to compute. Its JSON keys are described in
// docs/formats/result.md. All fields except Workers, Balance, Engine, Windows, Version and Host
// depend on the experiment only.
type Result = run.Result

// Parts of a result.
type (
	RankEnd          = run.RankEnd          // when the ranks ended
	Unreceived       = run.Unreceived       // a message that no receive asked for
	Latency          = run.Latency          // from send to delivery
	LinkUsage        = meter.LinkUsage      // what a kind of links carried
	ClassUsage       = meter.ClassUsage     // how evenly the links of a class were used
	Host             = run.Host             // what the simulation used of the machine
	CollectivePacing = run.CollectivePacing // how the calls of a collective were paced
	ImbalanceResult  = run.ImbalanceResult  // when the ranks began, and what came of it
	OptimisticResult = optimistic.Result      // what an optimistic mode of the engine has cost

	JobResult  = run.JobResult  // what became of one of several jobs
	JobAlone   = run.JobAlone   // of one without the others
	SharedLink = run.SharedLink // a link that several send over
	JobLink    = run.JobLink    // what one of them sends over it

	TrafficResult  = run.TrafficResult  // what synthetic traffic showed about the network
	Accepted       = run.Accepted       // the traffic that was delivered
	TrafficLatency = run.TrafficLatency // latency of the measured messages
)
