package calibrate

import (
	"fmt"
	"slices"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/input"
)

// Measurement is one measured time.
type Measurement struct {
	// Program is a built-in program (package workload) or Stream.
	Program   string
	Algorithm string // algorithm of the collective; empty: that of the network's file
	Size      int64  // bytes, as in workload.size; of each message for a stream
	Ranks     int    // number of ranks; 0: as many as the network can hold
	Shape     []int  // network.shape, or the dimensions of the topology; nil: those of the file
	// Time (ps) is the time of one call of a collective, half a round trip of pingpong, or the time
	// from one message of a stream to the next.
	Time float64
	// Spread is the standard deviation as a share of the time; 0: unknown.
	Spread   float64
	Position config.Position
}

// Stream is the program of bandwidth benchmarks: rank 0 sends windows of 64 messages to rank 1,
// which acknowledges each window.
const Stream = "stream"

// String describes what was measured.
func (m *Measurement) String() string {
	text := m.Program
	if m.Algorithm != "" {
		text += " " + m.Algorithm
	}
	text += fmt.Sprintf(" %d B", m.Size)
	if m.Ranks > 0 {
		text += fmt.Sprintf(" on %d ranks", m.Ranks)
	}
	if m.Shape != nil {
		text += " of " + strings.ReplaceAll(strings.Trim(fmt.Sprint(m.Shape), "[]"), " ", "x")
	}
	return text
}

// Defaults provides the data missing in benchmark files.
type Defaults struct {
	Ranks   int    // number of ranks
	Program string // program that was measured
}

// format is a format of measurements.
type format struct {
	name, summary string
	// mark is a text that occurs only in files of the format.
	mark string
	read func(f *file, d Defaults)
}

// formats lists all formats. The last one is for files without a mark.
var formats = []format{
	{"osu", "OSU micro-benchmarks", "# OSU ", readOSU},
	{"imb", "Intel MPI Benchmarks", "# Benchmarking ", readIMB},
	{"nccl-tests", "nccl-tests", "busbw", readNCCL},
	{"csv", "comma-separated values: program, algorithm, size, ranks, shape, time, low, high", "", readCSV},
}

// FormatNames returns the names of the formats.
func FormatNames() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// Read reads a file of measurements. If format is empty, it is detected. The error is a
// config.Problems with the lines and columns of all mistakes.
func Read(path, name string, d Defaults) ([]Measurement, error) {
	text, err := input.Text(path, input.Reference)
	if err != nil {
		return nil, err
	}
	text = strings.TrimPrefix(text, "\ufeff")
	f := &file{source: &config.Source{Name: path, Text: text}}
	at := slices.IndexFunc(formats, func(f format) bool {
		return f.name == name || name == "" && strings.Contains(text, f.mark)
	})
	if at < 0 {
		return nil, fmt.Errorf("found the format %q, expected %s", name, config.OneOf(FormatNames()))
	}
	formats[at].read(f, d)
	if len(f.problems) == 0 && len(f.list) == 0 {
		f.fail(1, 1, 1, "no measurements", "some in the format "+formats[at].name)
	}
	return f.list, f.problems.OrNil()
}

// file is a file that is being read.
type file struct {
	source   *config.Source
	list     []Measurement
	problems config.Problems
}

func (f *file) at(line, column, width int) config.Position {
	return config.Position{Source: f.source, Line: line, Column: column, Width: width}
}

// fail reports a mistake.
func (f *file) fail(line, column, width int, found, expected string) {
	f.problems = append(f.problems, config.Problem{
		Position: f.at(line, column, width), Found: found, Expected: expected,
	})
}

// add adds a measurement, unless its size or time is zero.
func (f *file) add(m Measurement) {
	if m.Size > 0 && m.Time > 0 {
		f.list = append(f.list, m)
	}
}

// lines calls each for every line, with the line number.
func (f *file) lines(each func(number int, line string)) {
	n := 0
	for line := range strings.Lines(f.source.Text) {
		n++
		each(n, strings.TrimRight(line, "\r\n"))
	}
}
