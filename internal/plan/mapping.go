package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"fabricast/experiment"
	"fabricast/internal/config"
	"fabricast/internal/failure"
	"fabricast/internal/fields"
	"fabricast/internal/input"
	"fabricast/internal/random"
	"fabricast/topology"
)

// hostsOfRanks returns the host of each rank, by the experiment's mapping.
func hostsOfRanks(e *experiment.Resolved, t topology.Topology) ([]int32, error) {
	switch {
	case e.Mapping.File != "" && listsNames(e, e.Mapping.File):
		return hostsOfList(e)
	case e.Mapping.File != "":
		return readMapping(e, t, mappingFile{e.Mapping.File, "mapping.file", "node.ranks", nil})
	case e.Mapping.Order == experiment.MappingFolded:
		return foldedHosts(e, t)
	case e.Mapping.Order == experiment.MappingRandom:
		places := shuffled(e.Places(), e.Seed)[:e.Ranks]
		for i := range places {
			places[i] /= int32(e.Node.Ranks)
		}
		return places, nil
	}
	hosts := make([]int32, e.Ranks)
	if nodes := e.HostsOfNodes(); nodes != nil {
		for i := range hosts {
			hosts[i] = nodes[i/e.Node.Ranks]
		}
		return hosts, nil
	}
	for i := range hosts {
		if e.Mapping.Order == experiment.MappingRoundRobin {
			hosts[i] = int32(i % e.Hosts())
		} else {
			hosts[i] = int32(i / e.Node.Ranks)
		}
	}
	return hosts, nil
}

// shuffled returns the numbers from 0 to n-1 in a random order that depends on the seed only.
func shuffled(n int, seed uint64) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	for i := n - 1; i > 0; i-- {
		j := random.Below(seed, uint64(i), uint64(i+1))
		order[i], order[j] = order[j], order[i]
	}
	return order
}

// mapper parses a mapping file, which assigns a host to each rank.
type mapper struct {
	source    *config.Source
	hosts     []int32 // by rank; -1 while unknown
	ranksOn   map[int32][]int
	most      int // number of ranks that fit on a host
	named     int // number of ranks that have a host so far
	problems  config.First
	words     []fields.Word     // of the current line
	addresses func() *addresses // computed when a line first has coordinates
	file      mappingFile
}

// mappingFile is a file that assigns ranks to hosts.
type mappingFile struct {
	path  string
	field string // the experiment's field that names the file
	limit string // the field that limits the number of ranks on a host
	// owner returns the name of the job that owns a host; "" if the host is free. If owner is nil,
	// all hosts are free.
	owner func(host int32) string
}

// readMapping reads the mapping file. Each line has a rank and its host. The host is given by its
// index, or by the coordinates of its router, followed by its position at that router if routers
// have several hosts. # begins a comment.
func readMapping(e *experiment.Resolved, t topology.Topology, file mappingFile) ([]int32, error) {
	text, err := input.Text(file.path, input.Mapping)
	if err != nil {
		return nil, e.Unread(file.field, err)
	}
	m := mapper{
		source:    &config.Source{Name: file.path, Text: strings.TrimPrefix(text, "\ufeff")},
		ranksOn:   map[int32][]int{},
		most:      e.Node.Ranks,
		addresses: sync.OnceValue(func() *addresses { return addressesOf(t) }),
		file:      file,
	}
	m.hosts = make([]int32, e.Ranks)
	for i := range m.hosts {
		m.hosts[i] = -1
	}
	n := 0
	for line := range strings.Lines(m.source.Text) {
		if m.problems.Enough() {
			break
		}
		n++
		m.record(strings.TrimRight(line, "\r\n"), n, e.Hosts())
	}
	if m.problems.Count() == 0 {
		m.complete()
	}
	return m.hosts, failure.NewConfigError(m.problems.Problems())
}

// freeHost says, in error messages, which hosts a job may use.
const freeHost = "a host that no other job uses"

// record parses one line and stores the host of its rank. It reports what is wrong with the line.
func (m *mapper) record(line string, number, hosts int) {
	m.words = fields.Append(m.words[:0], line)
	if len(m.words) == 0 {
		return
	}
	first, last := m.words[0], m.words[len(m.words)-1]
	atRank, atHost := m.at(number, first, first), m.at(number, m.words[min(1, len(m.words)-1)], last)
	var host int32
	var known bool
	switch {
	case len(m.words) == 2:
		var n int
		n, known = m.number(atHost, last.Text, "host", hosts)
		host = int32(n)
	case len(m.words) == 1 || len(m.words) != 1+m.addresses().length():
		written, _, _ := strings.Cut(line, "#")
		m.fail(m.at(number, first, last), "record", strings.TrimSpace(written), m.addresses().expected())
		return
	default:
		host, known = m.find(number)
	}
	rank, rankRight := m.number(atRank, first.Text, "rank", len(m.hosts))
	if rankRight && known {
		m.assign(atRank, atHost, rank, host)
	}
}

// at returns the position of the words of a line from first to last.
func (m *mapper) at(line int, first, last fields.Word) config.Position {
	return config.Position{
		Source: m.source,
		Line:   line,
		Column: first.Column,
		Width:  last.Column + last.Width() - first.Column,
	}
}

// find returns the host whose coordinates follow the rank in the line. It reports invalid
// coordinates, and returns false for them.
func (m *mapper) find(line int) (int32, bool) {
	a := m.addresses()
	known := true
	address := make([]int, a.length())
	for i, word := range m.words[1:] {
		name, size := a.part(i)
		var right bool
		address[i], right = m.number(m.at(line, word, word), word.Text, name, size)
		known = known && right
	}
	if !known {
		return 0, false
	}
	host := a.host(address)
	if host < 0 {
		m.fail(
			m.at(line, m.words[1], m.words[len(m.words)-1]), "host",
			"an address where there is no host",
			"that of a host",
		)
	}
	return host, host >= 0
}

// number parses a field as an integer from 0 to limit-1. It reports an invalid field, and returns
// false for it.
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
	owner := ""
	if m.file.owner != nil {
		owner = m.file.owner(host)
	}
	switch {
	case owner != "":
		m.fail(atHost, "host", fmt.Sprintf("host %d, which %s has", host, owner), freeHost)
	case m.hosts[rank] >= 0:
		m.fail(atRank, "rank", fmt.Sprintf("rank %d a second time", rank), "each rank once")
	case len(others) == 1 && m.most == 1:
		m.fail(atHost, "host", fmt.Sprintf("host %d for rank %d and for rank %d", host, others[0], rank),
			"each host at most once, or more ranks a node ("+m.file.limit+")")
	case len(others) == m.most:
		m.fail(atHost, "host", fmt.Sprintf("host %d for rank %d and for %d ranks before", host, rank, m.most),
			fmt.Sprintf("each host at most %d times (%s)", m.most, m.file.limit))
	default:
		m.hosts[rank] = host
		m.ranksOn[host] = append(others, rank)
		m.named++
	}
}

// complete reports an error if some ranks have no host.
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
