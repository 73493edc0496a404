package predict

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"fabricast/experiment"
	"fabricast/fabric"
	"fabricast/internal/failure"
	"fabricast/internal/graphs"
	"fabricast/internal/humanize"
	"fabricast/internal/innetwork"
	"fabricast/internal/netfile"
	"fabricast/internal/picture"
	"fabricast/internal/plan"
	"fabricast/internal/units"
	"fabricast/topology"
)

// SurveySchema is the schema name and version of a Survey as JSON.
const SurveySchema = "fabricast.topology/1"

// Layout is the network of an experiment: its topology and the parameters of its links.
type Layout struct {
	Topology topology.Topology
	Links    []experiment.Link // by link class, which is the Link field of a graph's port

	names []string // names of the link classes
	e     *experiment.Resolved
}

// Survey describes the properties of a network: sizes, distances, bisection. Its JSON keys are
// described in docs/formats/network.md.
type Survey struct {
	Schema    string      `json:"schema"`
	Kind      string      `json:"kind"`
	Hosts     int         `json:"hosts"`
	NICs      int         `json:"nics_per_host"`
	Routers   int         `json:"routers"`
	Radix     int         `json:"radix"`      // largest number of ports of a router
	OpenPorts int         `json:"open_ports"` // unconnected ports
	Links     []LinkClass `json:"links"`      // classes with at least one link
	Distance  Distance    `json:"distance"`
	Bisection *Bisection  `json:"bisection,omitempty"` // nil if all hosts are at one router
	Routes    []Route     `json:"routes,omitempty"`
	// Searches counts the routes found and listed for each pair of hosts in Routes.
	Searches []RouteSearch `json:"route_searches,omitempty"`
	// Trees are the aggregation trees of switches, as in Preview.
	Trees []innetwork.Shown `json:"trees,omitempty"`
}

// LinkClass counts the links with the same name, bandwidth and latency.
type LinkClass struct {
	Name      string     `json:"name"`
	Count     int        `json:"count"` // cables; the two directions of a cable count once
	Bandwidth units.Rate `json:"bandwidth_bytes_per_s"`
	Latency   units.Time `json:"latency_ps"`
}

// Distance holds the distances between hosts, in links between routers.
type Distance struct {
	Diameter int     `json:"diameter"`
	Mean     float64 `json:"mean"` // over all pairs of different hosts
	Exact    bool    `json:"exact"`
	Sources  int     `json:"sources"` // number of routers from which distances were searched
}

// Bisection is the smallest bandwidth between two halves of the hosts, or an upper bound of it.
type Bisection struct {
	Bandwidth units.Rate `json:"bandwidth_bytes_per_s"` // in one direction
	Exact     bool       `json:"exact"`                 // false: Bandwidth is an upper bound
	Method    string     `json:"method"`
	// Hosts is the number of hosts in the smaller half; hosts at the same router stay together.
	Hosts int `json:"hosts"`
	// Share is Bandwidth divided by the injection bandwidth of the hosts in the smaller half.
	Share float64 `json:"share"`
}

// NewLayout builds the experiment's network without its routing. The experiment needs neither a
// program nor traffic.
func NewLayout(e *experiment.Resolved) (*Layout, error) {
	if e.NoTopology() {
		return nil, e.Refuse(
			"network.topology",
			"",
			"a topology: the model "+e.Network.Model+" has none to look at",
			"",
		)
	}
	if err := plan.RoughForecast(e).Check(); err != nil {
		return nil, err
	}
	t, err := plan.BuildTopology(e)
	if err != nil {
		return nil, err
	}
	classes, err := plan.LinkClasses(e, t)
	if err != nil {
		return nil, err
	}
	l := &Layout{Topology: t, e: e.KeepingReports()}
	for _, c := range classes {
		l.Links, l.names = append(l.Links, c.Link), append(l.names, c.Name)
	}
	return l, nil
}

// Survey measures the network. Distances are exact if one search is enough by symmetry, or if a
// search from every router is affordable. The bisection is exact if a formula for the topology is
// known.
func (l *Layout) Survey() *Survey {
	g := l.Topology.Graph()
	s := &Survey{
		Schema: SurveySchema, Kind: l.Topology.Kind(), Hosts: g.Hosts, NICs: g.NICsPerHost,
		Routers: g.Routers, Radix: g.Radix(), Links: l.classes(),
	}
	for p := range g.Ports {
		if g.Ports[p].Peer == topology.Unconnected && g.Ports[p].NIC == topology.Unconnected {
			s.OpenPorts++
		}
	}
	s.Distance = Distance(graphs.New(g, nil).Measure(graphs.Representatives(l.Topology)))
	s.Bisection = l.bisection()
	s.Trees = l.trees()
	return s
}

// trees returns the aggregation trees of switches for the ranks that the experiment describes; none if these
// are known only once a trace or a program in C has been opened, or if fabricast check refuses them.
func (l *Layout) trees() []innetwork.Shown {
	unopened := func(j experiment.Job) bool { return !j.HasTraffic() && !j.Opened() }
	if !l.e.Network.InNetwork.Given() || slices.ContainsFunc(l.e.Jobs, unopened) {
		return nil
	}
	p, err := plan.Build(l.e)
	if err != nil {
		return nil
	}
	return p.Forest.Show(p.Topology)
}

// classes lists the link classes with at least one link, with those of host links last.
func (l *Layout) classes() []LinkClass {
	count, hosts := l.counts(), l.Topology.Graph().HostClasses()
	var list []LinkClass
	for class, n := range count {
		if n > 0 && !ofHosts(class, hosts) {
			list = append(list, l.class(class, n))
		}
	}
	for _, class := range hosts {
		if n := count[class]; n > 0 {
			list = append(list, l.class(int(class), n))
		}
	}
	return list
}

// counts returns the number of cables of each class.
func (l *Layout) counts() []int {
	g, count := l.Topology.Graph(), make([]int, len(l.Links))
	for p := range g.Ports {
		if port := &g.Ports[p]; port.NIC != topology.Unconnected || port.Peer > int32(p) {
			count[port.Link]++
		}
	}
	return count
}

func (l *Layout) class(class, count int) LinkClass {
	return LinkClass{l.names[class], count, l.Links[class].Bandwidth, l.Links[class].Latency}
}

func (l *Layout) bisection() *Bisection {
	bandwidth := make([]int64, len(l.Links))
	for i, link := range l.Links {
		bandwidth[i] = int64(link.Bandwidth)
	}
	// the formulas do not apply if single links have parameters of their own
	regular := !slices.ContainsFunc(l.names[len(l.Topology.LinkClasses()):], func(name string) bool {
		return !topology.OfHosts(name)
	})
	b, ok := graphs.Bisect(l.Topology, bandwidth, regular)
	if !ok {
		return nil
	}
	g := l.Topology.Graph()
	hosts := fabric.Spec{Graph: g}
	for _, link := range l.Links {
		hosts.Links = append(hosts.Links, fabric.Link{Bandwidth: link.Bandwidth, Latency: link.Latency})
	}
	inject := hosts.MeanHostBandwidth() * float64(b.Hosts*g.NICsPerHost)
	return &Bisection{units.Rate(b.Bandwidth), b.Formula, b.Method, b.Hosts, float64(b.Bandwidth) / inject}
}

// SVG writes a drawing of the network as SVG.
func (l *Layout) SVG(w io.Writer) error {
	g := l.Topology.Graph()
	legend := picture.Legend{
		Title: fmt.Sprintf(
			"%s: %s, %s",
			l.Topology.Kind(), humanize.Plural(g.Hosts, "host"),
			humanize.Plural(g.Routers, "router"),
		),
		Classes: make([]string, len(l.Links)),
	}
	for class, n := range l.counts() {
		if n > 0 {
			c := l.class(class, n)
			legend.Classes[class] = fmt.Sprintf(
				"%s: %s, %s, %s",
				c.Name, humanize.Plural(n, "link"), c.Bandwidth, c.Latency,
			)
		}
	}
	return picture.Draw(w, l.Topology, legend)
}

// Formats in which Layout.Export writes a network.
const (
	ExportGraphML = "graphml"
	ExportDOT     = "dot"
	ExportEdges   = "edges"
)

// Export writes the network in one of the formats above, or in another that fabricast network formats lists. All
// but DOT can be read again as a topology of kind file. It returns an error if the format is unknown, or
// cannot describe the network.
func (l *Layout) Export(w io.Writer, format string) error {
	cables := make([]netfile.Cable, len(l.Links))
	for i := range l.Links {
		cables[i] = netfile.Cable{Bandwidth: &l.Links[i].Bandwidth, Latency: &l.Links[i].Latency}
	}
	if f := netfile.FindFormat(format); f != nil && f.Writes() {
		err := f.Write(w, l.Topology, cables)
		if unfit := (*netfile.Unfit)(nil); errors.As(err, &unfit) {
			return failure.NewConfigError(unfit)
		}
		return err
	}
	return fmt.Errorf(
		"found export format %q, expected one of %s, %s, %s, or another of package netfile",
		format, ExportGraphML, ExportDOT, ExportEdges,
	)
}
