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
	t := &table{}
	t.add("hosts", Count(c.Hosts), fmt.Sprintf("%s routers, %s links between them, one way each", Count(c.Routers), Count(c.Links)))
	t.add("zero-load latency", "neighbour "+Time(z.Neighbour), fmt.Sprintf("%s ps, a message of %s", Count(z.Neighbour), z.Payload))
	t.add("", "mean "+Time(z.Mean), fmt.Sprintf("over %.2f links between routers%s", z.MeanLinks, sampled(z)))
	t.add("", "farthest "+Time(z.Farthest), fmt.Sprintf("%s ps, over %d links", Count(z.Farthest), z.MostLinks))
	t.add("routing", c.Routing, c.Deadlock)
	t.add("memory forecast", Memory(c.Memory.Total), fmt.Sprintf("network %s, ranks %s", Memory(c.Memory.Network), Memory(c.Memory.Ranks)))
	for line := range strings.Lines(t.String()) {
		if _, err := io.WriteString(w, "# "+line); err != nil {
			return err
		}
	}
	return nil
}

func sampled(z fabricast.ZeroLoad) string {
	if z.MeanIsSample {
		return " (of a sample)"
	}
	return ""
}
