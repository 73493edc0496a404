package routing

import (
	"math/bits"

	"fabricast/routing/internal/files"
	"fabricast/routing/internal/headers"
	"fabricast/routing/internal/legs"
	"fabricast/topology"
)

var _ = Register(45, Description[DFSSSPOptions]{
	Summary: "balanced shortest paths to every host, in layers that are free of deadlock",
	Ends:    true,
	Make: func(_ *DFSSSPOptions, n Network) (Algorithm, error) {
		return NewDFSSSP(n.Graph(), n.VCs)
	},
	Memory: func(_ *DFSSSPOptions, t topology.Topology) int64 { return legs.BalancedMemory(t.Graph()) },
	Pairs:  true,
	Manual: Manual{
		Section: "dfsssp", Networks: "any, up to 2^26 routers x hosts",
		Routes: "shortest, one for each pair of hosts, spread evenly over the links", VCs: "1 or more, by the network",
		Source: "Domke, Hoefler and Nagel 2011",
	},
	Examples: []string{""},
})

// DFSSSPOptions are the options of the algorithm "dfsssp" in experiments; it has none.
type DFSSSPOptions struct{}

// Name implements Spec.
func (DFSSSPOptions) Name() string { return "dfsssp" }

// DFSSSP is deadlock-free single-source-shortest-path routing, which OpenSM has for InfiniBand (Domke,
// Hoefler and Nagel, IPDPS 2011). Every router has an output port for every destination host, on a shortest
// path; the paths are spread over the links. Each pair of a source router and a destination host has a
// layer, which is a class of virtual channels. Paths of one layer cannot wait for one another in a cycle.
type DFSSSP struct {
	address     headers.Address
	host, layer headers.Field
	paths       *legs.Balanced
	channels    *vcClasses
}

// NewDFSSSP computes the paths and layers of a network. It fails with a TooFewVCsError if there are more
// layers than virtual channels, and if the network is too large or not connected.
func NewDFSSSP(g *topology.Graph, vcs int) (*DFSSSP, error) {
	if err := files.EntriesFit(g); err != nil {
		return nil, err
	}
	width := bits.Len(uint(g.Hosts - 1))
	a, layout, err := headers.NewAddress(g, width+headers.ChannelBits)
	if err != nil {
		return nil, err
	}
	paths, err := legs.NewBalanced(g, MaxVCs)
	if err != nil {
		return nil, err
	}
	channels, err := newVCClasses(vcs, paths.Layers(), "dfsssp")
	if err != nil {
		return nil, err
	}
	return &DFSSSP{
		address: a, host: layout.Field(width), layer: layout.Field(headers.ChannelBits), paths: paths,
		channels: channels,
	}, nil
}

// Name returns "dfsssp".
func (d *DFSSSP) Name() string { return "dfsssp" }

// Start returns the route header for packets between two NICs, and the virtual channel in which
// they enter the network.
func (d *DFSSSP) Start(src, dst int32) (uint64, uint8) {
	hash := d.address.Pair(src, dst)
	host := dst / int32(d.address.Graph.NICsPerHost)
	layer := d.paths.Layer(d.address.Router(src), host)
	header := d.address.Header(dst, hash, hash) | d.host.With(uint64(host)) | d.layer.With(uint64(layer))
	return header, uint8(d.channels.vc(layer, d.address.Choice.Of(header)))
}

// Next returns the port of the path to the destination, and the virtual channel in the path's layer.
func (d *DFSSSP) Next(router int32, header uint64) (port, vc uint16, next uint64) {
	vc = d.channels.vc(uint16(d.layer.Of(header)), d.address.Choice.Of(header))
	if router == int32(d.address.To.Of(header)) {
		return uint16(d.address.Exit.Of(header)), vc, header
	}
	return d.paths.Port(router, int32(d.host.Of(header))), vc, header
}
