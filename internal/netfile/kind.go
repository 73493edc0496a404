package netfile

import (
	"fmt"

	"fabricast/internal/config"
	"fabricast/topology"
)

var _ = topology.Register(120, topology.Description[Options]{
	Name: "file", Summary: "any network, from a list of links, GraphML, ibnetdiscover and other files", Routing: "shortest",
	Defaults: func(o *Options, joins bool) {
		if o.Hosts == 0 && !joins {
			o.Hosts = 1
		}
	},
	Manual: topology.Manual{
		Section: "file", Routers: "as in the file", Hosts: "as in the file", Links: "as in the file",
		Diameter: "by search",
	},
	Help: map[string]string{
		"adapters": "of a node with several: 'apart', each is a host of its own, or 'joined', one host has a link at " +
			"the rate of each, and sends by the one that is nearest to the receiver",
	},
	Examples: []string{ // @: the folder of the tests' files
		"file: @/odd.edges, hosts: 0", "file: @/two-rates.edges, hosts: 0, adapters: joined",
	},
})

// Options are those of a network that a file describes, as a topology.
type Options struct {
	File string `yaml:"file" help:"a network file: a list of links, GraphML, or what ibnetdiscover prints, among others"`
	// of routers for which the file gives no number
	Hosts int `yaml:"hosts" help:"of a router" default:"1"`
	// of a node that has several
	Adapters Adapters `yaml:"adapters" default:"'apart'"`
}

// Read reads the network from the file.
func (o Options) Read() (*Network, config.Problems) {
	n, problems := Read(o.File, o.Hosts)
	if len(problems) == 0 && o.Adapters == JoinedAdapters {
		n.join()
	}
	return n, problems
}

// Check implements topology.Spec: what is wrong with the options, not with the file.
func (o Options) Check() (list []topology.Mistake) {
	if o.File == "" {
		list = append(
			list,
			topology.Mistake{Field: "file", Expected: "the path of a network file, such as a list of links"},
		)
	}
	if o.Hosts < 0 || o.Hosts > topology.MaxHosts {
		list = append(list, topology.Mistake{
			Field: "hosts", Found: fmt.Sprint(o.Hosts),
			Expected: fmt.Sprintf("a number from 0 to %d", topology.MaxHosts),
		})
	}
	return list
}

// Size implements topology.Spec; nothing if the file cannot be read.
func (o Options) Size() topology.Size {
	network, problems := o.Read()
	if len(problems) > 0 {
		return topology.Size{}
	}
	return network.Spec.Size()
}

// Build implements topology.Spec.
func (o Options) Build(nics int) (topology.Topology, error) {
	network, problems := o.Read()
	if len(problems) > 0 {
		return nil, problems
	}
	return network.Spec.Build(nics)
}
