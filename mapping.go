package fabricast

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/words"
)

// filePrefix introduces a mapping file written as a single value, file:PATH.
const filePrefix = "file:"

// normalize rewrites the short forms of fields as the long ones.
func (e *Experiment) normalize() {
	e.Collectives.normalize()
	if path, ok := strings.CutPrefix(e.Mapping.Order, filePrefix); ok && e.Mapping.File == "" && strings.TrimSpace(path) != "" {
		e.Mapping = Mapping{File: strings.TrimSpace(path)}
	}
}

// hostsOfRanks tells for each rank the host it runs on.
func (e *Experiment) hostsOfRanks() ([]int32, error) {
	switch {
	case e.Mapping.File != "":
		return e.readMapping()
	case e.Mapping.Order == MappingRandom:
		places := shuffled(e.places(), e.Seed)[:e.Ranks]
		for i := range places {
			places[i] /= int32(e.Node.Ranks)
		}
		return places, nil
	}
	hosts := make([]int32, e.Ranks)
	for i := range hosts {
		if e.Mapping.Order == MappingRoundRobin {
			hosts[i] = int32(i % e.hosts())
		} else {
			hosts[i] = int32(i / e.Node.Ranks)
		}
	}
	return hosts, nil
}

// places is how many ranks there is room for.
func (e *Experiment) places() int { return e.hosts() * max(1, e.Node.Ranks) }

// shuffled returns the numbers below n in an order drawn from the seed.
func shuffled(n int, seed uint64) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	for i := n - 1; i > 0; i-- {
		j := randomBelow(seed, uint64(i), uint64(i+1))
		order[i], order[j] = order[j], order[i]
	}
	return order
}

// mapper reads a mapping file.
type mapper struct {
	source   *config.Source
	hosts    []int32 // by rank; -1 while unknown
	ranksOn  map[int32][]int
	most     int // ranks of a host
	named    int // ranks
	problems config.First
	words    []words.Word // of the line
}

// readMapping reads records "rank host", one a line; # begins a comment.
func (e *Experiment) readMapping() ([]int32, error) {
	text, err := os.ReadFile(e.Mapping.File)
	if err != nil {
		return nil, e.unreadableMapping(err)
	}
	m := mapper{source: &config.Source{Name: e.Mapping.File, Text: strings.TrimPrefix(string(text), "\ufeff")}, ranksOn: map[int32][]int{}, most: e.Node.Ranks}
	m.hosts = make([]int32, e.Ranks)
	for i := range m.hosts {
		m.hosts[i] = -1
	}
	lines := bufio.NewScanner(strings.NewReader(m.source.Text))
	for n := 1; lines.Scan(); n++ {
		m.record(lines.Text(), n, e.hosts())
	}
	if m.problems.Count() == 0 {
		m.complete()
	}
	return m.hosts, configError(m.problems.Problems())
}

func (e *Experiment) unreadableMapping(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	problems := config.Problems{{Field: "mapping.file", Found: e.Mapping.File + " (" + err.Error() + ")", Expected: "a readable file"}}
	e.positions.Locate(problems)
	return configError(problems)
}

// record takes one line.
func (m *mapper) record(line string, number, hosts int) {
	m.words = words.Append(m.words[:0], line)
	if len(m.words) == 0 {
		return
	}
	first, last := m.words[0], m.words[len(m.words)-1]
	atRank := config.Position{Source: m.source, Line: number, Column: first.Column, Width: first.Width()}
	atHost := config.Position{Source: m.source, Line: number, Column: last.Column, Width: last.Width()}
	if len(m.words) != 2 {
		written, _, _ := strings.Cut(line, "#")
		all := atRank
		all.Width = last.Column + last.Width() - first.Column
		m.fail(all, "record", strings.TrimSpace(written), "a rank and a host, such as 0 17")
		return
	}
	rank, rankRight := m.number(atRank, first.Text, "rank", len(m.hosts))
	host, hostRight := m.number(atHost, last.Text, "host", hosts)
	if rankRight && hostRight {
		m.assign(atRank, atHost, rank, int32(host))
	}
}

// number reads a field.
func (m *mapper) number(at config.Position, field, what string, limit int) (int, bool) {
	n, err := strconv.Atoi(field)
	if err != nil || n < 0 || n >= limit {
		m.fail(at, what, field, fmt.Sprintf("a number from 0 to %d", limit-1))
		return 0, false
	}
	return n, true
}

func (m *mapper) assign(atRank, atHost config.Position, rank int, host int32) {
	others := m.ranksOn[host]
	switch {
	case m.hosts[rank] >= 0:
		m.fail(atRank, "rank", fmt.Sprintf("rank %d a second time", rank), "each rank once")
	case len(others) == 1 && m.most == 1:
		m.fail(atHost, "host", fmt.Sprintf("host %d for rank %d and for rank %d", host, others[0], rank),
			"each host at most once, or more ranks a node (node.ranks)")
	case len(others) == m.most:
		m.fail(atHost, "host", fmt.Sprintf("host %d for rank %d and for %d ranks before", host, rank, m.most),
			fmt.Sprintf("each host at most %d times (node.ranks)", m.most))
	default:
		m.hosts[rank] = host
		m.ranksOn[host] = append(others, rank)
		m.named++
	}
}

// complete reports ranks that no record names.
func (m *mapper) complete() {
	if m.named == len(m.hosts) {
		return
	}
	at := config.Position{Source: m.source, Line: 1, Column: 1, Width: 1}
	found := fmt.Sprintf("%d records, none of them for rank %d", m.named, slices.Index(m.hosts, -1))
	if more := len(m.hosts) - m.named - 1; more > 0 {
		found += fmt.Sprintf(" and %d more", more)
	}
	m.fail(at, "record", found, fmt.Sprintf("one for each of the %d ranks", len(m.hosts)))
}

func (m *mapper) fail(at config.Position, field, found, expected string) {
	m.problems.Add(config.Problem{Position: at, Field: field, Found: found, Expected: expected})
}
