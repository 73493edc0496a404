// Package netfile reads and writes networks of any shape, in the formats that people have: lists of
// links, GraphML, and what tools of real networks print. Each format is one file, which registers
// it; docs/formats/network.md describes them. A Reading says what was understood of a file, what was
// guessed, what is ignored, and what in the network is probably wrong.
package netfile

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/hostlist"
	"fabricast/internal/input"
	"fabricast/internal/units"
	"fabricast/topology"
)

// Network is the network that a file describes.
type Network struct {
	Spec   topology.IrregularSpec
	Cables []Cable // of Spec.Classes
	// Unread names the attributes of links in the file that have no influence.
	Unread []string
	// Reading says what was understood, guessed and ignored, and what is probably wrong.
	Reading Reading

	path      string
	lines     []int32 // by router: the line that names it first
	edgeLines []int32 // by link of Spec: its line; empty if unknown
	sorts     []int   // by router: sort of switch; empty if all are of one
}

// Place returns where the file names a router first.
func (n *Network) Place(router int) config.Position {
	text, _ := input.Text(n.path, input.Network) // to quote the line; it was read before
	return config.Position{
		Source: &config.Source{Name: n.path, Text: text}, Line: int(n.lines[router]), Column: 1,
		Width: len(n.Spec.Names[router]),
	}
}

// HostsOf returns the hosts that a list such as "node[001-016],login/mlx5_1" names, in its order: for
// the name of a node all of its adapters. wrong is the first name that no host has, with the number of
// others, and hint what may have been meant; both are empty if all are known.
func (n *Network) HostsOf(list string) (hosts []int32, wrong, hint string) {
	known := n.HostsByName()
	names, wrong, right := hostlist.All(list)
	if !right {
		return nil, wrong, listedAs
	}
	if wrong, hint := unknownNodes(names, known); wrong != "" {
		return nil, wrong, hint
	}
	taken := make(map[int32]bool, len(names))
	for _, name := range names {
		for _, host := range known[name] {
			if taken[host] {
				return nil, name + " a second time", "each node is named once"
			}
			taken[host] = true
		}
		hosts = append(hosts, known[name]...)
	}
	return hosts, "", ""
}

// listedAs says how names of nodes are listed.
const listedAs = "names are listed as in node[001-016],node020; a file of them is mapping.file"

// unknownNodes returns the first of the names that is not known, with the number of others, and what
// may have been meant. The nearest name says nothing of many.
func unknownNodes(names []string, known map[string][]int32) (wrong, hint string) {
	others := 0
	for _, name := range names {
		switch _, found := known[name]; {
		case found:
		case wrong == "":
			wrong = name
		default:
			others++
		}
	}
	if wrong == "" {
		return "", ""
	}
	hint = cmp.Or(config.DidYouMean(wrong, slices.Sorted(maps.Keys(known))), listedAs)
	if others > 0 {
		wrong = fmt.Sprintf("%s and %d more of the %d", wrong, others, len(names))
		if others+1 < len(names) {
			hint = fmt.Sprintf("there are %d others", len(names)-others-1)
		}
	}
	return wrong, hint
}

// HostsByName returns the hosts by their names, and those of a node by its name in the order of its
// adapters; nil if the file names none.
func (n *Network) HostsByName() map[string][]int32 {
	if n.Spec.HostNames == nil {
		return nil
	}
	known := map[string][]int32{}
	for host, name := range n.Spec.HostNames {
		known[name] = append(known[name], int32(host))
		if node, _, several := strings.Cut(name, "/"); several {
			known[node] = append(known[node], int32(host))
		}
	}
	for _, hosts := range known {
		n.byAdapter(hosts)
	}
	return known
}

// byAdapter sorts the hosts of a node by their names, where numbers count by their value.
func (n *Network) byAdapter(hosts []int32) {
	slices.SortFunc(hosts, func(a, b int32) int {
		x, y := n.Spec.HostNames[a], n.Spec.HostNames[b]
		return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y), cmp.Compare(a, b))
	})
}

// Cable holds the bandwidth and latency that a file gives for a link; nil if not given.
type Cable struct {
	Bandwidth *units.Rate
	Latency   *units.Time
}

// Read reads a file in the format that its name or its beginning shows, or else as a list of links.
// hosts is the number of hosts of routers for which the file gives none.
func Read(path string, hosts int) (*Network, config.Problems) {
	begin, all, err := input.FirstLines(path, input.Network)
	if err != nil {
		return nil, unread(path, err)
	}
	read := readEdges
	format := Recognized(path)
	if format != nil {
		read = format.read
	}
	if format == nil {
		if problems := refuse(&config.Source{Name: path, Text: begin}); problems != nil {
			return nil, problems
		}
	}
	if format == nil || format.Name == edgesFormat {
		// a large file that is no network is refused by its first lines
		n, problems := readEdges(&config.Source{Name: path, Text: begin}, hosts)
		if all || len(problems) > 0 {
			return n.examined(), problems
		}
	}
	text, err := input.Text(path, input.Network)
	if err != nil {
		return nil, unread(path, err)
	}
	n, problems := read(&config.Source{Name: path, Text: strings.TrimPrefix(text, "\ufeff")}, hosts)
	return n.examined(), problems
}

// unread returns the problem with a file that could not be read.
func unread(path string, err error) config.Problems {
	problem := config.Problem{Field: path, Found: err.Error(), Expected: "a readable file"}
	var file *input.Error
	if errors.As(err, &file) {
		problem.Found, problem.Expected = file.Found, file.Expected
	}
	return config.Problems{problem}
}
