package netfile

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"fabricast/topology"
)

var _ = register(110, Format{
	Name: "dot", Summary: "the DOT language of Graphviz; written only", Endings: []string{".dot"},
	write: WriteDOT, loses: "names of hosts",
})

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
		direction := ""
		if l.OneWay {
			direction = "dir=forward, "
		}
		fmt.Fprintf(
			out, "  r%d -- r%d [%s];\n", l.A, l.B,
			strings.TrimSuffix(class+dotCable(cables[l.Class])+direction, ", "),
		)
	}
	fmt.Fprint(out, "}\n")
	return out.Flush()
}

// dotCable returns the attributes of a cable, each with a comma behind it.
func dotCable(c Cable) (text string) {
	if c.Bandwidth != nil {
		text += fmt.Sprintf("bandwidth=%q, ", c.Bandwidth)
	}
	if c.Latency != nil {
		text += fmt.Sprintf("latency=%q, ", c.Latency)
	}
	return text
}

// dotValue writes a value as in the DOT language: a number as it is, all else in quotes.
func dotValue(text string) string {
	if isNumber(text) {
		return text
	}
	return strconv.Quote(text)
}
