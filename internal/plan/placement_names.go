package plan

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"fabricast/experiment"
	"fabricast/internal/config"
	"fabricast/internal/failure"
	"fabricast/internal/fields"
	"fabricast/internal/hostlist"
	"fabricast/internal/input"
	"fabricast/topology"
)

// byNames places the ranks of a job on the hosts that a batch system has assigned to it. The job's
// list names one host a line, or several separated by commas. It may have the format of MPICH
// (name:ranks), Open MPI (name slots=ranks), PBS and LSF (a line for each rank), or Slurm
// (name[1-4,7], or what sacct prints).
func (p *placer) byNames(i, per int) ([]int32, error) {
	j := &p.e.Jobs[i]
	known, err := p.hostNames(i)
	if err != nil {
		return nil, err
	}
	l := hostList{known: known, owner: p.ownerOf, per: per, expected: "a name in the file of hosts"}
	if j.Placement.Hosts == "" {
		l.expected = nameOfNetwork
	}
	err = l.read(p.e, j.Placement.File, jobField(i, "placement.file"))
	if err != nil {
		return nil, err
	}
	ranks := l.ranks(j.Ranks)
	return ranks, failure.NewConfigError(l.problems.Problems())
}

// nameOfNetwork says, in error messages, which names a list of hosts may have.
const nameOfNetwork = "the name of a host of the network"

// hostsOfList places the ranks of the experiment's program on the hosts of a list, as byNames does those
// of a job.
func hostsOfList(e *experiment.Resolved) ([]int32, error) {
	l := hostList{
		known: e.HostsByName(), owner: func(int32) string { return "" }, per: e.Node.Ranks, expected: nameOfNetwork,
	}
	if err := l.read(e, e.Mapping.File, "mapping.file"); err != nil {
		return nil, err
	}
	ranks := l.ranks(e.Ranks)
	l.limit(ranks, e.Node.Ranks)
	return ranks, failure.NewConfigError(l.problems.Problems())
}

// read reads the list from a file, which a field of the experiment names.
func (l *hostList) read(e *experiment.Resolved, path, field string) error {
	text, err := input.Text(path, input.Mapping)
	if err != nil {
		return e.Unread(field, err)
	}
	l.source, l.slots = &config.Source{Name: path, Text: strings.TrimPrefix(text, "\ufeff")}, map[string]int{}
	if l.sacct() {
		return nil
	}
	n := 0
	for line := range strings.Lines(l.source.Text) {
		n++
		l.line(strings.TrimRight(line, "\r\n"), n)
	}
	return nil
}

// hostList parses the list of a job's hosts.
type hostList struct {
	source   *config.Source
	known    map[string][]int32 // hosts by name: a node has one for each of its adapters
	expected string             // what a name is, for error messages
	owner    func(host int32) string
	per      int
	order    []string       // names, in the order of their first mention
	slots    map[string]int // ranks by name; negative: how often it is named without a number
	repeated bool           // whether a name is mentioned twice
	problems config.First
}

// line parses the names of a line.
func (l *hostList) line(line string, number int) {
	words := fields.Append(nil, line)
	if len(words) == 0 {
		return
	}
	given := 0 // number of ranks in this line
	for _, word := range words[1:] {
		value, isSlots := strings.CutPrefix(word.Text, "slots=")
		if strings.Contains(word.Text, "=") && !isSlots {
			continue // another attribute, such as max_slots=16
		}
		given = l.count(value, number, word)
		if given == 0 {
			return
		}
	}
	at := l.at(number, words[0])
	for _, name := range hostlist.Split(words[0].Text) {
		count := given
		if before, after, found := strings.Cut(name, ":"); found {
			if name, count = before, l.count(after, number, words[0]); count == 0 {
				return
			}
		}
		expanded, right := hostlist.Expand(name)
		if !right {
			l.fail(at, "name", name, "the name of a host, or several as in node[01-04,7]")
			return
		}
		for _, one := range expanded {
			l.add(at, one, count)
		}
	}
}

func (l *hostList) at(line int, w fields.Word) config.Position {
	return config.Position{Source: l.source, Line: line, Column: w.Column, Width: w.Width()}
}

// count parses a number of ranks. It reports an invalid one and returns 0.
func (l *hostList) count(text string, line int, w fields.Word) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > experiment.MaxHosts {
		l.fail(l.at(line, w), "ranks", text, "a number of ranks, of at least 1")
		return 0
	}
	return n
}

// add appends the hosts of a name with the given number of ranks; 0 if the list gives no number.
func (l *hostList) add(at config.Position, name string, ranks int) {
	hosts, found := l.known[name]
	if !found {
		l.problems.Add(config.Problem{
			Position: at, Field: "name", Found: name, Expected: l.expected,
			Hint: config.DidYouMean(name, slices.Sorted(maps.Keys(l.known))),
		})
		return
	}
	for _, host := range hosts {
		if owner := l.owner(host); owner != "" {
			l.fail(at, "host", fmt.Sprintf("%s (host %d), which %s has", name, host, owner), freeHost)
			return
		}
	}
	before, again := l.slots[name]
	switch {
	case !again && ranks == 0:
		l.slots[name] = -1
	case !again:
		l.slots[name] = ranks
	case ranks == 0 && before < 0:
		l.slots[name], l.repeated = before-1, true
	default:
		l.slots[name] = max(before, -before) + max(ranks, 1)
	}
	if !again {
		l.order = append(l.order, name)
	}
}

func (l *hostList) fail(at config.Position, field, found, expected string) {
	l.problems.Add(config.Problem{Position: at, Field: field, Found: found, Expected: expected})
}

// ranks assigns n ranks to the hosts, filling one name after the other. The ranks of a node are spread
// evenly over its adapters.
func (l *hostList) ranks(n int) []int32 {
	var list []int32
	for _, name := range l.order {
		hosts, places := l.known[name], l.slots[name]
		switch {
		case places < 0 && l.repeated:
			places = -places
		case places < 0:
			places = l.per * len(hosts)
		}
		for i := 0; i < places && len(list) < n; i++ {
			list = append(list, hosts[i*len(hosts)/places])
		}
	}
	if len(list) < n && l.problems.Count() == 0 {
		l.fail(
			l.start(), "host",
			fmt.Sprintf("room for %d ranks on %d hosts", len(list), len(l.order)),
			fmt.Sprintf("room for %d ranks", n),
		)
	}
	return list
}

// start is the position of what is wrong with the list as a whole.
func (l *hostList) start() config.Position {
	return config.Position{Source: l.source, Line: 1, Column: 1, Width: 1}
}

// limit reports a host that has more ranks than a host may have.
func (l *hostList) limit(ranks []int32, most int) {
	on := map[int32]int{}
	for _, host := range ranks {
		if on[host]++; on[host] == most+1 {
			l.fail(l.start(), "host", fmt.Sprintf("more than %d ranks on host %d", most, host), "at most node.ranks on each")
			return
		}
	}
}

// hostNames returns the hosts by name: those of the file of names, or else of the network.
func (p *placer) hostNames(i int) (map[string][]int32, error) {
	known := map[string][]int32{}
	if p.e.Jobs[i].Placement.Hosts == "" {
		return p.e.HostsByName(), nil
	}
	names, err := readHostNames(p.e, p.t, i)
	for name, host := range names {
		known[name] = []int32{host}
	}
	return known, err
}

// listsNames reports whether a file that places ranks lists names of hosts that the network has, and not
// numbers of ranks and hosts.
func listsNames(e *experiment.Resolved, path string) bool {
	if e.HostsByName() == nil {
		return false
	}
	text, err := input.Text(path, input.Mapping)
	if err != nil {
		return false
	}
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		if words := fields.Append(nil, line); len(words) > 0 {
			_, err := strconv.Atoi(words[0].Text)
			return err != nil
		}
	}
	return false
}

// readHostNames parses records of a name and a host. The host is an index or coordinates, as in a
// mapping file.
func readHostNames(e *experiment.Resolved, t topology.Topology, i int) (map[string]int32, error) {
	path := e.Jobs[i].Placement.Hosts
	text, err := input.Text(path, input.Mapping)
	if err != nil {
		return nil, e.Unread(jobField(i, "placement.hosts"), err)
	}
	m := mapper{
		source:    &config.Source{Name: path, Text: strings.TrimPrefix(text, "\ufeff")},
		addresses: sync.OnceValue(func() *addresses { return addressesOf(t) }),
	}
	names, n := map[string]int32{}, 0
	for line := range strings.Lines(m.source.Text) {
		n++
		m.words = fields.Append(m.words[:0], strings.TrimRight(line, "\r\n"))
		if len(m.words) == 0 {
			continue
		}
		m.name(n, e.Hosts(), names)
	}
	return names, failure.NewConfigError(m.problems.Problems())
}

// name parses one record: a name and its host.
func (m *mapper) name(line, hosts int, names map[string]int32) {
	first, last := m.words[0], m.words[len(m.words)-1]
	var host int32
	right := false
	switch {
	case len(m.words) == 2:
		var n int
		n, right = m.number(m.at(line, last, last), last.Text, "host", hosts)
		host = int32(n)
	case len(m.words) > 2 && len(m.words) == 1+m.addresses().length():
		host, right = m.find(line)
	default:
		m.fail(
			m.at(line, first, last), "record", first.Text+" with "+strconv.Itoa(len(m.words)-1)+" numbers",
			strings.Replace(m.addresses().expected(), "a rank", "a name", 2),
		)
	}
	if !right {
		return
	}
	if other, twice := names[first.Text]; twice && other != host {
		m.fail(m.at(line, first, first), "name", first.Text+" a second time", "each name once")
		return
	}
	names[first.Text] = host
}
