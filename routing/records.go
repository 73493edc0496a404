package routing

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"fabricast/topology"
)

// FileError says what is wrong with a line of a file of routes or tables.
type FileError struct {
	Line            int // from 1; 0 for the file as a whole
	Found, Expected string
}

func (e *FileError) Error() string {
	text := "found " + e.Found + ", expected " + e.Expected
	if e.Line > 0 {
		text = fmt.Sprintf("line %d: %s", e.Line, text)
	}
	return text
}

// anyVC is the channel of a step that names none.
const anyVC = 0xff

// step is an output in a file: "3", or "3/1" for port 3 and virtual channel 1.
type step struct {
	port uint16
	vc   uint8 // or anyVC
}

// record is a line of a file: two numbers and steps.
type record struct {
	line int
	a, b int // b is -1 for "*"
	path []step
}

// readRecords reads lines of two numbers and at least one step. Empty lines and
// what follows # do not count.
func readRecords(r io.Reader, vcs int, form string) ([]record, error) {
	var records []record
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		rec, ok := parseRecord(words, vcs)
		if !ok {
			return nil, &FileError{Line: n, Found: strings.TrimSpace(text), Expected: form}
		}
		rec.line = n
		records = append(records, rec)
	}
	return records, lines.Err()
}

func parseRecord(words []string, vcs int) (record, bool) {
	if len(words) < 3 {
		return record{}, false
	}
	a, errA := strconv.Atoi(words[0])
	b, errB := strconv.Atoi(words[1])
	if words[1] == "*" {
		b, errB = -1, nil
	}
	rec := record{a: a, b: b}
	for _, word := range words[2:] {
		s, ok := parseStep(word, vcs)
		if !ok {
			return record{}, false
		}
		rec.path = append(rec.path, s)
	}
	return rec, errA == nil && errB == nil && a >= 0 && (b >= 0 || words[1] == "*")
}

func parseStep(word string, vcs int) (step, bool) {
	port, channel, named := strings.Cut(word, "/")
	p, err := strconv.ParseUint(port, 10, 16)
	if err != nil || !named {
		return step{uint16(p), anyVC}, err == nil
	}
	vc, err := strconv.Atoi(channel)
	return step{uint16(p), uint8(vc)}, err == nil && vc >= 0 && vc < vcs
}

// follow is the router at the other end of a local port; -1 if it leads to no router.
func follow(g *topology.Graph, router int32, port uint16) int32 {
	p := g.PortBase[router] + int32(port)
	if p >= g.PortBase[router+1] || g.Ports[p].Peer == topology.Unconnected {
		return -1
	}
	return g.Ports[g.Ports[p].Peer].Router
}
