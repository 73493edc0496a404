package run

import (
	"encoding/json"
	"fmt"
	"runtime"
	"time"

	"fabricast/ethernet"
	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/machine"
	"fabricast/internal/meter"
	"fabricast/internal/predict"
	"fabricast/internal/run/optimistic"
	"fabricast/internal/units"
	"fabricast/node"
	"fabricast/pacing"
	"fabricast/record"
	"fabricast/workload/serving"
	"fabricast/workload/training"
)

// Schema is the schema name and version of a Result as JSON.
const Schema = record.Schema

// EngineWindows is the name of the conservative engine. It simulates the network in windows that
// are at most as long as its lookahead.
const EngineWindows = "windows"

// Result holds the prediction and the cost of the simulation. Its JSON keys are described in
// docs/formats/result.md. All fields but Processes, Workers, Balance, Moves, Engine, Windows,
// Streams, Version and Host are determined by the experiment.
type Result struct {
	Schema  string `json:"schema"`
	Version string `json:"version"`
	// State is "interrupted" if the run was interrupted, "stopped" if ranks have stopped with their
	// hosts; otherwise "". The fields then cover the part that was simulated.
	State string `json:"state,omitempty"`

	// Hash is computed over source, destination, tag, size, send time and delivery time of every
	// message, independent of their order.
	Hash string `json:"result_hash"`
	// Model is the name of the network model, if it is abstract.
	Model         string     `json:"model,omitempty"`
	SimulatedTime units.Time `json:"simulated_time_ps"` // end of the last rank
	Seed          uint64     `json:"seed"`

	Ranks       int     `json:"ranks"`
	RankEnd     RankEnd `json:"rank_end_ps"`
	SlowestRank int     `json:"slowest_rank"` // lowest of the ranks that ended last
	// RanksEnded is the number of ranks that had ended if there is a State. RankEnd then
	// summarizes the clocks of all ranks, and SlowestRank is the rank whose clock was furthest
	// ahead.
	RanksEnded int `json:"ranks_ended,omitempty"`

	Messages int64 `json:"messages"`
	// messages that were delivered but matched no receive
	Unreceived int64 `json:"unreceived_messages"`
	// the unreceived message of the lowest rank
	FirstUnreceived *Unreceived `json:"first_unreceived,omitempty"`
	PayloadBytes    int64       `json:"payload_bytes"`
	Packets         int64       `json:"packets"`
	// total number of links between routers that packets passed
	PacketHops int64 `json:"packet_hops"`
	// number of simulated events, see docs/formats/result.md
	Events  int64   `json:"events"`
	Latency Latency `json:"latency_ps"`
	// Classes are results by class of the messages of programs, if these have classes.
	Classes []ClassResult `json:"classes,omitempty"`
	// links between routers; for traffic, during the measurement
	Links     meter.LinkUsage `json:"links"`
	HostLinks meter.LinkUsage `json:"host_links"` // between NICs and routers, both directions
	// LinkClasses describes the links between routers by class (a dimension, or a level of a tree),
	// if there are several classes.
	LinkClasses []meter.ClassUsage `json:"link_classes,omitempty"`

	// StepTime and Training are the results of the program training: the time of a step (ps), and
	// what it consists of.
	StepTime units.Time       `json:"step_time_ps,omitempty"`
	Training *training.Result `json:"training,omitempty"`
	// Serving is the result of the program serving.
	Serving *serving.Result `json:"serving,omitempty"`

	Pacing *predict.PacingResult `json:"pacing,omitempty"` // pacing of a collective
	// CollectivePacing describes the collectives that the experiment paces, in any program.
	CollectivePacing []CollectivePacing `json:"collective_pacing,omitempty"`
	Imbalance        *ImbalanceResult   `json:"imbalance,omitempty"` // nil if all ranks start at once
	// Faults is what failed, and how packets came round it; nil if nothing did.
	Faults *FaultsResult `json:"faults,omitempty"`
	// Checkpoint is what becomes of the program as a job with checkpoints; nil if it has none.
	Checkpoint *Goodput `json:"checkpoint,omitempty"`
	// set if computation was measured; the prediction then varies from run to run
	Compute *experiment.Compute `json:"compute,omitempty"`

	// warnings about anything that may distort the result, or about requests of the experiment that
	// the run could not fulfil
	Notes []string `json:"notes,omitempty"`

	Traffic *TrafficResult `json:"traffic,omitempty"` // of synthetic traffic

	Jobs []JobResult `json:"jobs,omitempty"` // if there are several jobs
	// With Interference: the number of links between routers that carry traffic of several jobs,
	// and the busiest of them, at most 100.
	SharedLinkCount int          `json:"shared_link_count,omitempty"`
	SharedLinks     []SharedLink `json:"shared_links,omitempty"`

	Processes int     `json:"processes,omitempty"` // number of processes, if several
	Workers   int     `json:"workers"`             // per process
	Balance   float64 `json:"balance"`             // mean work of a worker / maximum work of a worker
	Moves     int     `json:"moves,omitempty"`     // number of moves of routers between workers
	Engine    string  `json:"engine"`
	Windows   uint64  `json:"windows"` // number of windows that the engine executed
	// Streams says how much of the work streams of packets have taken; nil if there were none.
	Streams *fabric.StreamCounts `json:"streams,omitempty"`
	// Congestion counts what became of packets, if routers drop or pause them; otherwise nil.
	Congestion *ethernet.Counts `json:"congestion,omitempty"`
	// CongestionControl counts what the control of a network of credits has done; nil if it has none.
	CongestionControl *ControlResult `json:"congestion_control,omitempty"`
	// Pauses says who paused whom; nil if nobody was paused.
	Pauses *PausesResult `json:"pauses,omitempty"`
	// Flows are the flows that were followed (record.flows), those to which most was posted first.
	Flows []FlowResult `json:"flows,omitempty"`
	// Optimistic is the cost of an optimistic mode of the engine; nil in the conservative mode.
	Optimistic *optimistic.Result `json:"optimistic,omitempty"`
	Host       Host               `json:"host"`
}

// ControlResult counts what the congestion control of a network in which packets wait for credits
// has done.
type ControlResult struct {
	Marked        int64 `json:"marked"`        // packets that routers have marked; only ib-cc does
	Notifications int64 `json:"notifications"` // packets by which receivers told senders to send less
	// Throttled is for how long control held back the next packets of NICs whose links were free,
	// summed over NICs. Packets that are still held back at the end do not count.
	Throttled units.Time `json:"throttled_ps"`
}

// RankEnd holds the mean and latest end time of the ranks.
type RankEnd struct {
	Mean units.Time `json:"mean"`
	Max  units.Time `json:"max"`
}

// Unreceived describes a message that matched no receive.
type Unreceived struct {
	Source      int         `json:"source"`      // rank in the communicator of the message
	Destination int         `json:"destination"` // rank in the world
	Tag         int         `json:"tag"`
	Size        units.Bytes `json:"bytes"`
	Collective  bool        `json:"collective"` // sent by a collective, whose algorithm chose the tag
}

// Latency summarizes the time from send to delivery of all messages.
type Latency struct {
	Mean units.Time `json:"mean"`
	P50  units.Time `json:"p50"`
	P99  units.Time `json:"p99"`
	Max  units.Time `json:"max"`
}

// Host holds the time, memory and processors used by the simulation on the machine that ran it.
type Host struct {
	User    float64 `json:"user_s"`
	Sys     float64 `json:"sys_s"`
	Wall    float64 `json:"wall_s"`
	PeakRSS int64   `json:"peak_rss_bytes"` // maximum of the process so far
	CPUs    int     `json:"cpus"`
	Go      string  `json:"go"`
}

// JSON returns the result as indented JSON.
func (r *Result) JSON() ([]byte, error) {
	text, err := json.MarshalIndent(r, "", "  ")
	return append(text, '\n'), err
}

// stopwatch measures the wall-clock and CPU time of a run.
type stopwatch struct {
	begin time.Time
	used  machine.Usage
}

func startWatch() stopwatch { return stopwatch{time.Now(), machine.Used()} }

func (w stopwatch) host() Host {
	now := machine.Used()
	return Host{
		User:    (now.User - w.used.User).Seconds(),
		Sys:     (now.Sys - w.used.Sys).Seconds(),
		Wall:    time.Since(w.begin).Seconds(),
		PeakRSS: now.PeakRSS,
		CPUs:    runtime.NumCPU(),
		Go:      runtime.Version(),
	}
}

// hashText formats a result hash as 32 hexadecimal digits.
func hashText(h [2]uint64) string { return fmt.Sprintf("%016x%016x", h[0], h[1]) }

// measured returns the settings with which the experiment's computation was measured; nil if it was
// not measured.
func measured(e *experiment.Resolved) *experiment.Compute {
	if e.Launch == nil ||
		e.Compute.Mode != experiment.ComputeMeasured && e.Compute.Mode != experiment.ComputeSampled {
		return nil
	}
	c := e.Compute
	if c.Factor == 0 {
		c.Factor = 1
	}
	return &c
}

// events computes the number of simulated events from counters of the network and the ranks, so
// that it does not depend on how the engine groups events into windows. A packet counts once for
// its injection, for each crossbar grant, and for the end of its transfer to memory; a message for
// its send and for its delivery; a rank for its start and its end. A rank that executes tasks also
// counts each check for messages, which follows a task or a set of tasks. Events that were rolled
// back do not count.
func events(t fabric.Totals, ranks *node.Stats) int64 {
	const grantAndTransfer, sendAndDelivery = 2, 2
	return int64(t.Packets+t.Hops+grantAndTransfer*t.Delivered) + sendAndDelivery*ranks.Messages +
		int64(ranks.Ranks+ranks.Finished) + ranks.Looks
}

// EventRate returns the number of events simulated per second of wall-clock time; 0 if unknown.
func (r *Result) EventRate() float64 {
	if r.Host.Wall <= 0 {
		return 0
	}
	return float64(r.Events) / r.Host.Wall
}

// CollectivePacing summarizes the pacing of all calls of one collective. Gaps are in packet times.
type CollectivePacing struct {
	Collective string `json:"collective"`
	// Patterns is the number of different communication patterns, which depend on algorithm, root
	// and ranks. Each pattern has its own gaps.
	Patterns int     `json:"patterns"`
	Steps    int     `json:"steps"` // total over all patterns; one for a constant gap
	Least    uint32  `json:"least_gap"`
	Mean     float64 `json:"mean_gap"`
	Most     uint32  `json:"largest_gap"`
}

// pacingOfCollectives adds a summary of each paced collective, and a note for each collective that
// could not be paced.
func (r *Result) pacingOfCollectives(p *pacing.Pacer) {
	for _, t := range p.Told() {
		if t.Patterns > 0 {
			r.CollectivePacing = append(r.CollectivePacing, CollectivePacing{
				Collective: string(t.Kind), Patterns: t.Patterns, Steps: t.Steps,
				Least: t.Least, Mean: float64(t.Sum) / float64(t.Steps), Most: t.Most,
			})
		}
		for _, what := range t.Unpaced {
			r.Notes = append(
				r.Notes,
				fmt.Sprintf("collectives.%s.pacing does not hold for %s, which were not paced", t.Kind, what),
			)
		}
		if t.Patterns == 0 && len(t.Unpaced) == 0 {
			r.Notes = append(
				r.Notes,
				fmt.Sprintf(
					"collectives.%s.pacing had no effect: the program called no %s that could be "+
						"paced, or paced all itself",
					t.Kind, t.Kind,
				),
			)
		}
	}
}
