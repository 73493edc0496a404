package bigsim

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fabricast/internal/input"
	"fabricast/trace"
)

// graph is an opened trace.
type graph struct {
	stem    string // path of the main file, which describes the machine
	order   binary.ByteOrder
	ranks   int   // number of PEs
	threads int   // number of PEs per node
	files   int   // number of files with logs
	version int32 // format version of the logs
	// begin is the ID of the message from PE 0 that starts the region of interest. On each PE, the
	// region starts with the execution block that this message starts. Negative if there is no
	// region.
	begin int32
}

// Open opens a trace. path is the file bgTrace or its folder.
func Open(path string) (trace.Graph, error) {
	info, err := input.About(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		path = filepath.Join(path, "bgTrace")
	}
	g := &graph{stem: strings.TrimRight(path, "0123456789"), begin: -1}
	if err := g.machine(); err != nil {
		return nil, err
	}
	if err := g.complete(); err != nil {
		return nil, err
	}
	return g, g.region()
}

// Maximum number of ranks, and maximum size of a message in bytes.
const (
	maxRanks = 1 << 26
	maxBytes = 1 << 40
)

// machine reads the size of the emulated machine from the main file.
func (g *graph) machine() error {
	c, err := open(&trace.Window{Path: g.stem}, "machine", machineSize+40)
	if err != nil {
		return err
	}
	g.order = c.order
	ranks := c.i32()
	x, y, z := c.i32(), c.i32(), c.i32()
	c.i32() // threads for communication
	threads := c.i32()
	c.i32() // size of stacks
	c.i32() // method of time measurement
	files := c.i32()
	g.version = c.i32()
	fail := func(what string, found any, expected string) error {
		return &trace.Error{
			File:     g.stem,
			Offset:   machineSize,
			What:     what,
			Found:    fmt.Sprint(found),
			Expected: expected,
		}
	}
	const oldest, newest = 2, 6
	switch {
	case ranks < 1 || ranks > maxRanks:
		return fail("processing elements", ranks, fmt.Sprintf("1 to %d", maxRanks))
	case threads < 1 || ranks%threads != 0:
		return fail("threads of a node", threads, fmt.Sprintf("a divisor of %d", ranks))
	case files < 1 || files > ranks:
		return fail("files", files, fmt.Sprintf("1 to %d", ranks))
	case g.version < oldest || g.version > newest:
		return fail("version", g.version, "2 to 6")
	case int64(x)*int64(y)*int64(z)*int64(threads) != int64(ranks):
		return fail(
			"nodes",
			fmt.Sprintf("%d x %d x %d", x, y, z),
			fmt.Sprintf("%d of %d processing elements each", ranks/threads, threads),
		)
	}
	g.ranks, g.threads, g.files = int(ranks), int(threads), int(files)
	return nil
}

// open returns a cursor at the first value of a file, with the file's byte order. It returns an
// error if the file has fewer than least bytes.
func open(w *trace.Window, what string, least int) (*cursor, error) {
	b, err := w.Peek(least)
	if err != nil {
		return nil, err
	}
	fail := func(found, expected string) error {
		return &trace.Error{File: w.Path, What: what, Found: found, Expected: expected}
	}
	switch {
	case len(b) < least:
		return nil, fail(fmt.Sprintf("%d bytes", len(b)), fmt.Sprintf("at least %d", least))
	case !Is(b):
		return nil, fail(fmt.Sprintf("a file that begins %q", b[:4]), "one of BigSim")
	}
	order, wrong := readMachine(b)
	if wrong != "" {
		return nil, fail(wrong, "types of 1, 2, 4 and 8 bytes")
	}
	return &cursor{order: order, data: b, at: machineSize}, nil
}

// region sets g.begin to the message that starts the region of interest. It is the first message of
// the execution block of PE 0 that marks the start of the region.
func (g *graph) region() error {
	s, err := g.logs(0)
	if err != nil || s.damage != nil {
		return err // the stream of PE 0 will report the damage
	}
	for s.left > 0 {
		if s.next() != nil {
			return nil
		}
		if b := &s.block; b.first && len(b.messages) > 0 {
			g.begin = b.messages[0].number
			return nil
		}
	}
	return nil
}

// complete returns an error if a log file is missing. The main file specifies their number.
func (g *graph) complete() error {
	dir, stem := filepath.Split(g.stem)
	entries, err := input.Folder(cmp.Or(dir, "."))
	if err != nil {
		return err
	}
	found := make([]bool, min(g.files, len(entries)))
	for _, e := range entries {
		number, named := strings.CutPrefix(e.Name(), stem)
		if i, err := strconv.Atoi(number); named && err == nil && i >= 0 && i < len(found) {
			found[i] = true
		}
	}
	if i := slices.Index(found, false); i >= 0 || len(found) < g.files {
		if i < 0 {
			i = len(found)
		}
		return &trace.Error{
			File:     g.stem,
			What:     "files of logs",
			Found:    fmt.Sprintf("no %s%d", stem, i),
			Expected: fmt.Sprintf("%d of them", g.files),
		}
	}
	return nil
}

// Format implements trace.Trace.
func (g *graph) Format() string { return "BigSim" }

// Ranks implements trace.Trace.
func (g *graph) Ranks() int { return g.ranks }

// Groups implements trace.Trace: all communication is in the world.
func (g *graph) Groups() [][]int32 { return [][]int32{nil} }

// OpenTasks implements trace.Graph.
func (g *graph) OpenTasks(rank int) (trace.TaskStream, error) {
	l, err := g.logs(rank)
	if err != nil {
		return nil, err
	}
	s := &stream{graph: g, logs: l, rank: int32(rank), began: g.begin < 0, ended: l.damage}
	return s, nil
}
