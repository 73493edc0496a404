package routing

import (
	"fmt"
	"io"
	"math/bits"
	"strings"

	"fabricast/internal/input"
	"fabricast/topology"
)

var _ = Register(140, Description[TableOptions]{
	Summary: "forwarding tables from a file, as in InfiniBand switches",
	Make: func(o *TableOptions, n Network) (Algorithm, error) {
		g := n.Graph()
		if err := entriesFit(g); err != nil {
			return nil, err
		}
		text, err := input.Text(o.File, tablesOf(g))
		if err != nil {
			return nil, err
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
	address
	host     field
	hosts    int
	entry    []step // by router and host
	channels *vcClasses
}

// maxForwarding is the greatest number of entries of the tables.
const maxForwarding = 1 << 26

// NewForwarding reads the tables from a file. A line is "router host port", or "router host
// port/vc" for a certain virtual channel; otherwise a hash of source and destination chooses the
// channel. A host "*" stands for all hosts for which the router has no other line. NewForwarding
// fails if some host cannot be reached from some router with hosts; mistakes in lines are reported
// as FileErrors.
func NewForwarding(g *topology.Graph, vcs int, file io.Reader) (*Forwarding, error) {
	if err := entriesFit(g); err != nil {
		return nil, err
	}
	channels, err := newVCClasses(vcs, 1, "table")
	if err != nil {
		return nil, err
	}
	width := bits.Len(uint(g.Hosts - 1))
	a, layout, err := newAddress(g, width)
	if err != nil {
		return nil, err
	}
	f := &Forwarding{
		address:  a,
		host:     layout.field(width),
		hosts:    g.Hosts,
		channels: channels,
		entry:    make([]step, g.Routers*g.Hosts),
	}
	if err := f.read(file, vcs); err != nil {
		return nil, err
	}
	return f, f.reach()
}

// entriesFit returns an error if a network needs more entries than tables may have.
func entriesFit(g *topology.Graph) error {
	if g.Routers > maxForwarding/g.Hosts {
		return fmt.Errorf(
			"tables have at most %d entries, not %d routers for %d hosts",
			maxForwarding, g.Routers, g.Hosts,
		)
	}
	return nil
}

// mostLine is the room of a line in a file of routes or tables: its numbers, and a comment (bytes).
const mostLine = 128

// tablesOf is the kind of a file with the tables of a network. It has at most a line for each router
// and host, and one for the other hosts.
func tablesOf(g *topology.Graph) input.Kind {
	return input.Routes.UpTo(
		mostLine*int64(g.Routers)*int64(g.Hosts+1), fmt.Sprintf("for %d routers and %d hosts", g.Routers, g.Hosts),
	)
}

// missing is the port of an entry that no line sets.
const missing = 0xffff

// read fills the tables, first with the lines for single hosts, then with those for all other
// hosts.
func (f *Forwarding) read(file io.Reader, vcs int) error {
	others := make([]step, f.graph.Routers) // by router: for hosts without a line of their own
	for _, list := range [][]step{f.entry, others} {
		for i := range list {
			list[i].port = missing
		}
	}
	err := readRecords(file, form{
		line: `"router host port", the host perhaps "*", the port perhaps with its channel as "3/1"`,
		ends: [2]string{
			"the number of a router",
			`the number of a host, or "*" for all others`,
		}, star: true, vcs: vcs,
	}, func(r *record) *FileError { return f.take(r, others) })
	if err != nil {
		return err
	}
	for i := range f.entry {
		if f.entry[i].port == missing {
			f.entry[i] = others[i/f.hosts]
		}
	}
	return nil
}

// take enters the data of a line in the tables. others holds the lines for "*".
func (f *Forwarding) take(r *record, others []step) *FileError {
	switch {
	case r.a >= f.graph.Routers:
		return r.wrong(
			0, fmt.Sprintf("router %d", r.a),
			fmt.Sprintf("a router from 0 to %d", f.graph.Routers-1),
		)
	case r.b >= f.hosts:
		return r.wrong(1, fmt.Sprintf("host %d", r.b), fmt.Sprintf("a host from 0 to %d", f.hosts-1))
	case len(r.path) != 1:
		return r.wrong(3, fmt.Sprintf("%d ports", len(r.path)), "one port")
	case follow(f.graph, int32(r.a), r.path[0].port) < 0:
		return r.wrong(
			2, fmt.Sprintf("port %d of router %d", r.path[0].port, r.a),
			"a port that leads to another router",
		)
	}
	entry := &others[r.a]
	if r.b >= 0 {
		entry = &f.entry[r.a*f.hosts+r.b]
	}
	if entry.port != missing {
		return r.wrong(
			0, fmt.Sprintf("router %s and host %s again", r.words[0].Text, r.words[1].Text),
			"one line for both",
		)
	}
	*entry = r.path[0]
	return nil
}

// reach returns an error if some host cannot be reached from some router with hosts.
func (f *Forwarding) reach() error {
	// by router: one more than the host to which a way led last
	seen := make([]int32, f.graph.Routers)
	starts := f.graph.HostedRouters()
	for h := range int32(f.hosts) {
		end := int32(f.graph.HostRouter(int(h)))
		for _, from := range starts {
			mark := h + 1
			at, hops := from, 0
			for at != end && seen[at] != mark {
				e := f.entry[int(at)*f.hosts+int(h)]
				if e.port == missing {
					return &FileError{
						Found:    fmt.Sprintf("no entry of router %d for host %d", at, h),
						Expected: "one for every host that packets pass by",
					}
				}
				if hops++; hops > f.graph.Routers {
					return &FileError{
						Found:    fmt.Sprintf("a loop at router %d on the way to host %d", at, h),
						Expected: "entries that lead there",
					}
				}
				at = follow(f.graph, at, e.port)
			}
			f.mark(seen, from, at, h, mark)
		}
	}
	return nil
}

// mark marks the routers of a path that leads to a host.
func (f *Forwarding) mark(seen []int32, from, to, host, mark int32) {
	for at := from; at != to; at = follow(f.graph, at, f.entry[int(at)*f.hosts+int(host)].port) {
		seen[at] = mark
	}
}

// Name returns "table".
func (f *Forwarding) Name() string { return "table" }

// Start returns the route header for packets between two NICs, and the virtual channel in which
// they enter the network.
func (f *Forwarding) Start(src, dst int32) (uint64, uint8) {
	hash := f.pair(src, dst)
	header := f.header(dst, hash, hash) | f.host.with(uint64(dst/int32(f.graph.NICsPerHost)))
	_, vc, _ := f.Next(f.router(src), header)
	return header, uint8(vc)
}

// Next returns the output from the router's table.
func (f *Forwarding) Next(router int32, header uint64) (port, vc uint16, next uint64) {
	vc = f.channels.vc(0, f.choice.of(header))
	if router == int32(f.to.of(header)) {
		return uint16(f.exit.of(header)), vc, header
	}
	e := f.entry[int(router)*f.hosts+int(f.host.of(header))]
	if e.vc != anyVC {
		vc = uint16(e.vc)
	}
	return e.port, vc, header
}
