package routing

import (
	"io"
	"math/bits"
	"strings"

	"fabricast/internal/input"
	"fabricast/routing/internal/files"
	"fabricast/routing/internal/headers"
	"fabricast/topology"
)

var _ = Register(140, Description[TableOptions]{
	Summary:   "forwarding tables from a file, such as those of InfiniBand switches",
	Endpoints: true,
	Make: func(o *TableOptions, n Network) (Algorithm, error) {
		g := n.Graph()
		if err := files.EntriesFit(g); err != nil {
			return nil, err
		}
		text, err := input.Text(o.File, files.TablesKind(g))
		if err != nil {
			return nil, err
		}
		if files.IsDump(text) {
			return newForwarding(g, n.VCs, func() (*files.Tables, error) { return files.ReadDump(n.Topology, text) })
		}
		return NewForwarding(g, n.VCs, strings.NewReader(text))
	},
	Manual: Manual{
		Section: "shortest-paths-and-tables", Routes: "from a file", VCs: "as the file needs",
	},
	Examples: []string{"file: $"}, // $: a file of tables for the network
})

// TableOptions are the options of the algorithm "table" in experiments.
type TableOptions struct {
	File string `yaml:"file" help:"forwarding tables" default:"-"`
}

// Name implements Spec.
func (TableOptions) Name() string { return "table" }

// Check returns the mistakes in the options.
func (o *TableOptions) Check() []topology.Mistake {
	if o.File != "" {
		return nil
	}
	return []topology.Mistake{{Field: "file", Expected: "a file of forwarding tables"}}
}

// Forwarding is routing by tables from a file. Every router has an output port for every
// destination host, as in InfiniBand's linear forwarding tables.
type Forwarding struct {
	address  headers.Address
	host     headers.Field
	tables   *files.Tables
	channels *vcClasses
}

// NewForwarding reads the tables from a file. A line is "router host port", or "router host
// port/vc" for a certain virtual channel; otherwise a hash of source and destination chooses the
// channel. A host "*" stands for all hosts for which the router has no other line. NewForwarding
// fails if some host cannot be reached from some router with hosts; mistakes in lines are reported
// as FileErrors.
func NewForwarding(g *topology.Graph, vcs int, file io.Reader) (*Forwarding, error) {
	return newForwarding(g, vcs, func() (*files.Tables, error) { return files.ReadTables(g, vcs, file) })
}

func newForwarding(g *topology.Graph, vcs int, read func() (*files.Tables, error)) (*Forwarding, error) {
	if err := files.EntriesFit(g); err != nil {
		return nil, err
	}
	channels, err := newVCClasses(vcs, 1, "table")
	if err != nil {
		return nil, err
	}
	width := bits.Len(uint(g.Hosts - 1))
	a, layout, err := headers.NewAddress(g, width)
	if err != nil {
		return nil, err
	}
	t, err := read()
	if err != nil {
		return nil, err
	}
	return &Forwarding{address: a, host: layout.Field(width), tables: t, channels: channels}, nil
}

// Name returns "table".
func (f *Forwarding) Name() string { return "table" }

// Ignored says what of the file has no influence; empty: nothing.
func (f *Forwarding) Ignored() string { return f.tables.Ignored() }

// Start returns the route header for packets between two NICs, and the virtual channel in which
// they enter the network.
func (f *Forwarding) Start(src, dst int32) (uint64, uint8) {
	hash := f.address.Pair(src, dst)
	header := f.address.Header(dst, hash, hash) | f.host.With(uint64(dst/int32(f.address.Graph.NICsPerHost)))
	_, vc, _ := f.Next(f.address.Router(src), header)
	return header, uint8(vc)
}

// Next returns the output from the router's table.
func (f *Forwarding) Next(router int32, header uint64) (port, vc uint16, next uint64) {
	vc = f.channels.vc(0, f.address.Choice.Of(header))
	if router == int32(f.address.To.Of(header)) {
		return uint16(f.address.Exit.Of(header)), vc, header
	}
	e := f.tables.At(router, int32(f.host.Of(header)))
	if e.VC != files.AnyVC {
		vc = uint16(e.VC)
	}
	return e.Port, vc, header
}
