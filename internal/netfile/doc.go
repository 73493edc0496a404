// Package netfile reads and writes networks of any shape: as a list of links (one per line) or as
// GraphML. It also writes them for Graphviz. docs/formats/network.md describes the formats.
package netfile

import (
	"errors"
	"path/filepath"
	"strings"

	"fabricast/internal/config"
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

	path  string
	lines []int32 // by router: the line that names it first
}

// Place returns where the file names a router first.
func (n *Network) Place(router int) config.Position {
	text, _ := input.Text(n.path, input.Network) // to quote the line; it was read before
	return config.Position{
		Source: &config.Source{Name: n.path, Text: text}, Line: int(n.lines[router]), Column: 1,
		Width: len(n.Spec.Names[router]),
	}
}

// Cable holds the bandwidth and latency that a file gives for a link; nil if not given.
type Cable struct {
	Bandwidth *units.Rate
	Latency   *units.Time
}

// Read reads a file: GraphML if its name ends in .graphml or .xml, else a list of links. hosts is
// the number of hosts of routers for which the file gives none.
func Read(path string, hosts int) (*Network, config.Problems) {
	read := readEdges
	switch strings.ToLower(filepath.Ext(path)) {
	case ".graphml", ".xml":
		read = readGraphML
	default:
		begin, all, err := input.FirstLines(path, input.Network)
		if err != nil {
			return nil, unread(path, err)
		}
		if n, problems := readEdges(&config.Source{Name: path, Text: begin}, hosts); all || len(problems) > 0 {
			return n, problems
		}
	}
	text, err := input.Text(path, input.Network)
	if err != nil {
		return nil, unread(path, err)
	}
	return read(&config.Source{Name: path, Text: text}, hosts)
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
