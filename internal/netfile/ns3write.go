package netfile

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"fabricast/internal/units"
	"fabricast/topology"
)

// ns3Loses is what topologies of ns-3 do not hold.
const ns3Loses = "names, one-way links, names of classes, and links without a bandwidth or latency, which get those of an " +
	"experiment without either, 8GB/s and 100ns"

// What a link has for which the network gives no bandwidth or latency.
const (
	ns3Rate  = units.Rate(8e9)
	ns3Delay = 100 * units.Nanosecond
)

// writeNS3 writes a network as a topology of HPCC: first the hosts, then the switches.
func writeNS3(w io.Writer, t topology.Topology, cables []Cable) error {
	out := bufio.NewWriter(w)
	g := t.Graph()
	between := links(g)
	fmt.Fprintf(out, "%d %d %d\n", g.Hosts+g.Routers, g.Routers, len(between)+g.Hosts*g.NICsPerHost)
	for r := range g.Routers {
		fmt.Fprintf(out, "%d ", g.Hosts+r)
	}
	fmt.Fprintln(out)
	for _, port := range g.Ports {
		if port.NIC != topology.Unconnected {
			ns3Line(out, int(port.NIC)/g.NICsPerHost, g.Hosts+int(port.Router), cables[port.Link])
		}
	}
	for _, e := range between {
		ns3Line(out, g.Hosts+e.A, g.Hosts+e.B, cables[e.Class])
	}
	return out.Flush()
}

// ns3Line writes a link between two nodes, without errors.
func ns3Line(w io.Writer, a, b int, c Cable) {
	rate, delay := ns3Rate, ns3Delay
	if c.Bandwidth != nil {
		rate = *c.Bandwidth
	}
	if c.Latency != nil {
		delay = *c.Latency
	}
	fmt.Fprintf(w, "%d %d %sGbps %sns 0\n", a, b, shortest(int64(rate)*8, 9), shortest(int64(delay), 3))
}

// shortest writes v / 10^places without zeros at its end.
func shortest(v int64, places int) string {
	return strings.TrimSuffix(strings.TrimRight(thousandths(v, places), "0"), ".")
}
