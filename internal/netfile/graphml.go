package netfile

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"fabricast/internal/config"
	"fabricast/topology"
)

var _ = register(90, Format{
	Name: "graphml", Summary: "GraphML, as of NetworkX, yEd and the Topology Zoo",
	Endings: []string{".graphml", ".xml"},
	begins:  func(text string) bool { return strings.HasPrefix(text, "<?xml") || strings.HasPrefix(text, "<graphml") },
	read:    readGraphML, write: WriteGraphML,
})

// graphMLReader reads GraphML (Brandes, Eiglsperger, Herman, Himsolt and Marshall, GD 2001): one
// graph. Nodes may have the attributes "hosts" and "name" (or "label"), edges "class",
// "bandwidth" and "latency".
type graphMLReader struct {
	*attributed
	xml      *xml.Decoder
	keys     map[string]string            // attribute by its key, such as "hosts"
	defaults map[string][]attributeOfKind // by kind of element: node, edge, all
	graphs   int
}

// attributeOfKind is the default of an attribute.
type attributeOfKind struct{ name, text string }

// element is a node or an edge.
type element struct {
	ID       string `xml:"id,attr"`
	Source   string `xml:"source,attr"`
	Target   string `xml:"target,attr"`
	Directed *bool  `xml:"directed,attr"`
	Data     []struct {
		Key  string `xml:"key,attr"`
		Text string `xml:",chardata"`
	} `xml:"data"`
}

// key declares an attribute.
type key struct {
	ID      string  `xml:"id,attr"`
	For     string  `xml:"for,attr"`
	Name    string  `xml:"attr.name,attr"`
	Default *string `xml:"default"`
}

func readGraphML(source *config.Source, hosts int) (*Network, config.Problems) {
	r := graphMLReader{
		attributed: newAttributed(source, "graphml"), xml: xml.NewDecoder(strings.NewReader(source.Text)),
		keys: map[string]string{}, defaults: map[string][]attributeOfKind{},
	}
	for {
		t, err := r.xml.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		start, ok := t.(xml.StartElement)
		if err == nil && ok {
			err = r.element(start)
		}
		if err != nil {
			r.fail(r.at(), "", err.Error(), "well-formed GraphML", "")
			break
		}
	}
	return r.finish(hosts)
}

// at returns the position that has been read up to.
func (r *graphMLReader) at() config.Position {
	line, column := r.xml.InputPos()
	return config.Position{Line: line, Column: column, Width: 1}
}

func (r *graphMLReader) element(start xml.StartElement) error {
	at := r.at()
	switch start.Name.Local {
	case "graph":
		r.graph(at, start)
	case "key":
		var k key
		if err := r.xml.DecodeElement(&k, &start); err != nil {
			return err
		}
		r.keys[k.ID] = k.Name
		if k.Default != nil {
			r.defaults[k.For] = append(r.defaults[k.For], attributeOfKind{k.Name, strings.TrimSpace(*k.Default)})
		}
	case "node", "edge":
		var e element
		if err := r.xml.DecodeElement(&e, &start); err != nil {
			return err
		}
		if start.Name.Local == "node" {
			r.node(at, e.ID, r.attributes(at, "node", e))
		} else {
			r.edge(at, e)
		}
	}
	return nil
}

func (r *graphMLReader) graph(at config.Position, start xml.StartElement) {
	if r.graphs++; r.graphs > 1 {
		r.fail(at, "graph", "a second graph", "one", "")
	}
	for _, a := range start.Attr {
		if a.Name.Local != "edgedefault" {
			continue
		}
		if r.oneWay = a.Value == "directed"; !r.oneWay && a.Value != "undirected" {
			r.fail(at, "edgedefault", a.Value, "undirected, or directed: links that lead one way", "")
		}
	}
}

// attributes returns the attributes of a node or edge, and the defaults of those that it does not have.
func (r *graphMLReader) attributes(at config.Position, kind string, e element) (list []attribute) {
	has := map[string]bool{}
	for _, d := range e.Data {
		if name := cmp.Or(r.keys[d.Key], d.Key); !has[name] {
			has[name] = true
			list = append(list, attribute{name, strings.TrimSpace(d.Text), at})
		}
	}
	for _, of := range []string{kind, "all"} {
		for _, d := range r.defaults[of] {
			if !has[d.name] {
				has[d.name] = true
				list = append(list, attribute{d.name, d.text, at})
			}
		}
	}
	return list
}

func (r *graphMLReader) edge(at config.Position, e element) {
	if !r.known(e.Source) || !r.known(e.Target) {
		r.fail(at, "edge", fmt.Sprintf("an edge from %q to %q", e.Source, e.Target), "nodes that stand before it", "")
		return
	}
	oneWay := r.oneWay
	if e.Directed != nil {
		oneWay = *e.Directed
	}
	r.attributed.edge(at, e.Source, e.Target, oneWay, r.attributes(at, "edge", e))
}

// The number of hosts may be followed by their links.
const graphMLHead = `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="name" for="node" attr.name="name" attr.type="string"/>
  <key id="hosts" for="node" attr.name="hosts" attr.type="%s"/>
%s  <key id="class" for="edge" attr.name="class" attr.type="string"/>
  <key id="bandwidth" for="edge" attr.name="bandwidth" attr.type="string"/>
  <key id="latency" for="edge" attr.name="latency" attr.type="string"/>
  <graph id="network" edgedefault="undirected">
`

const graphMLNames = `  <key id="host_names" for="node" attr.name="host_names" attr.type="string"/>
`

// WriteGraphML writes a network as GraphML, in the form that Read reads.
func WriteGraphML(w io.Writer, t topology.Topology, cables []Cable) error {
	out := bufio.NewWriter(w)
	g := t.Graph()
	number := "int"
	if describesHostLinks(g) {
		number = "string"
	}
	named := ""
	if hasNames(t) {
		named = graphMLNames
	}
	fmt.Fprintf(out, graphMLHead, number, named)
	hosts, classes, names := hostWords(g, cables), t.LinkClasses(), namesOfHosts(t)
	for r := range g.Routers {
		named := ""
		if names[r] != "" {
			named = fmt.Sprintf("<data key=\"host_names\">%s</data>", escape(names[r]))
		}
		fmt.Fprintf(
			out,
			"    <node id=\"r%d\"><data key=\"name\">%s</data><data key=\"hosts\">%s</data>%s</node>\n",
			r, escape(t.RouterName(r)), hosts[r], named,
		)
	}
	for _, l := range links(g) {
		class := "" // of a single link that was set apart
		if int(l.Class) < len(classes) {
			class = fmt.Sprintf("<data key=\"class\">%s</data>", escape(classes[l.Class]))
		}
		directed := ""
		if l.OneWay {
			directed = " directed=\"true\""
		}
		fmt.Fprintf(
			out, "    <edge source=\"r%d\" target=\"r%d\"%s>%s%s</edge>\n", l.A, l.B, directed, class,
			graphMLCable(cables[l.Class]),
		)
	}
	fmt.Fprint(out, "  </graph>\n</graphml>\n")
	return out.Flush()
}

// graphMLCable returns the attributes of a cable.
func graphMLCable(c Cable) (text string) {
	if c.Bandwidth != nil {
		text = fmt.Sprintf("<data key=\"bandwidth\">%s</data>", c.Bandwidth)
	}
	if c.Latency != nil {
		text += fmt.Sprintf("<data key=\"latency\">%s</data>", c.Latency)
	}
	return text
}

// namesOfHosts returns the names of the hosts of each router, as one text; empty texts if they have
// none.
func namesOfHosts(t topology.Topology) []string {
	g := t.Graph()
	texts := make([]string, g.Routers)
	if !hasNames(t) {
		return texts
	}
	for host := range g.Hosts {
		r := g.HostRouter(host)
		texts[r] = strings.TrimPrefix(texts[r]+" "+edgeName(hostName(t, host)), " ")
	}
	return texts
}

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder does not fail
	return b.String()
}
