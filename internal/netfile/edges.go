package netfile

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"

	"fabricast/internal/config"
	"fabricast/internal/fields"
	"fabricast/internal/humanize"
	"fabricast/internal/units"
	"fabricast/topology"
)

// edgesFormat is the name of the format of lists of links.
const edgesFormat = "edges"

var _ = register(100, Format{
	Name: edgesFormat, Summary: "a list of links, one a line; also that of NetworkX",
	Endings: []string{".edges"}, read: readEdges, write: WriteEdges,
})

// readEdges parses a list of links. A line names two routers, and then in any order bandwidth and
// latency, if they differ from the network's, class=NAME, and oneway if it leads from the first router to
// the second only. Lines "router NAME HOSTS" give the
// hosts of a router. If there are such lines, they name all routers; if not, any name of letters,
// digits and a few marks is a router's. # begins a comment. A line of NetworkX ends with a dictionary of
// attributes.
func readEdges(source *config.Source, hosts int) (*Network, config.Problems) {
	g := newAttributed(source, edgesFormat)
	c := g.collector
	declared := map[string]int{} // lines of routers
	var ends []word              // of links
	rest := source.Text
	for n := 1; rest != "" && !c.problems.Enough(); n++ {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if words, list, found := c.dictOf(line, n); found {
			class, cable := g.attributesOf(list)
			c.link(words[0].at, words[0].text, words[1].text, class, cable)
			ends = append(ends, words...)
			continue
		}
		words := split(line, n)
		switch {
		case len(words) == 0:
		case words[0].text == "router" && (len(words) <= 3 || isNumber(words[2].text)):
			c.declare(words, declared)
		case isHost(words):
			if c.hostLine(words) {
				ends = append(ends, words[2])
			}
		default:
			if c.edge(words) {
				ends = append(ends, words[:2]...)
			}
		}
	}
	for _, end := range ends {
		c.checkName(end, declared)
	}
	g.report(hosts)
	return c.network(hosts, len(declared) == 0)
}

// isHost reports whether a line is "host NAME ROUTER", not a link of a router called host.
func isHost(words []word) bool {
	if words[0].text != "host" || len(words) < 3 || strings.HasPrefix(words[2].text, classMark) {
		return false
	}
	return new(units.Rate).Set(words[2].text) != nil && new(units.Time).Set(words[2].text) != nil
}

// hostLine parses a line "host NAME ROUTER", perhaps with the bandwidth and latency of its link. It
// reports whether it names a router. The hosts of a router are those of such lines if it has any.
func (c *collector) hostLine(words []word) bool {
	cable, ok := c.cable(words[3:])
	if !ok {
		return false
	}
	class := topology.LinkHost
	if label := cable.Label(); label != "" {
		if class, ok = c.kind(words[0].at, topology.HostLinks+"/"+label, cable); !ok {
			return false
		}
	}
	r := c.router(words[2].at, words[2].text)
	if given := c.hosts[r]; given > 0 && (r >= len(c.hostNames) || c.hostNames[r] == nil) {
		c.fail(words[0].at, "host", "a name for a host of router "+words[2].text+", whose line gives their number",
			"either their number or their names", "")
		return false
	}
	c.host(r, words[1].text, class)
	return true
}

// checkName refuses the router at the end of a link if lines name the routers and none names this
// one, or if there are no such lines and it does not look like a name. What is no list of links, or
// has a typing error in a name, would otherwise be a network, only not the one that was meant.
func (c *collector) checkName(end word, declared map[string]int) {
	switch {
	case declared[end.text] > 0:
	case len(declared) > 0:
		c.fail(end.at, "link", "router "+end.text, "a router that a line names, such as router "+end.text, "")
	case strings.ContainsFunc(end.text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-./", r)
	}):
		c.fail(
			end.at, "link", "router "+end.text, "a name of letters, digits, _, -, . and /",
			"or a line of its own for each router, such as router "+end.text,
		)
	}
}

// word is a word of a line with its position.
type word struct {
	text string
	at   config.Position
}

func split(line string, number int) []word {
	found := fields.Append(nil, line)
	list := make([]word, len(found))
	for i, w := range found {
		list[i] = word{w.Text, config.Position{Line: number, Column: w.Column, Width: w.Width()}}
	}
	return list
}

// declare parses a line "router NAME HOSTS"; HOSTS may be missing, or have links (hostsOf).
func (c *collector) declare(words []word, declared map[string]int) {
	if len(words) < 2 {
		c.fail(words[0].at, "router", "nothing", "the router's name, such as router s1 2", "")
		return
	}
	name := words[1]
	if line := declared[name.text]; line > 0 {
		c.fail(
			name.at, "router", fmt.Sprintf("router %s a second time", name.text),
			"one line for each router",
			fmt.Sprintf("the first is line %d", line),
		)
		return
	}
	declared[name.text] = name.at.Line
	r := c.router(name.at, name.text)
	if len(words) > 2 {
		c.hostsOf(r, words[2:])
	}
}

// edge parses the line of a link. It reports whether it names two routers.
func (c *collector) edge(words []word) bool {
	words, oneWay := withoutMark(words)
	words, class, ok := c.class(words)
	if !ok {
		return false
	}
	if len(words) < 2 || len(words) > 4 {
		c.fail(
			words[0].at, "link", humanize.Plural(len(words), "word"),
			"two routers, and perhaps a bandwidth, a latency and a class, such as s1 s2 8GB/s 100ns "+
				"class=global",
			"",
		)
		return false
	}
	cable, ok := c.cable(words[2:])
	if !ok {
		return false
	}
	if oneWay {
		c.directed(words[0].at, words[0].text, words[1].text, class, cable)
	} else {
		c.link(words[0].at, words[0].text, words[1].text, class, cable)
	}
	return true
}

// oneWayMark is the word of a link that leads one way.
const oneWayMark = "oneway"

// withoutMark removes the mark of links that lead one way from the words after the two routers.
func withoutMark(words []word) (others []word, marked bool) {
	for i, w := range words {
		if i >= 2 && w.text == oneWayMark {
			marked = true
			continue
		}
		others = append(others, w)
	}
	return others, marked
}

// classMark is the beginning of a word that names the class of a link.
const classMark = "class="

// class removes the class from the words of a link.
func (c *collector) class(words []word) (others []word, class string, ok bool) {
	for i, w := range words {
		name, marked := strings.CutPrefix(w.text, classMark)
		switch {
		case !marked || i < 2:
			others = append(others, w)
		case name == "" || topology.OfHosts(name) || class != "":
			c.fail(w.at, "class", w.text, "one name of a class other than host, such as class=global", "")
			return nil, "", false
		default:
			class = name
		}
	}
	return others, class, true
}

// WriteEdges writes a network as a list of links, in the format that Read reads.
func WriteEdges(w io.Writer, t topology.Topology, cables []Cable) error {
	out := bufio.NewWriter(w)
	g := t.Graph()
	fmt.Fprintf(out, "# %s: %d routers, %d hosts\n", t.Kind(), g.Routers, g.Hosts)
	names := make([]string, g.Routers)
	taken := make(map[string]bool, g.Routers)
	hosts := hostWords(g, cables)
	named := hasNames(t)
	for r := range names {
		names[r] = edgeName(t.RouterName(r))
		for taken[names[r]] { // it may have been made the same as another
			names[r] += "_"
		}
		taken[names[r]] = true
		if named && hosts[r] != "0" {
			fmt.Fprintf(out, "router %s\n", names[r])
			continue
		}
		fmt.Fprintf(out, "router %s %s\n", names[r], hosts[r])
	}
	if named {
		for host := range g.Hosts {
			port := g.Ports[g.NICPort[host*g.NICsPerHost]]
			fmt.Fprintf(out, "host %s %s%s\n", edgeName(hostName(t, host)), names[port.Router], cables[port.Link].words())
		}
	}
	for _, l := range links(g) {
		cable := cables[l.Class]
		mark := ""
		if l.OneWay {
			mark = " " + oneWayMark
		}
		fmt.Fprintf(out, "%s %s%s%s%s\n", names[l.A], names[l.B], cable.words(), classWord(t, l.Class, cable), mark)
	}
	return out.Flush()
}

// words returns bandwidth and latency, each after a space; without those that are not given.
func (c Cable) words() (text string) {
	if c.Bandwidth != nil {
		text += " " + c.Bandwidth.String()
	}
	if c.Latency != nil {
		text += " " + fmt.Sprint(*c.Latency)
	}
	return text
}

// classWord returns the word for a class, after a space; "" if bandwidth and latency determine the
// class, or for a single link with an entry of its own.
func classWord(t topology.Topology, class uint16, cable Cable) string {
	names := t.LinkClasses()
	if int(class) >= len(names) || names[class] == "link" || names[class] == cable.Label() {
		return ""
	}
	return " " + classMark + edgeName(names[class])
}

// edgeName turns a name into a single word.
func edgeName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n#", r) {
			return '_'
		}
		return r
	}, name)
}
