package report

import (
	"fmt"
	"io"
	"strings"

	"fabricast"
	"fabricast/internal/humanize"
	"fabricast/internal/netfile"
)

// Survey writes the properties of a network and the surveyed routes.
func Survey(w io.Writer, s *fabricast.Survey) error {
	t := &table{}
	t.add("topology", s.Kind, "")
	t.add("hosts", Count(s.Hosts), nics(s.NICs))
	t.add("routers", Count(s.Routers), fmt.Sprintf("up to %d ports%s", s.Radix, open(s.OpenPorts)))
	for i, l := range s.Links {
		name := ""
		if i == 0 {
			name = "links"
		}
		t.add(name, Count(l.Count)+" "+l.Name, classFigures(l))
	}
	distance(t, s.Distance)
	bisection(t, s)
	trees(t, s.Trees)
	_, err := io.WriteString(w, t.String()+routes(s))
	return err
}

func nics(n int) string {
	if n == 1 {
		return "1 NIC each"
	}
	return fmt.Sprintf("%d NICs each", n)
}

func open(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %s open ports in all", Count(n))
}

func distance(t *table, d fabricast.Distance) {
	at, how := "", "exact"
	if !d.Exact {
		at, how = "at least ", fmt.Sprintf("of a sample of %d routers", d.Sources)
	}
	t.add("diameter", fmt.Sprintf("%s%d", at, d.Diameter), "links between routers, "+how)
	t.add("mean distance", fmt.Sprintf("%.3f", d.Mean), "over all pairs of different hosts, "+how)
}

func bisection(t *table, s *fabricast.Survey) {
	b := s.Bisection
	if b == nil {
		t.add("bisection", "none", "all hosts are at one router")
		return
	}
	at := ""
	if !b.Exact {
		at = "up to "
	}
	half := "half of the hosts inject"
	if 2*b.Hosts < s.Hosts {
		half = fmt.Sprintf("the smaller half injects, %s", humanize.Plural(b.Hosts, "host"))
	}
	t.add(
		"bisection", at+Rate(float64(b.Bandwidth)),
		fmt.Sprintf("one way, %s of what %s", Percent(b.Share), half),
	)
	t.add("", "", b.Method)
}

// routes formats each route as a list of its routers.
func routes(s *fabricast.Survey) string {
	var b strings.Builder
	list := s.Routes
	for _, search := range s.Searches {
		b.WriteString(waysBetween(list[:search.Listed]))
		list = list[search.Listed:]
		if search.Drawn > 1 {
			fmt.Fprintf(
				&b, "  %d of %s different routes that %s draws found; there may be more\n",
				search.Listed, Count(search.Found), Count(search.Drawn),
			)
		}
	}
	return b.String()
}

// waysBetween formats the routes between one pair of hosts.
func waysBetween(list []fabricast.Route) string {
	var b strings.Builder
	router, port := 14, 12
	for _, r := range list {
		for _, h := range r.Hops {
			router, port = max(router, len(h.RouterName)), max(port, len(h.PortName))
		}
	}
	for i, r := range list {
		if i == 0 {
			fmt.Fprintf(&b, "\nhost %d to host %d\n", r.From, r.To)
		} else {
			b.WriteString("  or\n")
		}
		fmt.Fprintf(
			&b, "  %s between routers, injected in VC %d%s\n",
			humanize.Plural(len(r.Hops)-1, "link"), r.VC, detour(r.Detour, len(list) > 1),
		)
		for _, h := range r.Hops {
			fmt.Fprintf(
				&b, "  router %-6d %-*s port %-3d %-*s VC %d%s\n", h.Router, router, h.RouterName,
				h.Port, port, h.PortName, h.VC, escape(h),
			)
		}
	}
	return b.String()
}

// detour describes by how many links a route exceeds the shortest route. It returns "" for a
// shortest route unless several routes are listed.
func detour(links int, several bool) string {
	switch {
	case links > 0:
		return fmt.Sprintf("; a detour of %d", links)
	case several:
		return "; no detour"
	}
	return ""
}

func escape(h fabricast.Hop) string {
	if h.Escape {
		return " (escape channel)"
	}
	return ""
}

// classFigures returns the bandwidth and latency of a class of links. It omits them if the class is
// named after them, as classes from network files are.
func classFigures(l fabricast.LinkClass) string {
	name := l.Name[strings.LastIndexByte(l.Name, '/')+1:]
	if name == (netfile.Cable{Bandwidth: &l.Bandwidth, Latency: &l.Latency}).Label() {
		return "each way"
	}
	return fmt.Sprintf("%s, %s, each way", l.Bandwidth, l.Latency)
}
