package plan

import (
	"fmt"
	"strconv"
	"strings"

	"fabricast/experiment"
	"fabricast/topology"
)

// hostLinks moves the links of some hosts, named as in "host/0-7,12" or by the name of their
// router, into classes of their own, and returns all classes. It returns an error if a name matches
// no host of the network, or a host that an earlier entry names.
func hostLinks(
	e *experiment.Resolved,
	t topology.Topology,
	name string,
	classes []LinkClass,
) ([]LinkClass, error) {
	path, g := "network.links."+name, t.Graph()
	list, _ := experiment.NamedHosts(name)
	hosts, right := hostNumbers(list, g.Hosts)
	if !right {
		hosts = hostsAt(t, list)
	}
	if len(hosts) == 0 {
		return nil, e.Refuse(
			path, name, fmt.Sprintf("host/ and numbers of hosts from 0 to %d, each once, as in host/0-3,5, or the name "+
				"of a router with hosts", g.Hosts-1), "",
		)
	}
	s := splitter{e: e, name: name, classes: classes, regular: len(t.LinkClasses())}
	for _, host := range hosts {
		g.ReclassHost(host, s.split)
		if s.twice != "" {
			return nil, e.Refuse(
				path, name, "one entry for the links of a host", fmt.Sprintf("%s names host %d, too", s.twice, host),
			)
		}
	}
	return s.classes, nil
}

// hostNumbers parses a list of host indices and of ranges of them. A list that repeats a host is
// invalid.
func hostNumbers(list string, hosts int) (numbers []int, right bool) {
	seen := make([]bool, hosts)
	for part := range strings.SplitSeq(list, ",") {
		first, last, ranged := strings.Cut(part, "-")
		if !ranged {
			last = first
		}
		a, errA := strconv.ParseUint(first, 10, 31)
		b, errB := strconv.ParseUint(last, 10, 31)
		if errA != nil || errB != nil || a > b || b >= uint64(hosts) {
			return nil, false
		}
		for host := int(a); host <= int(b); host++ {
			if seen[host] {
				return nil, false
			}
			seen[host] = true
			numbers = append(numbers, host)
		}
	}
	return numbers, true
}

// hostsAt returns the hosts at the router with the given name.
func hostsAt(t topology.Topology, router string) (hosts []int) {
	g := t.Graph()
	for host := range g.Hosts {
		if t.RouterName(g.HostRouter(host)) == router {
			hosts = append(hosts, host)
		}
	}
	return hosts
}
