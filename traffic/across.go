package traffic

import (
	"iter"
	"slices"

	"fabricast/internal/cluster"
	"fabricast/internal/histogram"
)

// This file exchanges data between the processes of a run at the end of a batch, so that all
// processes make the same decisions. With one process, its functions exchange nothing.

// several reports whether several processes share the run.
func (s *Simulation) several() bool { return cluster.Several(s.group) }

// addOthers adds the bins of the other processes to s.sum.
func (s *Simulation) addOthers() {
	if !s.several() {
		return
	}
	own := make([]int64, 0, len(s.sum)*wordsOfBin)
	for i := range s.sum {
		own = s.sum[i].words(own)
	}
	for p, words := range cluster.GatherValues(s.group, own) {
		if p == s.group.Rank() {
			continue
		}
		for len(words)/wordsOfBin > len(s.sum) {
			s.sum = append(s.sum, bin{})
		}
		for i := range len(words) / wordsOfBin {
			b := binOf(words[i*wordsOfBin:])
			s.sum[i].add(&b)
		}
	}
}

// wordsOfBin is the number of integers that bin.words appends.
const wordsOfBin = 7

// words appends the counts of a bin as integers, for transfer to other processes.
func (b *bin) words(to []int64) []int64 {
	return append(
		to, b.generated, b.arrived, b.latency, b.bytes, b.delivered, int64(b.hash[0]), int64(b.hash[1]),
	)
}

func binOf(w []int64) bin {
	return bin{
		generated: w[0], arrived: w[1], latency: w[2], bytes: w[3], delivered: w[4],
		hash: [2]uint64{uint64(w[5]), uint64(w[6])},
	}
}

// lags yields the lag of each source behind its arrival process (ps), ordered by NIC.
func (s *Simulation) lags() iter.Seq[int64] {
	if !s.several() {
		return s.lagsHere()
	}
	own := slices.Collect(s.lagsHere())
	return func(yield func(int64) bool) {
		for _, of := range cluster.GatherValues(s.group, own) {
			for _, lag := range of {
				if !yield(lag) {
					return
				}
			}
		}
	}
}

// lagsHere is like lags, but only for the sources of this process.
func (s *Simulation) lagsHere() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for _, e := range s.endpoints {
			for i := range e.sources {
				if !yield(e.behind(i, s.now)) {
					return
				}
			}
		}
	}
}

// least returns the minimum of time over all processes.
func (s *Simulation) least(time int64) int64 {
	if s.several() {
		values := []int64{time}
		s.group.Least(values)
		return values[0]
	}
	return time
}

// measured holds the latencies measured by a process, for transfer to the other processes.
type measured struct {
	Latency histogram.Histogram
	Classes histogram.Parts
	ByClass []ClassOutcome
	BySize  []SizeOutcome
	Incasts []SizeOutcome
}

// addLatencies adds the latencies measured by the other processes to o.
func (s *Simulation) addLatencies(o *Outcome) {
	if !s.several() {
		return
	}
	own := measured{o.Latency, o.Classes.Parts(), o.ByClass, o.BySize, o.Incasts}
	for p, of := range cluster.GatherValues(s.group, own) {
		if p != s.group.Rank() {
			o.Latency.Add(&of.Latency)
			o.Classes.AddParts(of.Classes)
			o.ByClass = addClasses(o.ByClass, of.ByClass)
			o.BySize = addSizes(o.BySize, of.BySize)
			o.Incasts = addSizes(o.Incasts, of.Incasts)
		}
	}
}

// join connects s.steps to the steps of the other processes.
func (s *Simulation) join(network Network) {
	if s.group = network.Group(); s.several() {
		s.steps.Across(network.Joint())
	}
}
