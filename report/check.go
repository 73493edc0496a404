package report

import (
	"fmt"
	"io"
	"strings"

	"fabricast"
	"fabricast/internal/figures"
)

// Check writes what is known about an experiment before it runs, as comments
// that may follow the resolved experiment in one YAML file.
func Check(w io.Writer, c *fabricast.Preview) error {
	t := &table{indent: len("# ")}
	t.add("hosts", Count(c.Hosts), between(c))
	addZeroLoad(t, c)
	t.add("routing", c.Routing, c.Deadlock)
	pacing(t, c.Pacing)
	if c.IdleNICs > 0 {
		t.add("NICs never used", Count(c.IdleNICs), "of each node: nic_choice takes the NIC of the port, and there are fewer ports")
	}
	t.add("memory forecast", Memory(c.Memory.Total), fmt.Sprintf("network %s, ranks %s; least %s", Memory(c.Memory.Network), Memory(c.Memory.Ranks), Memory(c.Memory.Least)))
	for line := range strings.Lines(t.String()) {
		if _, err := io.WriteString(w, "# "+line); err != nil {
			return err
		}
	}
	return nil
}

// between tells what is between the hosts.
func between(c *fabricast.Preview) string {
	if c.Routers == 1 {
		return "one router"
	}
	return fmt.Sprintf("%s routers, %s links between them, one way each", Count(c.Routers), Count(c.Links))
}

func addZeroLoad(t *table, c *fabricast.Preview) {
	z := c.ZeroLoad
	switch {
	case c.Hosts < 2:
		t.add("zero-load latency", "none", "there is one host, whose ranks exchange messages in memory")
	case z.MostLinks == 0:
		t.add("zero-load latency", Time(z.Farthest), fmt.Sprintf("%s ps, %s, all hosts are at one router", Count(z.Farthest), message(z)))
	default:
		t.add("zero-load latency", "neighbour "+Time(z.Neighbour), fmt.Sprintf("%s ps, %s", Count(z.Neighbour), message(z)))
		t.add("", "mean "+Time(z.Mean), fmt.Sprintf("over %.2f links between routers%s", z.MeanLinks, sampled(z)))
		t.add("", "farthest "+Time(z.Farthest), fmt.Sprintf("%s ps, over %s", Count(z.Farthest), figures.Plural(z.MostLinks, "link")))
	}
}

// message tells what the latency is of.
func message(z fabricast.ZeroLoad) string {
	text := "a message of " + z.Payload.String()
	if z.Packets > 1 {
		text += fmt.Sprintf(" in %s packets", Count(z.Packets))
	}
	if z.Protocol != fabricast.ByTraffic {
		text += " (" + z.Protocol + ")"
	}
	if z.Gap > 0 {
		text += fmt.Sprintf(" with a gap of %s packet times", Count(int(z.Gap)))
	}
	return text
}

func sampled(z fabricast.ZeroLoad) string {
	if z.MeanIsSample {
		return " (of a sample)"
	}
	return ""
}
