package routing

import (
	"fmt"
	"io"
	"math/bits"

	"fabricast/topology"
)

// Forwarding is routing by tables from a file: every router has an output port for
// every destination host, as in InfiniBand's linear forwarding tables.
type Forwarding struct {
	address
	host  field
	hosts int
	entry []step // by router and host
	lanes *lanes
}

// maxForwarding bounds the entries of the tables.
const maxForwarding = 1 << 26

// NewForwarding reads the tables. A line of the file is "router host port", or
// "router host port/vc" for a certain virtual channel (otherwise one by a hash of
// source and destination); a host "*" stands for all that the router has no line
// of their own for. From every router with hosts every host must be reached.
func NewForwarding(g *topology.Graph, vcs int, file io.Reader) (*Forwarding, error) {
	if g.Routers > maxForwarding/g.Hosts {
		return nil, fmt.Errorf("tables have at most %d entries, not %d routers for %d hosts", maxForwarding, g.Routers, g.Hosts)
	}
	lanes, err := newLanes(vcs, 1, "table")
	if err != nil {
		return nil, err
	}
	width := bits.Len(uint(g.Hosts - 1))
	a, layout, err := newAddress(g, width)
	if err != nil {
		return nil, err
	}
	f := &Forwarding{address: a, host: layout.field(width), hosts: g.Hosts, lanes: lanes, entry: make([]step, g.Routers*g.Hosts)}
	records, err := readRecords(file, vcs, `"router host port", the host perhaps "*", the port perhaps with its channel as "3/1"`)
	if err != nil {
		return nil, err
	}
	if err := f.fill(records); err != nil {
		return nil, err
	}
	return f, f.reach()
}

// missing marks an entry that no line names.
const missing = 0xffff

func (f *Forwarding) fill(records []record) error {
	for i := range f.entry {
		f.entry[i].port = missing
	}
	for _, r := range records {
		if r.a >= f.graph.Routers || r.b >= f.hosts || len(r.path) != 1 {
			return &FileError{
				r.line, fmt.Sprintf("router %d, host %d and %d ports", r.a, r.b, len(r.path)),
				fmt.Sprintf("a router from 0 to %d, a host from 0 to %d and one port", f.graph.Routers-1, f.hosts-1),
			}
		}
		if follow(f.graph, int32(r.a), r.path[0].port) < 0 {
			return &FileError{r.line, fmt.Sprintf("port %d of router %d", r.path[0].port, r.a), "a port that leads to another router"}
		}
		if r.b >= 0 {
			f.entry[r.a*f.hosts+r.b] = r.path[0]
		}
	}
	for _, r := range records {
		for h := 0; r.b < 0 && h < f.hosts; h++ {
			if e := &f.entry[r.a*f.hosts+h]; e.port == missing {
				*e = r.path[0]
			}
		}
	}
	return nil
}

// reach checks that every host is reached from every router with hosts.
func (f *Forwarding) reach() error {
	seen := make([]int32, f.graph.Routers) // by router: one more than the host to which a way led last
	starts := f.graph.HostedRouters()
	for h := range int32(f.hosts) {
		end := int32(f.graph.HostRouter(int(h)))
		for _, from := range starts {
			mark := h + 1
			at, hops := from, 0
			for at != end && seen[at] != mark {
				e := f.entry[int(at)*f.hosts+int(h)]
				if e.port == missing {
					return &FileError{0, fmt.Sprintf("no entry of router %d for host %d", at, h), "one for every host that packets pass by"}
				}
				if hops++; hops > f.graph.Routers {
					return &FileError{0, fmt.Sprintf("a loop at router %d on the way to host %d", at, h), "entries that lead there"}
				}
				at = follow(f.graph, at, e.port)
			}
			f.mark(seen, from, at, h, mark)
		}
	}
	return nil
}

// mark notes the routers of a way that leads to a host.
func (f *Forwarding) mark(seen []int32, from, to, host, mark int32) {
	for at := from; at != to; at = follow(f.graph, at, f.entry[int(at)*f.hosts+int(host)].port) {
		seen[at] = mark
	}
}

// Name is "table".
func (f *Forwarding) Name() string { return "table" }

// Start returns the header for packets between two NICs.
func (f *Forwarding) Start(src, dst int32) (uint64, uint8) {
	hash := f.pair(src, dst)
	header := f.header(dst, hash, hash) | f.host.with(uint64(dst/int32(f.graph.NICsPerHost)))
	_, vc, _ := f.Next(f.router(src), header)
	return header, uint8(vc)
}

// Next looks the output up.
func (f *Forwarding) Next(router int32, header uint64) (port, vc uint16, next uint64) {
	vc = f.lanes.vc(0, f.lane.of(header))
	if router == int32(f.to.of(header)) {
		return uint16(f.exit.of(header)), vc, header
	}
	e := f.entry[int(router)*f.hosts+int(f.host.of(header))]
	if e.vc != anyVC {
		vc = uint16(e.vc)
	}
	return e.port, vc, header
}
