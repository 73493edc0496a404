package data

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"fabricast"
	"fabricast/record"
)

// hashFigure is the name of the result hash. Equal hashes mean equal results.
const hashFigure = "result hash"

// hottest is the maximum number of links with the highest utilization in a summary.
const hottest = 10

// summary returns the main figures of the run.
func (b *builder) summary() *Summary {
	r := b.result
	s := &Summary{
		Predicted: int64(r.SimulatedTime), Time: SimulatedTime, Divided: RankTime,
		WhereItWent: b.whereItWent(), HottestLink: b.hottestLinks(), Figures: b.figures(), Bounds: []Bound{},
	}
	switch {
	case r.Traffic != nil:
		s.Divided = MessageLatency
	case r.State == "": // otherwise there is no prediction, and the slowest rank is unknown
		s.Time, s.Bounds = PredictedTime, b.bounds()
		s.SlowestRank = &SlowestRank{r.SlowestRank, int64(r.RankEnd.Max)}
	}
	return s
}

// hottestLinks returns the links with the highest utilization.
func (b *builder) hottestLinks() []HotLink {
	list := []HotLink{}
	if b.links == nil || !b.links.has("utilization_fraction", "wire_bytes") {
		return list
	}
	utilization := b.links.column("utilization_fraction").floats
	rows := upTo(min(b.links.rows, mostLinks))
	slices.SortStableFunc(rows, func(x, y int32) int { return cmp.Compare(utilization[y], utilization[x]) })
	for _, row := range rows[:min(len(rows), hottest)] {
		list = append(
			list,
			HotLink{
				int(row), b.linkName(int(row)), b.links.text("kind", int(row)) != record.Between,
				utilization[row], b.links.int("wire_bytes", int(row), 0),
			},
		)
	}
	return list
}

// figures returns the main figures of the result in the order in which they are shown.
func (b *builder) figures() []Figure {
	r := b.result
	list := []Figure{}
	add := func(what string, value any, unit, definition string) {
		list = append(list, Figure{what, value, unit, definition})
	}
	if r.Traffic != nil {
		b.trafficFigures(add)
	} else {
		add("ranks", r.Ranks, "ranks", "")
		if r.State == "" {
			add("mean end of ranks", r.RankEnd.Mean, "ps", "When the mean rank's program ended.")
		} else {
			add("ended ranks", r.RanksEnded, "ranks", "Before the run was interrupted.")
		}
	}
	add("messages", r.Messages, "messages", "Delivered to memory.")
	add("payload", r.PayloadBytes, "bytes", "Of all messages, without headers.")
	add("mean latency of messages", r.Latency.Mean, "ps", "From the call of send to delivery.")
	if p := b.preview; b.named() && r.Traffic == nil && p.ZeroLoad.Mean > 0 {
		add("latency on an idle network", p.ZeroLoad.Mean, "ps", fmt.Sprintf(
			"Of a message of %d B over the mean distance of two hosts, from the call of send to the "+
				"return of receive.",
			p.ZeroLoad.Payload,
		))
	}
	add("99 % of latencies up to", r.Latency.P99, "ps", "At most 0.4 % too low.")
	classFigures(r, add)
	if r.Model == "" {
		add("packets", r.Packets, "packets", "Injected into the network.")
		add("packet hops", r.PacketHops, "hops", "Links between routers that packets took in all.")
	}
	add("events", r.Events, "events", "Simulated: sends, injections, grants of crossbars, deliveries.")
	if r.Model == "" {
		add(
			"mean utilization of router links",
			r.Links.MeanUtilization, "fraction",
			"Of links between routers: bytes carried over bytes that they could have carried.",
		)
		add("highest utilization of router links", r.Links.MaxUtilization, "fraction", "Of links between routers.")
	}
	if i := r.Imbalance; i != nil && i.Balanced > 0 {
		add(
			"time without imbalance",
			i.Balanced, "ps",
			"Of the same experiment with ranks that begin together, and without noise.",
		)
	}
	faultFigures(r.Faults, add)
	congestionFigures(r, add)
	optimisticFigures(r.Optimistic, add)
	add(hashFigure, r.Hash, "", "Over all messages. The same hash means the same result.")
	add("simulated in", r.Host.Wall, "s", fmt.Sprintf("By %d workers.", r.Workers))
	return list
}

// classFigures adds the latencies and shares of classes of messages.
func classFigures(r *fabricast.Result, add func(what string, value any, unit, definition string)) {
	one := func(class int, name string, mean, p99 any, share float64) {
		of := "class " + cmp.Or(name, strconv.Itoa(class))
		add("mean latency, "+of, mean, "ps", fmt.Sprintf("Of messages of class %d.", class))
		add("99 % of latencies, "+of, p99, "ps", "At most 0.4 % too low.")
		add("share, "+of, share, "fraction", "Of the bytes of all classes.")
	}
	for i := range r.Classes {
		c := &r.Classes[i]
		one(c.Class, c.Name, c.Latency.Mean, c.Latency.P99, c.Share)
	}
	if r.Traffic != nil {
		for i := range r.Traffic.Classes {
			c := &r.Traffic.Classes[i]
			one(c.Class, c.Name, c.Latency.Mean, c.Latency.P99, c.Share)
		}
	}
}

// faultFigures adds what failed; f is nil if nothing did.
func faultFigures(f *fabricast.FaultsResult, add func(what string, value any, unit, definition string)) {
	if f == nil {
		return
	}
	add("faults", f.Count, "faults", "That began before the end of the run.")
	if f.Later > 0 {
		add("later faults", f.Later, "faults", "After the end of the run, so that they did not change it.")
	}
	add("packets sent again", f.Retried, "packets", "By a link that had lost them.")
	add("packets lost", f.Lost, "packets", "By links that were down, or in a lossy network by bit errors.")
	add("packets repeated", f.Repeated, "packets", "By NICs, after links that were down had lost them.")
	add("packets rerouted", f.Rerouted, "packets", "Led another way than without faults, by tables or routers that avoid links.")
	if f.LongestReroute != nil {
		add("longest time to reroute", *f.LongestReroute, "ps", "From a fault until packets avoid it.")
	}
}

// optimisticFigures adds the costs of an optimistic mode of the engine; o is nil in the
// conservative mode.
func optimisticFigures(
	o *fabricast.OptimisticResult, add func(what string, value any, unit, definition string),
) {
	if o == nil {
		return
	}
	add(
		"event efficiency", o.Efficiency, "fraction",
		"Optimistic engine: 1 less windows rolled back over windows committed.",
	)
	add("committed windows", o.Committed, "windows", fmt.Sprintf("Of %d parts of the network.", o.Parts))
	add("rolled back windows", o.RolledBack, "windows", "Executed, and undone because something came too late.")
	add("committed packet hops", o.CommittedPackets, "hops", "Of packets in committed windows.")
	add("rolled back packet hops", o.RolledBackPackets, "hops", "Of packets in windows that were undone.")
	add("GVT rounds", o.GVTRounds, "rounds", "After which saved states were given up that nobody needs.")
	add("synchronizations", o.Synchronizations, "exchanges", "Of a process with the other processes.")
	add("memory of saved states", o.SaveMemory, "bytes", "Held at once at most, in all parts together.")
}

// trafficFigures adds the main figures of synthetic traffic.
func (b *builder) trafficFigures(add func(what string, value any, unit, definition string)) {
	x := b.result.Traffic
	stable := "yes"
	switch {
	case b.result.State != "":
		stable = "not judged"
	case !x.Stable:
		stable = "no"
	}
	add("offered load", x.Offered.Float(), "fraction", "Share of the host links' bandwidth.")
	add("accepted load", x.Accepted.Mean, "fraction", "Share of the host links' bandwidth.")
	add("stable", stable, "", "Whether the network keeps up with what is offered.")
	add("mean latency in the network", x.NetworkLatency, "ps", "Of a packet, from injection to delivery.")
	add("mean distance", x.Hops, "hops", "Links between routers that a packet took.")
}

// named reports whether the experiment runs a built-in program, whose messages are known in
// advance.
func (b *builder) named() bool {
	return b.preview != nil && b.preview.Experiment.Workload.Program != ""
}

// bounds returns lower bounds of the predicted time, such as the time that the busiest link needs.
func (b *builder) bounds() []Bound {
	list := []Bound{}
	if link, time := b.busiestLink(); link >= 0 {
		list = append(list, Bound{"bandwidth", time, fmt.Sprintf(
			"What the busiest link, %s, needs for all that it carried: wire bytes over bandwidth.",
			b.linkName(link),
		)})
	}
	if rank, time := b.busiestRank(); rank >= 0 {
		list = append(
			list,
			Bound{
				"own work",
				time,
				fmt.Sprintf("Computation and software overhead of rank %d, which has most of them.", rank),
			},
		)
	}
	if b.named() && b.result.Packets > 0 && b.result.State == "" {
		far := b.result.PacketHops > 0
		if time := b.preview.LeastLatency(far); time > 0 {
			between := "two hosts at one router"
			if far {
				between = "two hosts at neighbouring routers"
			}
			list = append(list, Bound{
				"zero load", int64(time),
				"A message without payload, between " + between + " on an idle network.",
			})
		}
	}
	return list
}

// busiestLink returns the row of the link with the longest transfer time (ps) for its bytes; row -1
// if unknown.
func (b *builder) busiestLink() (row int, time int64) {
	row = -1
	if b.links == nil || !b.links.has("bandwidth_bytes_per_s", "wire_bytes") {
		return row, 0
	}
	bytes, rates := b.links.column("wire_bytes").ints, b.links.column("bandwidth_bytes_per_s").ints
	longest := 0.0
	for i, n := range bytes {
		if t := float64(n) / float64(max(1, rates[i])); t > longest {
			row, longest = i, t
		}
	}
	return row, int64(longest * 1e12)
}

// busiestRank returns the rank with the most computation and overhead (ps); -1 if unknown.
func (b *builder) busiestRank() (rank int, time int64) {
	rank = -1
	if b.ranks == nil || !b.ranks.has("compute_ps", "overhead_ps") {
		return rank, 0
	}
	compute, overhead := b.ranks.column("compute_ps").ints, b.ranks.column("overhead_ps").ints
	for i := range compute {
		if t := compute[i] + overhead[i]; t > time {
			rank, time = i, t
		}
	}
	return rank, time
}
