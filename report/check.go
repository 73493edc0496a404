package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"fabricast/internal/units"

	"fabricast"
	"fabricast/internal/humanize"
	"fabricast/internal/innetwork"
)

// Check writes the facts known about an experiment before it runs: its network, routing, memory and
// expected work. Every line is a YAML comment, so that the output can be appended to the resolved
// experiment.
func Check(w io.Writer, c *fabricast.Preview) error {
	t := &table{indent: len("# ")}
	if c.Model != "" {
		t.add("model", c.Model, "message by message, without packets")
	}
	t.add("hosts", Count(c.Hosts), between(c))
	hostLinks(t, c)
	addZeroLoad(t, c)
	if c.Routers > 0 {
		t.add("routing", c.Routing, c.Deadlock)
	}
	if trip := c.RoundTrip; trip != nil {
		t.add("credit round trip", Memory(trip.Bytes), fmt.Sprintf(
			"%s on links of %s; each VC buffers %s",
			Time(trip.Time), trip.Class, Memory(c.Experiment.Network.Router.Buffer),
		))
	}
	if c.Flow != "" {
		t.add("flows", "are slowed", c.Flow)
	}
	if c.Unread != "" {
		t.add("network file", "has remarks", c.Unread)
	}
	trees(t, c.Trees)
	pacing(t, c.Pacing)
	capacity(t, c.Capacity)
	if c.IdleNICs > 0 {
		t.add(
			"NICs never used",
			Count(c.IdleNICs),
			"of each node: nic_choice takes the NIC of the port, and there are fewer ports",
		)
	}
	t.add(
		"memory forecast",
		Memory(c.Memory.Expected),
		fmt.Sprintf(
			"at least %s; with all buffers full %s: process %s, network %s, ranks %s%s",
			Memory(min(c.Memory.Least, c.Memory.Expected)), Memory(c.Memory.Total),
			Memory(c.Memory.Tables.Process), Memory(c.Memory.Network), Memory(c.Memory.Ranks),
			savedStates(c.Memory.Saves),
		),
	)
	addWork(t, c)
	if s := c.Shared; s != nil {
		t.add("processes", Count(s.Processes), fmt.Sprintf(
			"each up to %s, of which %s is what every process holds of the whole network: graph %s, "+
				"routers and wiring %s, routing tables %s, places of ranks %s",
			Memory(s.Each.Total), Memory(s.Each.Whole), Memory(s.Each.Tables.Graph),
			Memory(s.Each.Tables.Routers), Memory(s.Each.Tables.Routing), Memory(s.Each.Tables.Ranks),
		))
	}
	for _, d := range c.Divisions {
		mark := ""
		if d.Chosen {
			mark = "chosen: "
		}
		if d.Method != "" {
			mark += "by " + d.Method + ", "
		}
		t.add("partition "+d.By, Percent(d.Crossing), fmt.Sprintf(
			"%sof the hops %s lead from block to block; %s links cut, balance %.3f, "+
				"neighbours of a block: up to %s",
			mark, hopsOf[d.Traffic], Count(d.Cut), d.Balance, Count(d.Neighbours),
		))
	}
	addScaling(t, c.Scaling)
	for line := range strings.Lines(t.String()) {
		if _, err := io.WriteString(w, "# "+line); err != nil {
			return err
		}
	}
	return nil
}

// addWork adds an estimate of the messages, packets and time of the run, if there is one.
func addWork(t *table, c *fabricast.Preview) {
	if w := c.Work; w != nil {
		t.add("work forecast", Count(int64(w.Hops))+" hops", fmt.Sprintf(
			"of %s packets between routers, %s messages; about %s of CPU, within a factor of four",
			Count(int64(w.Packets)), Count(int64(w.Messages)), Seconds(w.CPU),
		))
	}
}

// addScaling adds the estimated speed-up for each number of processes, and the maximum number of
// processes that is worthwhile.
func addScaling(t *table, s *fabricast.Scaling) {
	if s == nil {
		return
	}
	t.add("processes that pay", Count(s.Pays), fmt.Sprintf(
		"by an estimate for times at which all nodes send: %s hops in each window of %s",
		Count(int(s.HopsInWindow)), Time(units.Time(s.Window)),
	))
	for _, x := range s.Steps[1:] {
		t.add(fmt.Sprintf("with %s", Count(x.Processes)), fmt.Sprintf("%.2f", x.SpeedUp), fmt.Sprintf(
			"times as fast as one: in a window %s of work in each, %s for the %s of hops that cross, "+
				"%s for messages",
			Time(units.Time(x.Work*1000)), Time(units.Time(x.Packets*1000)), Percent(x.Crossing),
			Time(units.Time(x.Messages*1000)),
		))
	}
}

// hopsOf describes, for each value of Division.Traffic, the hops that are counted as crossing from
// one partition block to another.
var hopsOf = map[string]string{
	fabricast.OfTraffic: "of the traffic", fabricast.OfProgram: "of the program",
	fabricast.OfRandom: "between random nodes",
}

// savedStates describes the memory for saved states of an optimistic mode; "" if size is 0.
func savedStates(size units.Bytes) string {
	if size == 0 {
		return ""
	}
	return ", saved states up to " + Memory(size)
}

// between describes the routers and links between the hosts.
func between(c *fabricast.Preview) string {
	if c.Routers == 0 {
		return "any two are equally far apart"
	}
	if c.Routers == 1 {
		return "one router"
	}
	return fmt.Sprintf("%s routers, %s links between them, one way each", Count(c.Routers), Count(c.Links))
}

// hostLinks adds a row for each class of host links, if there are several classes.
func hostLinks(t *table, c *fabricast.Preview) {
	name := "host links"
	for _, l := range c.HostLinks[:min(len(c.HostLinks), mostClasses)] {
		t.add(name, Count(l.Count), fmt.Sprintf("of %s, %s, %s", l.Name, l.Bandwidth, l.Latency))
		name = ""
	}
	if left := len(c.HostLinks) - mostClasses; left > 0 {
		t.add("", fmt.Sprintf("and %s classes more", Count(left)), "")
	}
}

func addZeroLoad(t *table, c *fabricast.Preview) {
	z := c.ZeroLoad
	switch {
	case c.Hosts < 2:
		t.add("zero-load latency", "none", "there is one host, whose ranks exchange messages in memory")
	case c.Routers == 0:
		t.add("zero-load latency", Time(z.Mean), fmt.Sprintf("%s ps, %s", Count(z.Mean), message(z)))
	case z.MostLinks == 0:
		t.add(
			"zero-load latency",
			Time(z.Farthest),
			fmt.Sprintf("%s ps, %s, all hosts are at one router", Count(z.Farthest), message(z)),
		)
	default:
		t.add(
			"zero-load latency",
			"neighbour "+Time(z.Neighbour),
			fmt.Sprintf("%s ps, %s", Count(z.Neighbour), message(z)),
		)
		t.add(
			"",
			"mean "+Time(z.Mean),
			fmt.Sprintf("over %.2f links between routers%s", z.MeanLinks, sampled(z)),
		)
		t.add(
			"",
			"farthest "+Time(z.Farthest),
			fmt.Sprintf("%s ps, over %s", Count(z.Farthest), humanize.Plural(z.MostLinks, "link")),
		)
	}
}

// message describes the message whose latency is shown.
func message(z fabricast.ZeroLoad) string {
	text := "a message of " + z.Payload.String()
	if z.Packets > 1 {
		text += fmt.Sprintf(" in %s packets", Count(z.Packets))
	}
	if z.Protocol != fabricast.ByTraffic {
		text += " (" + z.Protocol + ")"
	}
	if z.Gap > 0 {
		text += fmt.Sprintf(" with a gap of %s packet times", significant(z.Gap))
	}
	return text
}

func sampled(z fabricast.ZeroLoad) string {
	if z.MeanIsSample {
		return " (of a sample)"
	}
	return ""
}

// mostTrees is the number of aggregation trees that are described one by one.
const mostTrees = 8

// trees describes the aggregation trees of switches.
func trees(t *table, list []innetwork.Shown) {
	for i := range list {
		x := &list[i]
		if i == mostTrees {
			t.add("further trees", Count(len(list)-i), "and groups without one")
			return
		}
		what := fmt.Sprintf("%s from rank %d on", humanize.Plural(x.Ranks, "rank"), x.First)
		if slices.ContainsFunc(list, func(s innetwork.Shown) bool { return s.Job > 0 }) {
			what = fmt.Sprintf("job %d, %s", x.Job, what)
		}
		if x.Root == "" {
			t.add("no tree", x.Group, what+": a switch has no room; the ranks carry out their collectives")
			continue
		}
		if slices.ContainsFunc(list, func(s innetwork.Shown) bool { return s.Lane > 0 }) {
			what += fmt.Sprintf(", lane %d", x.Lane)
		}
		t.add("tree", x.Group, what+": root "+x.Root+", "+sizeOf(x))
	}
}

// sizeOf describes the size of a tree.
func sizeOf(x *innetwork.Shown) string {
	size := humanize.Plural(x.Switches, "switch")
	if x.Depth > 0 {
		size += ", " + humanize.Plural(x.Depth, "link") + " deep"
	}
	return size
}
