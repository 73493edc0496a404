package fabricast

import (
	"time"

	"fabricast/ethernet"
	"fabricast/internal/meter"
	"fabricast/internal/recording"
	"fabricast/internal/run"
	"fabricast/internal/run/optimistic"
	"fabricast/node"
	"fabricast/workload/serving"
	"fabricast/workload/training"
)

// Option changes how a run is carried out. It never changes the result.
type Option = run.Option

// Workers sets how many goroutines simulate in parallel, at most one per core. 0 means one per
// core.
func Workers(n int) Option { return run.Workers(n) }

// OnProgress makes the run call f about once every interval of wall-clock time during the
// simulation.
func OnProgress(interval time.Duration, f func(Progress)) Option { return run.OnProgress(interval, f) }

// WrapPrograms makes the run pass the programs of the ranks to wrap before they start, and run
// those that wrap returns. For example, wrap can record their operations (see replay.Recorder).
// wrap may be called several times; the last call is for the run whose result is returned.
func WrapPrograms(wrap func(node.Launcher) node.Launcher) Option { return run.WrapPrograms(wrap) }

// TracePrograms makes a recorder, such as a *replay.Recorder, record the programs of the ranks, or
// those of the named job. job is "" if the experiment has no jobs. In contrast to WrapPrograms, the
// run can save checkpoints. A run resumed from one needs a recorder of the same traces.
func TracePrograms(job string, r Traced) Option { return run.TracePrograms(job, r) }

// Traced is a recorder of the operations of ranks that supports checkpoints (see TracePrograms).
type Traced = run.Traced

// WrapJobs is like WrapPrograms for several jobs. It calls wrap for the programs of each job, with
// the job's name. It is not called for jobs of synthetic traffic.
func WrapJobs(wrap func(job string, launch node.Launcher) node.Launcher) Option {
	return run.WrapJobs(wrap)
}

// OnNote makes the run call f with notes before the simulation starts. Some notes mean that the
// result may be unreliable, for example because not all routes were checked for deadlock;
// Result.Notes has these too. Others say that the run may end early, such as for a shortage of
// memory.
func OnNote(f func(text string)) Option { return run.OnNote(f) }

// Record makes the run write a folder with tables of all links and ranks, and with everything
// needed to repeat the run (docs/formats/result.md). An existing folder is replaced if it holds an
// earlier result; otherwise the run fails before it starts.
func Record(folder string) Option { return run.Record(folder) }

// Hottest makes Progress list the n links with the highest utilization. The run then counts the
// traffic of links in intervals, which slows it down a little.
func Hottest(n int) Option { return run.Hottest(n) }

// Interference makes a run of several jobs also run each job alone, on the same hosts, to report
// how much the other jobs slow it down.
func Interference() Option { return run.Interference() }

// Progress of a run, reported to the function given to OnProgress.
type (
	Progress = run.Progress       // how far the run has got
	LinkLoad = recording.LinkLoad // recent load of a link
)

// Schema names the JSON layout of a Result and its version.
const Schema = run.Schema

// EngineWindows is the value of Result.Engine for a simulation that advances the network in windows
// of simulated time whose length is the lookahead.
const EngineWindows = run.EngineWindows

// Result holds the prediction and its computing cost. docs/formats/result.md describes the JSON
// keys. All fields except Workers, Balance, Engine, Windows, Version and Host depend on the
// experiment only.
type Result = run.Result

// Components of a Result.
type (
	RankEnd          = run.RankEnd          // times at which ranks ended
	Unreceived       = run.Unreceived       // a message that was never received
	Latency          = run.Latency          // time from send to delivery
	LinkUsage        = meter.LinkUsage      // traffic of links of one kind
	ClassUsage       = meter.ClassUsage     // how evenly the links of a class were used
	Host             = run.Host             // computing resources the simulation used
	CollectivePacing = run.CollectivePacing // how the calls of a collective were paced
	TrainingResult   = training.Result      // of steps of the program training
	ServingResult    = serving.Result       // of the program serving
	ServingTimes     = serving.Distribution // of a time over requests
	FaultsResult     = run.FaultsResult     // what failed, and what became of packets
	FaultResult      = run.FaultResult      // one of the faults
	Goodput          = run.Goodput          // what becomes of a job that saves checkpoints and fails
	ImbalanceResult  = run.ImbalanceResult  // when the ranks began, and what came of it
	OptimisticResult = optimistic.Result    // what an optimistic mode of the engine has cost

	JobResult = run.JobResult // result of one of several jobs
	JobAlone  = run.JobAlone  // result of a job without the others
	// CongestionCounts say what became of packets, if routers drop or pause them.
	CongestionCounts = ethernet.Counts
	// ControlResult counts what the congestion control of a network of credits has done.
	ControlResult = run.ControlResult
	// PausesResult says who paused whom, a PauseRoot where pauses began, a PausedSender what was paused.
	PausesResult = run.PausesResult
	PauseRoot    = run.PauseRoot
	PausedSender = run.PausedSender
	FlowResult   = run.FlowResult // a flow that was followed over time
	// ClassCongestionCounts say that of a class of messages.
	ClassCongestionCounts = ethernet.ClassCounts

	SharedLink = run.SharedLink // a link that several jobs use
	JobLink    = run.JobLink    // traffic of one job on a shared link

	TrafficResult  = run.TrafficResult  // measurements with synthetic traffic
	Accepted       = run.Accepted       // delivered traffic
	TrafficLatency = run.TrafficLatency // latency of the measured messages
	TrafficClass   = run.TrafficClass   // results of a class of the messages
	TrafficSizes   = run.TrafficSizes   // results of messages of some sizes
	Slowdown       = run.Slowdown       // of messages, over an idle network
	ClassResult    = run.ClassResult    // the same of programs
)
