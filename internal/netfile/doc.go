// Package netfile reads and writes networks of any shape: as a list of links
// (a line each) or as GraphML, and writes them for Graphviz. The formats are told
// in docs/formats/network.md.
package netfile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/units"
	"fabricast/topology"
)

// Network is what a file describes.
type Network struct {
	Spec   topology.IrregularSpec
	Cables []Cable // of Spec.Classes
}

// Cable is what a file says of a link; what it leaves open is nil.
type Cable struct {
	Bandwidth *units.Rate
	Latency   *units.Time
}

// maxFile bounds the size of a network file, in bytes.
const maxFile = 1 << 30

// Read reads a file: GraphML if its name ends in .graphml or .xml, else a list of
// links. Routers of which it does not say how many hosts they have get the given
// number.
func Read(path string, hosts int) (*Network, config.Problems) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxFile {
		return nil, unreadable(path, fmt.Sprintf("a file of %d bytes", info.Size()), fmt.Sprintf("at most %d", maxFile))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		if p, ok := err.(*os.PathError); ok {
			err = p.Err
		}
		return nil, unreadable(path, err.Error(), "a readable file")
	}
	source := &config.Source{Name: path, Text: string(text)}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".graphml", ".xml":
		return readGraphML(source, hosts)
	}
	return readEdges(source, hosts)
}

func unreadable(path, found, expected string) config.Problems {
	return config.Problems{{Field: path, Found: found, Expected: expected}}
}
