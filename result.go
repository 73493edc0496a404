package fabricast

import (
	"encoding/json"
	"fmt"
	"runtime"
	"time"

	"fabricast/internal/machine"
)

// Schema names the layout of a Result as JSON.
const Schema = "fabricast.result/1"

// EngineWindows is the engine that runs the network in windows of its lookahead.
const EngineWindows = "windows"

// Result is the prediction and what it cost to make. Its JSON keys are
// described in docs/formats/result.md. All but Workers, Balance, Engine, Version
// and Host are a function of the experiment.
type Result struct {
	Schema  string `json:"schema"`
	Version string `json:"version"`
	// State is "interrupted" of a run that was: all that follows is of what it had done. Else it is "".
	State string `json:"state,omitempty"`

	// Hash is over source, destination, tag, size, send and delivery time of
	// every message, independent of their order.
	Hash          string `json:"result_hash"`
	SimulatedTime Time   `json:"simulated_time_ps"` // when the last rank ended
	Seed          uint64 `json:"seed"`

	Ranks       int     `json:"ranks"`
	RankEnd     RankEnd `json:"rank_end_ps"`
	SlowestRank int     `json:"slowest_rank"` // the first of those that ended last

	Messages        int64       `json:"messages"`
	Unreceived      int64       `json:"unreceived_messages"`        // that arrived but no receive asked for
	FirstUnreceived *Unreceived `json:"first_unreceived,omitempty"` // of them, that of the lowest rank
	PayloadBytes    int64       `json:"payload_bytes"`
	Packets         int64       `json:"packets"`
	PacketHops      int64       `json:"packet_hops"` // router-to-router links taken, over all packets
	Latency         Latency     `json:"latency_ps"`
	Links           LinkUsage   `json:"links"`      // between routers; of traffic: while it was measured
	HostLinks       LinkUsage   `json:"host_links"` // between NICs and routers, both ways
	// LinkClasses tells of the links between routers by class (a dimension, a level of a tree), where there
	// are several.
	LinkClasses []ClassUsage `json:"link_classes,omitempty"`

	Pacing *PacingResult `json:"pacing,omitempty"` // of a collective
	// CollectivePacing tells of the collectives of any program that the experiment has paced.
	CollectivePacing []CollectivePacing `json:"collective_pacing,omitempty"`
	Imbalance        *ImbalanceResult   `json:"imbalance,omitempty"` // of ranks that begin late
	Compute          *Compute           `json:"compute,omitempty"`   // where it was measured: the prediction then varies from run to run

	Notes []string `json:"notes,omitempty"` // what makes the result doubtful, or what the experiment asked for and the run could not do

	Traffic *TrafficResult `json:"traffic,omitempty"` // of synthetic traffic

	Workers int     `json:"workers"`
	Balance float64 `json:"balance"` // the workers' mean share of the work as a part of the largest
	Engine  string  `json:"engine"`
	Windows uint64  `json:"windows"` // that the engine executed
	Host    Host    `json:"host"`
}

// RankEnd sums up when the ranks ended.
type RankEnd struct {
	Mean Time `json:"mean"`
	Max  Time `json:"max"`
}

// Unreceived is a message that no receive asked for.
type Unreceived struct {
	Source      int   `json:"source"`      // a rank of the communicator that it was sent in
	Destination int   `json:"destination"` // a rank of the world
	Tag         int   `json:"tag"`
	Size        int64 `json:"bytes"`
	Collective  bool  `json:"collective"` // it is of a collective, and the tag is the algorithm's
}

// Latency sums up the time from send to delivery of all messages.
type Latency struct {
	Mean Time `json:"mean"`
	P50  Time `json:"p50"`
	P99  Time `json:"p99"`
	Max  Time `json:"max"`
}

// LinkUsage sums up a kind of links. A link's bandwidth is what it carried over
// the simulated time; its efficiency is the share of what it could have carried.
type LinkUsage struct {
	Count          int     `json:"count"` // one for each direction
	Bytes          int64   `json:"bytes"`
	MeanBandwidth  float64 `json:"mean_bytes_per_s"`
	MaxBandwidth   float64 `json:"max_bytes_per_s"`
	MeanEfficiency float64 `json:"mean_efficiency"`
	MaxEfficiency  float64 `json:"max_efficiency"`
	Busiest        string  `json:"busiest"` // where the one with the most bytes begins
}

// ClassUsage tells how evenly the links of a class are used.
type ClassUsage struct {
	Class          string  `json:"class"` // as in Network.Links
	Count          int     `json:"count"` // one for each direction
	MinEfficiency  float64 `json:"min_efficiency"`
	MeanEfficiency float64 `json:"mean_efficiency"`
	MaxEfficiency  float64 `json:"max_efficiency"`
}

// Host tells what the simulation used of the machine.
type Host struct {
	User    float64 `json:"user_s"`
	Sys     float64 `json:"sys_s"`
	Wall    float64 `json:"wall_s"`
	PeakRSS int64   `json:"peak_rss_bytes"` // of the process so far
	CPUs    int     `json:"cpus"`
	Go      string  `json:"go"`
}

// JSON writes the result as indented JSON.
func (r *Result) JSON() ([]byte, error) {
	text, err := json.MarshalIndent(r, "", "  ")
	return append(text, '\n'), err
}

// stopwatch measures what a run uses.
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

// hashText prints a result hash.
func hashText(h [2]uint64) string { return fmt.Sprintf("%016x%016x", h[0], h[1]) }
