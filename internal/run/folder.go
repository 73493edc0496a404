package run

import (
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"

	"fabricast/engine"
	"fabricast/ethernet"
	"fabricast/experiment"
	"fabricast/internal/failure"
	"fabricast/internal/histogram"
	"fabricast/internal/input"
	"fabricast/internal/meter"
	"fabricast/internal/predict"
	"fabricast/internal/units"
	"fabricast/internal/version"
	"fabricast/node"
	"fabricast/record"
)

// result builds the Result of a finished simulation from its counters.
func (s *simulation) result() *Result {
	ranks, network := s.jobs.stats(), s.network.Totals()
	r := &Result{
		Schema: Schema, Version: version.Full(),
		Hash: hashText(ranks.Hash), SimulatedTime: ranks.End, Seed: s.plan.Experiment.Seed,
		Ranks:    ranks.Ranks,
		Messages: ranks.Messages, Unreceived: ranks.Unmet, PayloadBytes: int64(ranks.Bytes),
		Packets: int64(network.Packets), PacketHops: int64(network.Hops),
		Events:  events(network, ranks),
		Latency: latencyOf(&ranks.Latency),
		Workers: min(s.workers, engine.Workers(len(s.blocks))),
		Engine:  EngineWindows, Windows: s.steps.Windows(),
	}
	r.balanced(s.network, s.network.balancer)
	r.Processes = several(s.group)
	if s.interrupted != nil {
		r.State, r.SimulatedTime = string(record.Interrupted), s.interrupted.Time
		r.RanksEnded = s.interrupted.Finished
	}
	if s.stopped != nil {
		r.State, r.RanksEnded = string(record.Stopped), s.jobs.finished()
	}
	if network.Streams.Streams > 0 {
		r.Streams = &network.Streams
	}
	var byClass []ethernet.ClassCounts
	if n := s.network.lossy; n != nil {
		counts := n.Counts()
		r.Congestion, byClass = &counts, n.ByClass()
	}
	if s.plan.Experiment.Controlled() {
		r.CongestionControl = &ControlResult{
			Marked: int64(network.Marked), Notifications: int64(network.Notified),
			Throttled: units.Time(network.Refused),
		}
	}
	r.Classes = classesOf(ranks, r.SimulatedTime, &s.plan.Experiment.Network.Router, byClass)
	if stray := ranks.Stray; stray != nil {
		r.FirstUnreceived = (*Unreceived)(stray)
	}
	r.RankEnd, r.SlowestRank = s.rankEnd()
	links := s.course.meter(r.SimulatedTime)
	r.Pauses, r.Flows = pausesOf(s.pauses(r.SimulatedTime), links), flowsOf(s.flows(r.SimulatedTime))
	r.Links, r.HostLinks = links.Usage()
	r.LinkClasses = links.Classes()
	if n := &s.plan.Experiment.Network; n.Abstract() {
		r.Model, r.Links, r.LinkClasses = n.Model, meter.LinkUsage{}, nil
		if n.Model == experiment.ModelLogP { // in LogP, message size does not affect time
			r.HostLinks = meter.LinkUsage{}
		}
	}
	r.Notes, r.Compute = predict.Notes(s.plan), measured(s.plan.Experiment)
	if s.plan.Experiment.HasJobs() {
		r.Jobs = s.jobResults()
	}
	r.Faults = faultsOf(s.plan, r.SimulatedTime, &network, r.Congestion)
	for _, one := range s.jobs.list {
		one.complete(r)
	}
	if s.team != nil && s.member == 0 {
		r.describeTeam(s.team, s.plan)
	}
	return r
}

func latencyOf(h *histogram.Histogram) Latency {
	return Latency{
		Mean: units.Time(h.Mean()),
		P50:  units.Time(h.Quantile(0.5)),
		P99:  units.Time(h.Quantile(0.99)),
		Max:  units.Time(h.Max()),
	}
}

// rankEnd returns the mean and latest end time of the ranks, and the lowest of the ranks that ended
// last.
func (s *simulation) rankEnd() (end RankEnd, slowest int) {
	var hi, lo, carry uint64
	for id := range s.jobs.ranks {
		at := int64(s.jobs.record(id).End)
		lo, carry = bits.Add64(lo, uint64(at), 0)
		hi += carry
		if units.Time(at) > end.Max {
			end.Max, slowest = units.Time(at), id
		}
	}
	mean, _ := bits.Div64(hi, lo, uint64(max(s.jobs.ranks, 1)))
	end.Mean = units.Time(mean)
	return end, slowest
}

// openRecord creates the result folder. It returns nil if the run has none, and a configuration
// error if the folder holds other files, or if another run writes checkpoints there.
func (s *settings) openRecord() (*record.Folder, error) {
	folder := s.folderHere()
	if folder == "" {
		return nil, nil
	}
	create := record.Create
	if s.from != nil && s.look == nil {
		create = record.Continue
	}
	f, err := create(folder)
	if err == nil && (s.checkpoints != nil || s.from != nil && s.look == nil) {
		err = f.Claim()
	}
	if errors.Is(err, record.ErrOccupied) || errors.Is(err, record.ErrInUse) {
		f.Abort()
		return nil, failure.NewConfigError(err)
	}
	return f, err
}

// about returns the metadata stored in each table of a result folder: version, result hash, seed
// and schema.
func (r *Result) about() map[string]string {
	return map[string]string{
		"schema":      Schema,
		"version":     r.Version,
		"result_hash": r.Hash,
		"seed":        strconv.FormatUint(r.Seed, 10),
	}
}

// record writes all files of the result folder, if there is one, and moves the folder to its final
// path. used holds the link traffic of each job when running alone; nil if unknown.
func (s *simulation) record(r *Result, used []*portsOf) error {
	f, about := s.folder, r.about()
	if f == nil {
		return nil
	}
	return recordAll(f,
		func() error {
			if r.Jobs == nil {
				return nil
			}
			return record.WriteTable(f, record.JobsTable, r.jobRows(), about)
		},
		func() error {
			if used == nil {
				return nil
			}
			return record.WriteTable(f, record.JobLinksTable, s.jobLinkRows(used), about)
		},
		func() error { return writeResult(f, r) },
		func() error { return recordExperiment(s.plan.Experiment, f) },
		func() error { return s.course.meter(r.SimulatedTime).Write(f, about) },
		func() error {
			if s.jobs.ranks == 0 { // traffic only
				return nil
			}
			return record.WriteTable(f, record.RanksTable, s.rankRows(), about)
		},
		func() error {
			return record.WriteTable(f, record.LatencyTable, meter.LatencyRows(&s.jobs.stats().Latencies), about)
		},
		func() error { return s.recordFlows(r, about) },
		func() error { return s.recorder.Finish(s.network, r.SimulatedTime, about) },
		f.EndProgress,
		f.Commit,
	)
}

// recordAll runs the steps of writing a result folder, and stops at the first error.
func recordAll(f *record.Folder, steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return &failure.RecordError{Folder: f.Path(), Err: err}
		}
	}
	return nil
}

func writeResult(f *record.Folder, r *Result) error {
	text, err := r.JSON()
	if err != nil {
		return err
	}
	return errors.Join(f.Write(record.ResultFile, text), f.Write(record.VersionFile, []byte(r.Version+"\n")))
}

// recordExperiment writes the resolved experiment into the result folder. It also copies the files
// of a mapping, a partition, an imbalance, noise, faults and a collectives table, so that the folder contains
// everything needed to repeat the run.
func recordExperiment(e *experiment.Resolved, f *record.Folder) error {
	copied := *e
	for _, file := range []struct {
		path *string
		name string
	}{
		{&copied.Mapping.File, record.MappingFile},
		{&copied.Partition.File, record.PartitionFile},
		{&copied.Imbalance.File, record.ImbalanceFile},
		{&copied.Noise.File, record.NoiseFile},
		{&copied.Faults.File, record.FaultsFile},
		{&copied.Faults.Random.File, record.OutagesFile},
		{&copied.Collectives.File, record.CollectivesFile},
	} {
		if *file.path == "" {
			continue
		}
		text, err := input.Bytes(*file.path, input.Copied)
		if err = errors.Join(err, f.Write(file.name, text)); err != nil {
			return err
		}
		*file.path = file.name
	}
	text, err := copied.YAML()
	return errors.Join(err, f.Write(record.ExperimentFile, append(howToRepeat(e), text...)))
}

func (s *simulation) rankRows() iter.Seq[record.Rank] {
	return func(yield func(record.Rank) bool) {
		for id := range s.jobs.ranks {
			if !yield(rankRow(s.jobs.record(id))) {
				return
			}
		}
	}
}

func rankRow(r node.RankRecord) record.Rank {
	return record.Rank{
		Rank: int32(r.Rank), Host: int32(r.Host), End: int64(r.End),
		Wait: int64(r.Wait), Network: int64(r.Network), Serialization: int64(r.Serialization),
		NetworkWaits: r.NetworkWaits,
		Compute:      int64(r.Compute), Overhead: int64(r.Overhead),
		MessagesSent: r.MessagesSent, MessagesReceived: r.MessagesReceived,
		BytesSent: int64(r.BytesSent), BytesReceived: int64(r.BytesReceived),
	}
}

// howToRepeat returns a comment for the experiment file of a run of the user's own program, which
// the file does not contain. It names the program and explains how to run it again. It returns nil
// for built-in programs.
func howToRepeat(e *experiment.Resolved) []byte {
	if !e.OwnProgram() {
		return nil
	}
	lines := []string{"What ran is not in this file. To repeat the run:", "  " + e.Command}
	if e.Workload.Command != "" {
		lines[0] = "To repeat the run:"
	}
	if e.Command == "" {
		field, name := functionInGo(e)
		lines = []string{
			fmt.Sprintf(
				"What ran is not in this file: %s, a function in Go of the program %s.",
				name, filepath.Base(os.Args[0]),
			),
			"Start that program to repeat the run, or have the function run here:",
			fmt.Sprintf("  e, err := fabricast.LoadMachine(%q)", record.ExperimentFile),
			"  e." + field + " = " + name,
			"  result, err := e.Run(ctx)",
		}
	}
	text := strings.NewReplacer("\n", "\n# ", "\r", "\n# ").Replace(strings.Join(lines, "\n"))
	return []byte("# " + text + "\n")
}

// functionInGo returns the field of the experiment that holds the ranks' Go function, and the name
// of the function.
func functionInGo(e *experiment.Resolved) (field, name string) {
	field, f := "Program", reflect.ValueOf(e.Program)
	if e.Launch != nil {
		field, f = "Launch", reflect.ValueOf(e.Launch)
	}
	return field, runtime.FuncForPC(f.Pointer()).Name()
}
