package predict

import (
	"fmt"
	"strings"

	"fabricast/internal/humanize"
	"fabricast/internal/plan"
	"fabricast/routing"
	"fabricast/topology"
)

// fileNotes returns warnings about what the network file does not say clearly, or has no influence, and about
// nodes of it that are listed in vain.
func fileNotes(p *plan.Plan) (list []string) {
	if unread := p.Experiment.PassedOver(); len(unread) > 0 {
		list = append(list, fmt.Sprintf(
			"attributes of links in the file of the network are not read: %s; those that are read are "+
				"class, and bandwidth and latency with their units", strings.Join(unread, ", "),
		))
	}
	if findings := p.Experiment.NetworkFindings(); len(findings) > 0 {
		f := findings[0]
		list = append(list, fmt.Sprintf(
			"the file of the network has %s, such as a %s: %s (fabricast network info %s)",
			humanize.Plural(len(findings), "probable mistake"), f.Kind, f.Text, p.Experiment.Network.TopologyFile(),
		))
	}
	if left := leftNodes(p); left != "" {
		list = append(list, left)
	}
	return list
}

// leftNodes says which of the nodes that the mapping lists get no rank; "" if all get some, or it lists none.
func leftNodes(p *plan.Plan) string {
	hosts := p.Experiment.HostsOfNodes()
	ranks := p.Experiment.Ranks
	used := (ranks + p.Experiment.Node.Ranks - 1) / p.Experiment.Node.Ranks
	names, known := p.Topology.(topology.Named)
	if !known || ranks == 0 || used >= len(hosts) {
		return ""
	}
	return fmt.Sprintf("mapping.nodes fills one host after the other: %s use the first %d of %s, up to %s",
		humanize.Plural(ranks, "rank"), used, humanize.Plural(len(hosts), "host"), names.HostName(int(hosts[used-1])))
}

// unreadNotes returns what check says of files that are read in part; "" if there are none.
func unreadNotes(p *plan.Plan) string {
	list := fileNotes(p)
	if f, ok := p.Fabric.Routing.(*routing.Forwarding); ok && f.Ignored() != "" {
		list = append(list, "without influence in the forwarding tables: "+f.Ignored())
	}
	return strings.Join(list, "; ")
}
