package netfile

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/pattern"
	"fabricast/topology"
)

var _ = register(30, Format{
	Name:    "node-link",
	Summary: "JSON of NetworkX (node_link_data), D3 and others: lists of nodes and links",
	Endings: []string{".node-link.json"}, read: readNodeLink, write: writeNodeLink,
	begins: func(text string) bool {
		return nodeLinkBegins().MatchString(text) && !experimentJSON().MatchString(text)
	},
})

// nodeLinkBegins matches the beginning of an object with a list of nodes or links, or with what
// NetworkX writes before.
var nodeLinkBegins = pattern.Lazy(`(?s)^\s*\{.*"(?:nodes|links|edges)"\s*:\s*\[\s*[{\]]|^\s*\{\s*"(?:directed|multigraph)"\s*:`)

// experimentJSON matches an experiment that is written as JSON.
var experimentJSON = pattern.Lazy(`"(?:network|workload|traffic)"\s*:\s*\{`)

// readNodeLink reads an object with the lists "nodes" and "links" (or "edges"). A node has an "id",
// a link a "source" and a "target"; their other fields are attributes, as in GraphML.
func readNodeLink(source *config.Source, hosts int) (*Network, config.Problems) {
	g := newAttributed(source, "node-link")
	root, problems := readJSON(source)
	if len(problems) > 0 {
		return nil, problems
	}
	ignored := tally{}
	var nodes, links *config.Node
	for _, f := range root.Fields {
		switch f.Key {
		case "nodes":
			nodes = f.Value
		case "links", "edges":
			links = f.Value
		case "directed":
			g.oneWay = f.Value.Text == "true"
		case "multigraph": // parallel links are links like others
		case "graph": // attributes of the whole
			ignored.unread(f.Value, "graph.")
		default:
			ignored[f.Key]++
		}
	}
	for _, list := range []struct {
		name  string
		value *config.Node
		take  func(*config.Node)
	}{{"nodes", nodes, g.nodeOf}, {"links", links, g.linkOf}} {
		if list.value == nil || list.value.Kind != config.List {
			g.fail(root.Position, list.name, "none", "a list of "+list.name, "")
			break
		}
		for _, item := range list.value.Items {
			if list.take(item); g.problems.Enough() {
				break
			}
		}
	}
	if len(ignored) > 0 {
		g.reading.ignore("fields of the graph: %s", ignored.list())
	}
	return g.finish(hosts)
}

// nodeOf adds a node.
func (g *attributed) nodeOf(n *config.Node) {
	id := identifier(fieldOf(n, "id", "name"))
	if n.Kind != config.Mapping || id == "" {
		g.fail(n.Position, "id", "a node without an id", "an object with an id", "")
		return
	}
	g.node(n.Position, id, fieldsBut(n, "id"))
}

// identifier returns the identifier of a node; "" if n is none. A tuple, such as that of a node of a
// grid, is a list in JSON: its items are separated by "_".
func identifier(n *config.Node) string {
	if n != nil && n.Kind == config.List {
		return strings.ReplaceAll(flat(n), " ", tupleMark)
	}
	return textOf(n)
}

// tupleMark separates the items of a tuple in a name.
const tupleMark = "_"

// linkOf adds a link.
func (g *attributed) linkOf(n *config.Node) {
	var ends [2]string
	for i, name := range []string{"source", "target"} {
		end := fieldOf(n, name)
		ends[i] = identifier(end)
		if n.Kind != config.Mapping || ends[i] == "" {
			g.fail(n.Position, name, "a link without it", "the id of a node", "")
			return
		}
		if !g.known(ends[i]) {
			g.fail(end.Position, name, ends[i], "the id of a node in the list of nodes", "")
			return
		}
	}
	g.edge(n.Position, ends[0], ends[1], g.oneWay, fieldsBut(n, "source", "target", "key"))
}

// fieldsBut returns the fields of a mapping as attributes, but for some and for those without a
// value.
func fieldsBut(n *config.Node, names ...string) (list []attribute) {
next:
	for _, f := range n.Fields {
		for _, name := range names {
			if f.Key == name {
				continue next
			}
		}
		if f.Value.Kind != config.Null {
			list = append(list, attribute{f.Key, flat(f.Value), f.Value.Position})
		}
	}
	return list
}

// writeNodeLink writes a network as node_link_data of NetworkX does.
func writeNodeLink(w io.Writer, t topology.Topology, cables []Cable) error {
	out := bufio.NewWriter(w)
	g := t.Graph()
	fmt.Fprintf(out, "{\"directed\": %t, \"multigraph\": true, \"graph\": {},\n\"nodes\": [",
		g.OneWay())
	hosts, classes, names := hostWords(g, cables), t.LinkClasses(), namesOfHosts(t)
	for r := range g.Routers {
		number := hosts[r]
		if !isNumber(number) {
			number = quoted(number)
		}
		named := ""
		if names[r] != "" {
			list := strings.Fields(names[r])
			for i := range list {
				list[i] = quoted(list[i])
			}
			named = ", \"host_names\": [" + strings.Join(list, ", ") + "]"
		}
		fmt.Fprintf(out, "%s\n{\"id\": %d, \"name\": %s, \"hosts\": %s%s}", comma(r), r,
			quoted(t.RouterName(r)), number, named)
	}
	fmt.Fprint(out, "\n],\n\"edges\": [")
	parallel := map[[2]int]int{}
	for i, l := range nodeLinks(g) {
		ends := [2]int{l.A, l.B}
		fmt.Fprintf(out, "%s\n{\"source\": %d, \"target\": %d, \"key\": %d", comma(i), l.A, l.B,
			parallel[ends])
		parallel[ends]++
		if int(l.Class) < len(classes) {
			fmt.Fprintf(out, ", \"class\": %s", quoted(classes[l.Class]))
		}
		if c := cables[l.Class]; c.Bandwidth != nil {
			fmt.Fprintf(out, ", \"bandwidth\": %s", quoted(c.Bandwidth.String()))
		}
		if c := cables[l.Class]; c.Latency != nil {
			fmt.Fprintf(out, ", \"latency\": %s", quoted(c.Latency.String()))
		}
		fmt.Fprint(out, "}")
	}
	fmt.Fprint(out, "\n]}\n")
	return out.Flush()
}

// nodeLinks returns the links of a network. If some lead one way, the others are two links, one
// each way.
func nodeLinks(g *topology.Graph) (list []topology.Edge) {
	if list = links(g); !g.OneWay() {
		return list
	}
	for _, l := range links(g) {
		if !l.OneWay {
			list = append(list, topology.Edge{A: l.B, B: l.A, Class: l.Class})
		}
	}
	return list
}

// comma returns what stands before the item of a list.
func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

// quoted returns a text as a string in JSON.
func quoted(text string) string {
	b, _ := json.Marshal(text) // a string can always be written
	return string(b)
}
