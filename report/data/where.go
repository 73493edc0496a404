package data

import "fabricast"

// share is one part of a time that is being divided, such as computation in the mean rank's time.
type share struct {
	what, definition string
	time             int64
}

// whereItWent divides the predicted time of the mean rank into parts that add up to it exactly. For
// synthetic traffic it divides the mean latency.
func (b *builder) whereItWent() []Part {
	parts := []Part{}
	total := int64(b.result.SimulatedTime)
	var shares []share
	switch {
	case b.result.Traffic != nil:
		total = int64(b.result.Traffic.Latency.Mean)
		shares = b.latencyShares(total)
	case b.ranks != nil && b.ranks.rows > 0 && b.ranks.has("end_ps", "compute_ps", "overhead_ps", "wait_ps"):
		shares = b.rankShares(total)
	}
	if len(shares) > 0 { // in an interrupted run, ranks may be ahead of the network
		total = 0
	}
	for _, s := range shares {
		total += s.time
	}
	for _, s := range shares {
		if s.time > 0 {
			parts = append(
				parts,
				Part{s.what, s.time, float64(s.time) / float64(max(1, total)), s.definition},
			)
		}
	}
	return parts
}

// rankShares divides total (ps): the time from 0 to the end of the slowest rank, or to the
// interruption of an interrupted run.
func (b *builder) rankShares(total int64) []share {
	compute, overhead, wait := b.mean("compute_ps"), b.mean("overhead_ps"), b.mean("wait_ps")
	late := max(0, b.mean("end_ps")-compute-overhead-wait)
	list := []share{
		{"late begin", "Before the rank began (imbalance).", late},
		{"compute", "Time in which the rank computed.", compute},
		{"overhead", "Software time of sends and receives, copies included.", overhead},
	}
	list = append(list, b.waitShares(wait)...)
	for _, s := range list {
		total -= s.time
	}
	rest := share{"ended", "After the rank had ended, until the slowest one had.", max(0, total)}
	if b.result.State != "" {
		rest.what, rest.definition = "not over", "In what was not over when the run was interrupted."
	}
	return append(list, rest)
}

// waitShares divides the waiting time (ps) of the mean rank.
func (b *builder) waitShares(wait int64) []share {
	if !b.ranks.has("wait_network_ps", "wait_serialization_ps", "network_waits") {
		return []share{{"waiting", "Time in which the rank waited for messages.", wait}}
	}
	network, serialization := b.mean("wait_network_ps"), b.mean("wait_serialization_ps")
	travel := min(network-serialization, b.travel())
	return []share{
		{
			"waiting",
			"The rank waited for a message that had not been sent yet, or for its own sends.",
			wait - network,
		},
		{
			"serialization",
			"It waited for a message under way: as long as the message's bytes take on the slowest " +
				"stage from memory to memory.",
			serialization,
		},
		{
			"travel",
			"It waited for a message under way: latencies of idle routers and cables over the mean " +
				"distance of packets.",
			travel,
		},
		{
			"queueing",
			"It waited for a message under way: what that took beyond serialization and travel, " +
				"behind other packets.",
			network - serialization - travel,
		},
	}
}

// travel estimates the latency (ps) of the messages that the mean rank waited for, without
// serialization and contention. Each message takes the mean number of hops over idle routers and
// cables.
func (b *builder) travel() int64 {
	if b.preview == nil || b.result.Packets == 0 && b.result.Model == "" {
		return 0
	}
	waits := float64(b.ranks.sum("network_waits")) / float64(b.ranks.rows)
	n := &b.preview.Experiment.Network
	for _, latency := range []*fabricast.Time{n.Parameters.L, n.Parameters.Alpha} {
		if latency != nil {
			return int64(waits * float64(*latency))
		}
	}
	z := &b.preview.ZeroLoad
	if z.MostLinks < 2 {
		return 0
	}
	hop := float64(z.Farthest-z.Neighbour) / float64(z.MostLinks-1)
	hops := z.MeanLinks
	if b.result.Packets > 0 {
		hops = float64(b.result.PacketHops) / float64(b.result.Packets)
	}
	return int64(waits * (hops*hop + 2*b.hostLatency()))
}

// hostLatency returns the mean latency (ps) of the links between NICs and routers.
func (b *builder) hostLatency() float64 {
	if len(b.preview.HostLinks) == 0 {
		return float64(b.preview.Experiment.Network.HostLink.Latency)
	}
	sum, count := 0.0, 0
	for _, l := range b.preview.HostLinks {
		sum += float64(l.Latency) * float64(l.Count)
		count += l.Count
	}
	return sum / float64(count)
}

// mean returns the mean of a column of the ranks table, rounded down, without overflow of the sum.
func (b *builder) mean(column string) int64 {
	n := int64(b.ranks.rows)
	var whole, rest int64
	for _, v := range b.ranks.column(column).ints {
		whole += v / n
		rest += v % n
	}
	return whole + rest/n
}

// latencyShares divides total, the mean message latency (ps) of synthetic traffic.
func (b *builder) latencyShares(total int64) []share {
	network := min(total, int64(b.result.Traffic.NetworkLatency))
	source := share{
		"source queue",
		"Of the mean latency of a message: from its generation to the injection of its packets.",
		total - network,
	}
	if b.preview == nil || b.preview.ZeroLoad.MostLinks < 2 {
		return []share{
			source,
			{"network", "Of the mean latency of a message: of its packets in the network.", network},
		}
	}
	z := &b.preview.ZeroLoad
	hop := float64(z.Farthest-z.Neighbour) / float64(z.MostLinks-1)
	idle := min(network, int64(float64(z.Neighbour)+(b.result.Traffic.Hops-1)*hop))
	return []share{
		source,
		{
			"idle network",
			"Of the mean latency of a message: what it takes on an idle network over the mean " +
				"distance, serialization included.",
			idle,
		},
		{
			"queueing",
			"Of the mean latency of a message: of its packets in the network beyond that.",
			network - idle,
		},
	}
}
