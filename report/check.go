package report

import (
	"fmt"
	"io"
	"strings"

	"fabricast"
)

// Check writes what is known about an experiment before it runs, as comments
// that may follow the resolved experiment in one YAML file.
func Check(w io.Writer, c *fabricast.Preview) error {
	z := c.ZeroLoad
	t := &table{indent: len("# ")}
	t.add("hosts", Count(c.Hosts), fmt.Sprintf("%s routers, %s links between them, one way each", Count(c.Routers), Count(c.Links)))
	t.add("zero-load latency", "neighbour "+Time(z.Neighbour), fmt.Sprintf("%s ps, %s", Count(z.Neighbour), message(z)))
	t.add("", "mean "+Time(z.Mean), fmt.Sprintf("over %.2f links between routers%s", z.MeanLinks, sampled(z)))
	t.add("", "farthest "+Time(z.Farthest), fmt.Sprintf("%s ps, over %d links", Count(z.Farthest), z.MostLinks))
	t.add("routing", c.Routing, c.Deadlock)
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
