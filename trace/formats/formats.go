// Package formats opens traces in all supported formats. It detects the format from the contents of
// the files.
package formats

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"fabricast/internal/input"
	"fabricast/trace"
	"fabricast/trace/aicb"
	"fabricast/trace/allprof"
	"fabricast/trace/bigsim"
	"fabricast/trace/chakra"
	"fabricast/trace/dumpi"
	"fabricast/trace/flightrecorder"
	"fabricast/trace/goal"
	"fabricast/trace/htsim"
	"fabricast/trace/kineto"
	"fabricast/trace/native"
	"fabricast/trace/ns3"
	"fabricast/trace/otf2"
	"fabricast/trace/ti"
)

// format is a supported trace format.
type format struct {
	name string
	// files lists patterns of file names, separated by spaces. In a folder, only files that match
	// are checked for the format.
	files string
	// is reports whether begin is the start of a file in the format.
	is   func(begin []byte) bool
	open func(path string, o trace.Options) (trace.Trace, error)
}

// list holds all formats, in the order in which they are tried.
var list = []format{
	{
		name:  "Fabricast",
		files: "*.fbt",
		is:    native.Is,
		open:  func(path string, _ trace.Options) (trace.Trace, error) { return opened(native.Open(path)) },
	},
	{
		name:  "OTF2",
		files: "*.otf2",
		is:    otf2.Is,
		open:  func(path string, _ trace.Options) (trace.Trace, error) { return opened(otf2.Open(path)) },
	},
	{
		name:  "DUMPI",
		files: "*.bin",
		is:    dumpi.Is,
		open:  func(path string, _ trace.Options) (trace.Trace, error) { return opened(dumpi.Open(path)) },
	},
	{
		name:  "GOAL",
		files: "*.goal",
		is:    goal.Is,
		open:  func(path string, _ trace.Options) (trace.Trace, error) { return opened(goal.Open(path)) },
	},
	{
		name:  "BigSim",
		files: "bgTrace",
		is:    bigsim.Is,
		open:  func(path string, _ trace.Options) (trace.Trace, error) { return opened(bigsim.Open(path)) },
	},
	{
		name:  aicb.Name,
		files: "*.txt",
		is:    aicb.Is,
		open:  func(path string, _ trace.Options) (trace.Trace, error) { return opened(aicb.Open(path)) },
	},
	{
		name:  "liballprof",
		files: "*.txt",
		is:    allprof.Is,
		open:  func(path string, _ trace.Options) (trace.Trace, error) { return opened(allprof.Open(path)) },
	},
	{
		name:  "time-independent",
		files: "*[0-9].txt",
		is:    ti.Is,
		open:  func(path string, o trace.Options) (trace.Trace, error) { return opened(ti.Open(path, o)) },
	},
	{
		name:  kineto.Name,
		files: "*.json *.json.gz",
		is:    kineto.Is,
		open:  func(path string, _ trace.Options) (trace.Trace, error) { return opened(kineto.Open(path)) },
	},
	{
		name:  flightrecorder.Name,
		files: "*",
		is:    flightrecorder.Is,
		open:  func(path string, _ trace.Options) (trace.Trace, error) { return opened(flightrecorder.Open(path)) },
	},
	{
		name:  "Chakra",
		files: "*.et *.et.gz *.json",
		is:    chakra.Is,
		open:  func(path string, o trace.Options) (trace.Trace, error) { return opened(chakra.Open(path, o)) },
	},
	{
		name:  "htsim",
		files: "*.cm",
		is:    htsim.Is,
		open:  func(path string, _ trace.Options) (trace.Trace, error) { return opened(htsim.Open(path)) },
	},
	{
		name:  "ns-3 flows",
		files: "flow*.txt",
		is:    ns3.Is,
		open:  func(path string, _ trace.Options) (trace.Trace, error) { return opened(ns3.Open(path)) },
	},
}

// Names lists the names of all formats.
func Names() (names []string) {
	for _, f := range list {
		names = append(names, f.name)
	}
	return names
}

// begins is the number of bytes to read from a file to detect its format.
const begins = 512

// opened converts t to a trace.Trace; to nil if err is not nil.
func opened[T trace.Trace](t T, err error) (trace.Trace, error) {
	if err != nil {
		return nil, err
	}
	return t, nil
}

// Open opens a trace. path is one of its files or its folder. The result is a [trace.Source] or a
// [trace.Graph]. The error is a *trace.Error or an *input.Error.
func Open(path string, o trace.Options) (trace.Trace, error) {
	info, err := input.About(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return openFolder(path, o)
	}
	if !info.Mode().IsRegular() {
		return nil, &trace.Error{
			File:     path,
			What:     "trace",
			Found:    "neither a file nor a folder",
			Expected: "one of them",
		}
	}
	begin, err := beginning(path)
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		if f.is(begin) {
			return f.open(path, o)
		}
	}
	return nil, unknown(path, fmt.Sprintf("a file that begins %q", begin[:min(len(begin), 16)]))
}

// openFolder opens the trace in a folder.
func openFolder(path string, o trace.Options) (trace.Trace, error) {
	entries, err := trace.Files(path)
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		for _, e := range entries {
			if !f.opens(e.Name()) {
				continue
			}
			begin, err := beginning(filepath.Join(path, e.Name()))
			if err != nil {
				return nil, err
			}
			if f.is(begin) {
				return f.open(path, o)
			}
		}
	}
	return nil, unknown(path, "a folder without one")
}

// opens reports whether a file name matches one of the patterns of the format.
func (f *format) opens(name string) bool {
	return slices.ContainsFunc(strings.Fields(f.files), func(pattern string) bool {
		match, _ := filepath.Match(pattern, name)
		return match
	})
}

// unknown returns the error for a file or folder in none of the formats.
func unknown(path, found string) error {
	expected := "a trace in one of these formats: " + strings.Join(Names(), ", ")
	return &trace.Error{File: path, What: "trace", Found: found, Expected: expected}
}

// beginning returns the first bytes of a file, as many as the constant begins.
func beginning(path string) ([]byte, error) {
	f, _, err := input.Open(path, input.Trace)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, begins)
	n, err := io.ReadFull(f, b)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return b[:n], err
}
