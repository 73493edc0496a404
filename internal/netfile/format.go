package netfile

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/input"
	"fabricast/internal/registry"
	"fabricast/topology"
)

// Format is a format of network files. The file of the format registers it.
type Format struct {
	Name    string // as in "fabricast network convert --to"
	Summary string // one line
	// Endings are endings of file names that decide for the format whatever the file contains. The
	// first is also that of a file that is written.
	Endings []string

	// begins reports whether a text begins like a file of the format. Nil: only the ending decides.
	begins func(text string) bool
	read   func(source *config.Source, hosts int) (*Network, config.Problems)
	// write writes a network. Nil: the format is only read.
	write func(w io.Writer, t topology.Topology, cables []Cable) error
	// loses names what the format cannot hold; empty: nothing that Fabricast reads.
	loses string
}

var formats registry.Of[Format]

// register adds a format. Formats are tried in the order of their places.
func register(place int, f Format) *Format { return formats.Add(place, f, f.Name) }

// Formats returns the formats of network files.
func Formats() []*Format { return formats.All() }

// FindFormat returns the format with a name; nil if there is none.
func FindFormat(name string) *Format { return formats.Find(name) }

// FormatFor returns the format that is written into a file, by the ending of its name; nil if no
// format has this ending.
func FormatFor(path string) *Format {
	for _, f := range formats.All() {
		if f.write != nil && f.hasEnding(path) {
			return f
		}
	}
	return nil
}

// Writes reports whether networks can be written in the format.
func (f *Format) Writes() bool { return f.write != nil }

// Loses says what a file of the format cannot hold; empty if nothing is lost.
func (f *Format) Loses() string { return f.loses }

// Write writes a network in the format. cables are by link class. Writes must be true.
func (f *Format) Write(w io.Writer, t topology.Topology, cables []Cable) error {
	return f.write(w, t, cables)
}

func (f *Format) hasEnding(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return slices.ContainsFunc(f.Endings, func(end string) bool { return strings.HasSuffix(name, end) })
}

// formatOf returns the format of a file by the ending of its name, or else by how it begins; nil if
// it is none of these. Such a file may still be a list of links.
func formatOf(path, begin string) *Format {
	for _, f := range formats.All() {
		if f.hasEnding(path) && f.read != nil {
			return f
		}
	}
	for _, f := range formats.All() {
		if f.begins != nil && f.begins(begin) {
			return f
		}
	}
	return nil
}

// Recognized returns the format of a file if its name or its beginning shows that it is a network;
// nil if not, and if it cannot be read. An experiment is no network.
func Recognized(path string) *Format {
	begin, err := input.Beginning(path, input.Network)
	if err != nil {
		return nil
	}
	return formatOf(path, strings.TrimPrefix(begin, "\ufeff"))
}
