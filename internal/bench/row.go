package bench

import "slices"

// tellingHops is the number of packet hops from which quantities per hop are meaningful. In smaller
// runs, building the network is most of the work.
const tellingHops = 2_000_000

func newRow(c *Case, size *Size) *Row {
	return &Row{
		Name: c.Name, Title: c.Title, Cut: size.Cut, Published: c.Published,
		Ranks: size.Experiment.Ranks, Workers: c.Workers,
	}
}

// fill sets the row's quantities to their medians over the runs, of which there must be at least
// one.
func (r *Row) fill(runs []run) {
	first := runs[0].result
	r.Repeats = len(runs)
	r.Packets, r.PacketHops = first.Packets, first.PacketHops
	r.SimulatedTime, r.Hash = first.SimulatedTime, first.Hash
	r.CPU = median(runs, func(m run) float64 { return m.result.Host.User + m.result.Host.Sys })
	r.Wall = median(runs, func(m run) float64 { return m.result.Host.Wall })
	r.PeakRSS = int64(median(runs, func(m run) float64 { return float64(m.result.Host.PeakRSS) }))
	r.Instructions = int64(median(runs, func(m run) float64 { return float64(m.instructions) }))
	r.LeftError = median(runs, func(m run) float64 { return m.result.LeftError })
	if r.Ranks == 0 { // traffic: every node has one NIC, with a link in each direction
		r.Ranks = first.HostLinks.Count / 2
	}
	r.BytesPerNode = float64(r.PeakRSS) / float64(r.Ranks)
	if r.TraceEvents = first.TraceEvents; r.TraceEvents > 0 && r.CPU > 0 {
		r.EventsPerSecond = float64(r.TraceEvents) / r.CPU
		r.Instructions = 0 // the count includes writing the trace
	}
	if hops := float64(r.PacketHops); hops >= tellingHops {
		r.NSPerHop = r.CPU * 1e9 / hops
		r.InstructionsPerHop = float64(r.Instructions) / hops
	}
}

// median returns the median of a quantity over the runs.
func median(runs []run, figure func(run) float64) float64 {
	var sorted []float64
	for _, m := range runs {
		sorted = append(sorted, figure(m))
	}
	slices.Sort(sorted)
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// check compares the row with the limits.
func (r *Row) check(b Bound) {
	for _, c := range []struct {
		of           string
		found, limit float64
	}{
		{"cpu_s", r.CPU, b.CPU},
		{"cpu_ns_per_hop", r.NSPerHop, b.NSPerHop},
		{"peak_rss_bytes", float64(r.PeakRSS), b.Memory},
		{"wall_ratio", r.WallRatio, b.WallRatio},
	} {
		if c.limit > 0 && c.found > 0 {
			r.Bounds = append(r.Bounds, Check{Of: c.of, Limit: c.limit, Met: c.found <= c.limit})
		}
	}
}
