package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"fabricast"
	"fabricast/internal/humanize"
	"fabricast/record"
)

// Text writes the result as a table for a terminal of 100 columns.
func Text(w io.Writer, r *fabricast.Result) error {
	if r.Traffic != nil {
		return trafficText(w, r)
	}
	t := &table{}
	prediction(t, r)
	jobs(t, r)
	carried(t, r)
	sharedLinks(t, r)
	effort(t, r)
	_, err := io.WriteString(w, t.String())
	return err
}

// endings says until when a run went on that has not ended, by its state.
var endings = map[string]string{
	string(record.Interrupted): "the interruption", string(record.Stopped): "ranks stopped with their hosts",
}

// prediction adds the predicted time and the figures that explain it.
func prediction(t *table, r *fabricast.Result) {
	if r.State == "" {
		t.add("predicted time", Time(r.SimulatedTime), fmt.Sprintf("%s ps", Count(r.SimulatedTime)))
	} else {
		t.add("simulated time", Time(r.SimulatedTime), fmt.Sprintf(
			"%s ps until %s, which is no prediction", Count(r.SimulatedTime), endings[r.State],
		))
	}
	trained(t, r.Training)
	served(t, r.Serving)
	pacing(t, r.Pacing)
	for _, p := range r.CollectivePacing {
		t.add(
			"pacing of "+p.Collective,
			"mean gap "+significant(p.Mean),
			fmt.Sprintf(
				"%d to %d packet times, %s, %s",
				p.Least, p.Most, humanize.Plural(p.Patterns, "pattern"),
				humanize.Plural(p.Steps, "step"),
			),
		)
	}
	imbalance(t, r.Imbalance)
	faults(t, r.Faults)
	goodput(t, r.Checkpoint)
	if c := r.Compute; c != nil {
		t.add(
			"computation",
			c.Mode+" x "+significant(float64(c.Factor)),
			"time of this machine: the prediction varies from run to run",
		)
	}
	ends := fmt.Sprintf("%s had ended", Count(r.RanksEnded))
	if r.State == "" {
		ends = fmt.Sprintf(
			"mean end %s, slowest %d at %s", Time(r.RankEnd.Mean), r.SlowestRank, Time(r.RankEnd.Max),
		)
	}
	t.add("ranks", Count(r.Ranks), ends)
	t.add("messages", Count(r.Messages), "payload "+Size(r.PayloadBytes)+unreceived(r))
	t.add(
		"message latency",
		"mean "+Time(r.Latency.Mean),
		fmt.Sprintf(
			"median %s, 99 %% %s, maximum %s",
			Time(r.Latency.P50), Time(r.Latency.P99), Time(r.Latency.Max),
		),
	)
	classes(t, r.Classes)
}

// trained adds the results of training steps.
func trained(t *table, r *fabricast.TrainingResult) {
	if r == nil {
		return
	}
	t.add("training step", Time(r.StepTime), fmt.Sprintf(
		"%s tokens/s, model flops utilization %s", significant(r.TokensPerSecond), Percent(r.Utilization),
	))
	var waits []string
	for _, name := range slices.Sorted(maps.Keys(r.Exposed)) {
		if wait := r.Exposed[name]; wait > 0 {
			waits = append(waits, name+" "+Time(wait))
		}
	}
	if len(waits) == 0 {
		waits = []string{"no communication"}
	}
	t.add("  computation", Time(r.Computation), "bubble "+Time(r.Bubble)+"; exposed: "+strings.Join(waits, ", "))
	m := &r.Memory
	t.add("  memory of a GPU", Size(int64(m.Total)), fmt.Sprintf(
		"of %s, stage %d: layers %s, embeddings %s, activations %s",
		Size(int64(m.Available)), m.Stage, Size(int64(m.Layers)), Size(int64(m.Embeddings)), Size(int64(m.Activations)),
	))
}

// classes adds the results of classes of messages.
func classes(t *table, list []fabricast.ClassResult) {
	for i := range list {
		c := &list[i]
		queues := ""
		if g := c.Congestion; g != nil {
			queues = fmt.Sprintf("; packets: %s marked, %s cut, %s dropped", Count(int64(g.Marked)), Count(int64(g.Trimmed)), Count(int64(g.Dropped)))
			if g.Pauses > 0 {
				queues += ", " + humanize.Plural(int(g.Pauses), "pause") + " for " + Time(g.Paused)
			}
		}
		t.add(
			"  "+nameOfClass(c.Class, c.Name), "mean "+Time(c.Latency.Mean),
			fmt.Sprintf(
				"median %s, 99 %% %s, maximum %s; %s, %s, %s of the payload, %s", Time(c.Latency.P50), Time(c.Latency.P99),
				Time(c.Latency.Max), humanize.Plural(int(c.Messages), "message"), Size(c.PayloadBytes), Percent(c.Share),
				Rate(c.Throughput),
			)+queues,
		)
	}
}

// nameOfClass returns a class in words.
func nameOfClass(class int, name string) string {
	if name == "" {
		return fmt.Sprintf("class %d", class)
	}
	return "class " + name
}

// pacing adds the gaps of a paced collective.
func pacing(t *table, p *fabricast.PacingResult) {
	switch {
	case p == nil:
	case p.Steps == 1:
		t.add("pacing", "gap "+Count(int(p.Most)), "packet times after every packet")
	default:
		t.add(
			"pacing",
			"mean gap "+significant(p.Mean),
			fmt.Sprintf("%d to %d packet times, %s", p.Least, p.Most, humanize.Plural(p.Steps, "step")),
		)
	}
}

// imbalance adds the start times of the ranks and the resulting slowdown.
func imbalance(t *table, i *fabricast.ImbalanceResult) {
	if i == nil {
		return
	}
	t.add("ranks begin", "mean "+Time(i.Mean), fmt.Sprintf("first %s, last %s", Time(i.First), Time(i.Last)))
	if i.Balanced > 0 {
		t.add(
			"balanced time",
			Time(i.Balanced),
			fmt.Sprintf(
				"%s ps; the predicted time is %s times that",
				Count(i.Balanced), significant(i.Slowdown),
			),
		)
	}
}

func unreceived(r *fabricast.Result) string {
	if r.Unreceived == 0 {
		return ""
	}
	if r.State != "" {
		return fmt.Sprintf(", %s not received yet", Count(r.Unreceived))
	}
	return fmt.Sprintf(", %s never received", Count(r.Unreceived))
}

// carried adds the packets, hops and link utilization.
func carried(t *table, r *fabricast.Result) {
	if r.Model != "" {
		t.add("network model", r.Model, "message by message, without packets")
		links(t, "host links", r.HostLinks)
		return
	}
	t.add("packets", Count(r.Packets), Count(r.PacketHops)+" packet-hops between routers")
	congestion(t, r)
	usage(t, r)
}

// congestion adds what congestion control has done, and what became of packets in a network that drops
// or pauses them.
func congestion(t *table, r *fabricast.Result) {
	if c := r.CongestionControl; c != nil {
		t.add("congestion", Count(c.Marked)+" marked", fmt.Sprintf(
			"%s, NICs held back packets for %s in all",
			humanize.Plural(int(c.Notifications), "notification"), Time(c.Throttled),
		))
	}
	c := r.Congestion
	if c == nil {
		return
	}
	t.add("congestion", Count(int64(c.Marked))+" marked", fmt.Sprintf(
		"%s cut, %s dropped, %s sent again, %s", Count(int64(c.Trimmed)), Count(int64(c.Dropped)), Count(int64(c.Again)),
		humanize.Plural(int(c.Timeouts), "timeout"),
	))
	if c.Pauses > 0 {
		t.add("pauses", Count(int64(c.Pauses)), "for "+Time(c.Paused)+" in all")
	}
	if p := r.Pauses; p != nil && len(p.Roots) > 0 {
		root := &p.Roots[0]
		t.add("", "most for", fmt.Sprintf("%s: %s and from there %s paused, %s", root.Link,
			Time(int64(root.Time)), humanize.Plural(root.Links, "link"), humanize.Plural(root.Hosts, "NIC")))
	}
}

// mostClasses is the maximum number of link classes listed. It suffices for all levels or
// dimensions of a network, but not where single links are classes of their own.
const mostClasses = 12

// usage adds the utilization of links.
func usage(t *table, r *fabricast.Result) {
	links(t, "router links", r.Links)
	shown := r.LinkClasses[:min(len(r.LinkClasses), mostClasses)]
	for i, c := range shown {
		name := ""
		if i == 0 {
			name = "by class"
		}
		t.add(name, "mean "+Percent(c.MeanUtilization), fmt.Sprintf("%s to %s, over %s links of %s",
			Percent(c.MinUtilization), Percent(c.MaxUtilization), Count(c.Count), c.Class))
	}
	if left := len(r.LinkClasses) - len(shown); left > 0 {
		t.add("", fmt.Sprintf("and %s classes more", Count(left)), "")
	}
	links(t, "host links", r.HostLinks)
}

func links(t *table, name string, u fabricast.LinkUsage) {
	if u.Count == 0 {
		return
	}
	t.add(
		name, "mean "+Rate(u.MeanBandwidth),
		fmt.Sprintf("%s utilization, over %s links", Percent(u.MeanUtilization), Count(u.Count)),
	)
	t.add("", "busiest "+Rate(u.MaxBandwidth), fmt.Sprintf("%s, %s", Percent(u.MaxUtilization), u.Busiest))
}

// effort adds the costs of the simulation: wall-clock time, CPU time, memory and events.
func effort(t *table, r *fabricast.Result) {
	t.add("result hash", r.Hash, "")
	h := r.Host
	cpu := h.User + h.Sys
	speed := ""
	if r.PacketHops > 0 && h.Wall > 0 {
		speed = fmt.Sprintf("%s packet-hops/s, %s of CPU a hop",
			Count(int64(float64(r.PacketHops)/h.Wall)), Seconds(cpu/float64(r.PacketHops)))
	}
	t.add("simulated in", Seconds(h.Wall), speed)
	t.add("", "CPU "+Seconds(cpu), fmt.Sprintf("%s, peak memory %s", workers(r), Memory(h.PeakRSS)))
	optimism(t, r.Optimistic)
	if r.Events > 0 {
		t.add(
			"events",
			Count(r.Events),
			Count(int64(r.EventRate()))+"/s: sends, injections, grants, deliveries",
		)
	}
}

// optimism adds the costs of an optimistic mode of the engine.
func optimism(t *table, o *fabricast.OptimisticResult) {
	if o == nil {
		return
	}
	t.add("event efficiency", Percent(o.Efficiency), fmt.Sprintf(
		"%s windows of %s committed, %s rolled back",
		Count(int64(o.Committed)), humanize.Plural(o.Parts, "part"),
		Count(int64(o.RolledBack)),
	))
	t.add("", "", fmt.Sprintf(
		"packet-hops: %s committed, %s rolled back", Count(int64(o.CommittedPackets)),
		Count(int64(o.RolledBackPackets)),
	))
	t.add("", "", fmt.Sprintf(
		"%s rounds, %s of them cautious, %s GVT rounds, %s synchronizations", Count(int64(o.Rounds)),
		Count(int64(o.Cautious)), Count(int64(o.GVTRounds)), Count(int64(o.Synchronizations)),
	))
	t.add("", "", fmt.Sprintf(
		"%s saves of %s, at most %s at once", Count(int64(o.Saves)), Size(int64(o.SavedBytes)),
		Memory(o.SaveMemory),
	))
}

// workers describes the number of workers, and how evenly they shared the work.
func workers(r *fabricast.Result) string {
	if r.Processes > 1 {
		return fmt.Sprintf(
			"%d processes of %s with a balance of %s; here", r.Processes, humanize.Plural(r.Workers, "worker"),
			Percent(r.Balance),
		)
	}
	if r.Workers == 1 {
		return "1 worker"
	}
	text := fmt.Sprintf("%d workers with a balance of %s", r.Workers, Percent(r.Balance))
	if r.Moves > 0 {
		text += fmt.Sprintf(", between which routers moved %d times", r.Moves)
	}
	return text
}

// Stray describes the messages that no receive has matched; "" if there are none.
func Stray(r *fabricast.Result) string {
	u := r.FirstUnreceived
	if u == nil {
		return ""
	}
	what := fmt.Sprintf("tag %d", u.Tag)
	if u.Collective {
		what = "the tag of a collective"
	}
	return fmt.Sprintf(
		"%s messages were never received, the first of them %s from rank %d to rank %d with %s",
		Count(r.Unreceived), Size(u.Size), u.Source, u.Destination, what,
	)
}
