package netfile

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"fabricast/topology"
)

// WriteDOT writes a network in the DOT language of Graphviz.
func WriteDOT(w io.Writer, t topology.Topology, cables []Cable) error {
	out := bufio.NewWriter(w)
	g := t.Graph()
	fmt.Fprintf(out, "graph network {\n  node [shape=box];\n")
	hosts := hostWords(g, cables)
	for r := range g.Routers {
		fmt.Fprintf(out, "  r%d [label=%q, hosts=%s];\n", r, t.RouterName(r), dotValue(hosts[r]))
	}
	classes := t.LinkClasses()
	for _, l := range links(g) {
		class := ""
		if int(l.Class) < len(classes) {
			class = fmt.Sprintf("class=%q, ", classes[l.Class])
		}
		fmt.Fprintf(
			out, "  r%d -- r%d [%sbandwidth=%q, latency=%q];\n", l.A, l.B, class,
			cables[l.Class].Bandwidth, cables[l.Class].Latency,
		)
	}
	fmt.Fprint(out, "}\n")
	return out.Flush()
}

// dotValue writes a value as in the DOT language: a number as it is, all else in quotes.
func dotValue(text string) string {
	if isNumber(text) {
		return text
	}
	return strconv.Quote(text)
}
