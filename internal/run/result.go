package run

import (
	"encoding/json"
	"fmt"
	"runtime"
	"time"

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
)

// Schema is the schema name and version of a Result as JSON.
const Schema = record.Schema

// EngineWindows names the engine that simulates the network in windows of its lookahead.
const EngineWindows = "windows"

// Result holds the prediction and what the simulation cost. Its JSON keys are described in
// docs/formats/result.md. All fields but Processes, Workers, Balance, Moves, Engine, Windows, Version and Host are a
// function of the experiment.
type Result struct {
	Schema  string `json:"schema"`
	Version string `json:"version"`
	// State is "interrupted" if the run was interrupted; the other fields then cover what had been
	// simulated. Else it is "".
	State string `json:"state,omitempty"`

	// Hash is over source, destination, tag, size, send and delivery time of
	// every message, independent of their order.
	Hash string `json:"result_hash"`
	// Model is that of the network, if it has no packets.
	Model         string     `json:"model,omitempty"`
	SimulatedTime units.Time `json:"simulated_time_ps"` // when the last rank ended
	Seed          uint64     `json:"seed"`

	Ranks       int     `json:"ranks"`
	RankEnd     RankEnd `json:"rank_end_ps"`
	SlowestRank int     `json:"slowest_rank"` // the first of those that ended last
	// RanksEnded is how many ranks had ended, of a run that was interrupted. RankEnd then has the
	// clocks of all, and SlowestRank the rank whose clock had got farthest.
	RanksEnded int `json:"ranks_ended,omitempty"`

	Messages int64 `json:"messages"`
	// messages that arrived but that no receive asked for
	Unreceived int64 `json:"unreceived_messages"`
	// the unreceived message of the lowest rank
	FirstUnreceived *Unreceived `json:"first_unreceived,omitempty"`
	PayloadBytes    int64       `json:"payload_bytes"`
	Packets         int64       `json:"packets"`
	// router-to-router links taken, over all packets
	PacketHops int64 `json:"packet_hops"`
	// of the simulation: see docs/formats/result.md
	Events  int64   `json:"events"`
	Latency Latency `json:"latency_ps"`
	// between routers; of traffic: while it was measured
	Links     meter.LinkUsage `json:"links"`
	HostLinks meter.LinkUsage `json:"host_links"` // between NICs and routers, both ways
	// LinkClasses tells of the links between routers by class (a dimension, a level of a tree),
	// where there are several.
	LinkClasses []meter.ClassUsage `json:"link_classes,omitempty"`

	Pacing *predict.PacingResult `json:"pacing,omitempty"` // of a collective
	// CollectivePacing tells of the collectives of any program that the experiment has paced.
	CollectivePacing []CollectivePacing `json:"collective_pacing,omitempty"`
	Imbalance        *ImbalanceResult   `json:"imbalance,omitempty"` // of ranks that begin late
	// where it was measured: the prediction then varies from run to run
	Compute *experiment.Compute `json:"compute,omitempty"`

	// what makes the result doubtful, or what the experiment asked for and the run could not do
	Notes []string `json:"notes,omitempty"`

	Traffic *TrafficResult `json:"traffic,omitempty"` // of synthetic traffic

	Jobs []JobResult `json:"jobs,omitempty"` // of several at once
	// With Interference: how many links between routers several jobs send over, and those of them
	// that are used most, at most 100.
	SharedLinkCount int          `json:"shared_link_count,omitempty"`
	SharedLinks     []SharedLink `json:"shared_links,omitempty"`

	Processes int     `json:"processes,omitempty"` // that shared the run, if there were several
	Workers   int     `json:"workers"`             // of each process
	Balance   float64 `json:"balance"`             // the workers' mean share of the work as a part of the largest
	Moves     int     `json:"moves,omitempty"`     // how often routers moved between workers, to even out their shares
	Engine    string  `json:"engine"`
	Windows   uint64  `json:"windows"` // that the engine executed
	// Optimistic is what an optimistic mode of the engine has cost; nil in the conservative one.
	Optimistic *optimistic.Result `json:"optimistic,omitempty"`
	Host       Host               `json:"host"`
}

// RankEnd holds the mean and latest time at which ranks ended.
type RankEnd struct {
	Mean units.Time `json:"mean"`
	Max  units.Time `json:"max"`
}

// Unreceived describes a message that no receive asked for.
type Unreceived struct {
	Source      int         `json:"source"`      // rank in the communicator that it was sent in
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

// Host holds the time, memory and processors that the simulation used on the machine it ran on.
type Host struct {
	User    float64 `json:"user_s"`
	Sys     float64 `json:"sys_s"`
	Wall    float64 `json:"wall_s"`
	PeakRSS int64   `json:"peak_rss_bytes"` // of the process so far
	CPUs    int     `json:"cpus"`
	Go      string  `json:"go"`
}

// JSON returns the result as indented JSON.
func (r *Result) JSON() ([]byte, error) {
	text, err := json.MarshalIndent(r, "", "  ")
	return append(text, '\n'), err
}

// stopwatch measures the wall-clock and processor time that a run uses.
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

// measured returns how the experiment's computation was measured; nil if it was not.
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

// events computes the number of simulated events from counters that the network and the ranks keep
// anyway, so it does not depend on how the engine groups events into windows. A packet counts for
// its injection, each crossbar grant on its way, and the end of its transfer to memory; a message
// for its send and its delivery; a rank for its beginning and its end, and one that executes tasks
// for each time that it looks at what has come: after a task, or after a set of tasks. No event is
// ever rolled back.
func events(t fabric.Totals, ranks *node.Stats) int64 {
	const grantAndTransfer, sendAndDelivery = 2, 2
	return int64(t.Packets+t.Hops+grantAndTransfer*t.Delivered) + sendAndDelivery*ranks.Messages +
		int64(ranks.Ranks+ranks.Finished) + ranks.Looks
}

// EventRate returns how many events were simulated per second of wall-clock time; 0 if that is
// unknown.
func (r *Result) EventRate() float64 {
	if r.Host.Wall <= 0 {
		return 0
	}
	return float64(r.Events) / r.Host.Wall
}

// CollectivePacing summarizes how the calls of one collective were paced. Gaps are in packet times.
type CollectivePacing struct {
	Collective string `json:"collective"`
	// Patterns counts the different communication patterns: those of different algorithms, roots or
	// ranks. Each has its own gaps.
	Patterns int     `json:"patterns"`
	Steps    int     `json:"steps"` // of all patterns; one for a constant gap
	Least    uint32  `json:"least_gap"`
	Mean     float64 `json:"mean_gap"`
	Most     uint32  `json:"largest_gap"`
}

// pacingOfCollectives adds a summary of each paced collective, and a note for each that could not
// be paced.
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
