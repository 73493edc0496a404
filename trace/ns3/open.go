package ns3

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"fabricast/internal/humanize"
	"fabricast/internal/units"
	"fabricast/trace"
	"fabricast/trace/flows"
)

// name is the name of the format.
const name = "ns-3 flows"

// fields are the names of what a line has of a flow, in order.
var fields = [...]string{"source", "destination", "priority", "port", "size", "start"}

// Is reports whether begin is the start of a flow file.
func Is(begin []byte) bool {
	first, rest, whole := strings.Cut(strings.TrimSpace(string(begin)), "\n")
	second, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	words := strings.Fields(second)
	if _, err := strconv.ParseUint(strings.TrimSpace(first), 10, 31); err != nil || !whole ||
		len(words) != len(fields) {
		return false
	}
	for _, w := range words {
		if _, err := strconv.ParseFloat(w, 64); err != nil {
			return false
		}
	}
	return true
}

// Open opens a flow file. path is the file, or the folder with flow.txt.
func Open(path string) (trace.Graph, error) {
	lines, err := flows.Open(path, "flow*.txt")
	if err != nil {
		return nil, err
	}
	s := &flows.Set{Format: name}
	if err := read(lines, s); err != nil {
		return nil, err
	}
	fromFirst(s)
	return flows.New(s), nil
}

// read reads the flows of a file.
func read(l *flows.Lines, s *flows.Set) error {
	if err := l.Next(); err != nil {
		return wanted(l, err, "the number of flows")
	}
	if len(l.Words) != 1 {
		return l.Fail("number of flows", trace.Quoted(strings.Join(l.Words, " ")),
			"a number alone on its line")
	}
	count, err := l.Whole("number of flows", l.Words[0], 0, flows.MaxFlows)
	if err != nil {
		return err
	}
	priorities := map[int64]bool{}
	for range count {
		if err := l.Next(); err != nil {
			return wanted(l, err,
				fmt.Sprintf("%s, after %d", humanize.Plural(int(count), "flow"), len(s.Flows)))
		}
		f, priority, err := flowOf(l)
		if err != nil {
			return err
		}
		priorities[priority] = true
		s.Ranks = max(s.Ranks, int(f.Src)+1, int(f.Dst)+1)
		s.Flows = append(s.Flows, f)
	}
	if s.Ranks = max(s.Ranks, 1); len(priorities) > 1 {
		s.Omitted = append(s.Omitted,
			"order of the "+humanize.Plural(len(priorities), "priority")+" of flows")
	}
	switch err := l.Next(); {
	case err == nil:
		return l.Fail("line", trace.Quoted(strings.Join(l.Words, " ")),
			"no more than "+humanize.Plural(int(count), "flow"))
	case !errors.Is(err, io.EOF):
		return err
	}
	return nil
}

// wanted returns an error of a file that ends before what is wanted.
func wanted(l *flows.Lines, err error, what string) error {
	if errors.Is(err, io.EOF) {
		return l.Fail("file", "its end", what)
	}
	return err
}

// flowOf reads the flow of the current line.
func flowOf(l *flows.Lines) (f flows.Flow, priority int64, err error) {
	if len(l.Words) != len(fields) {
		return f, 0, l.Fail("flow", humanize.Plural(len(l.Words), "word"), strings.Join(fields[:], " "))
	}
	var number [len(fields) - 1]int64
	for i, most := range [...]int64{flows.MaxRanks - 1, flows.MaxRanks - 1, 7, 1<<16 - 1, flows.MaxBytes} {
		if number[i], err = l.Whole(fields[i], l.Words[i], 0, most); err != nil {
			return f, 0, err
		}
	}
	f = flows.Flow{Src: int32(number[0]), Dst: int32(number[1]), Size: number[4]}
	f.Start, err = l.Time(fields[5], l.Words[5], units.Second)
	return f, number[2], err
}

// fromFirst counts the starts from the first one: simulations on ns-3 begin with an idle time.
func fromFirst(s *flows.Set) {
	first := int64(flows.MaxTime)
	for i := range s.Flows {
		first = min(first, s.Flows[i].Start)
	}
	if len(s.Flows) == 0 || first == 0 {
		return
	}
	for i := range s.Flows {
		s.Flows[i].Start -= first
	}
	s.Omitted = append(s.Omitted, "idle time before the first flow, "+humanize.Time(first))
}
