package files

import (
	"fmt"
	"io"

	"fabricast/internal/input"
	"fabricast/topology"
)

// Tables are forwarding tables from a file: every router has an output port for every destination
// host.
type Tables struct {
	graph   *topology.Graph
	hosts   int
	entry   []Step            // by router and host
	names   topology.Topology // names routers in messages; nil: numbers do
	ignored string            // what of the file has no influence; may be empty
}

// newTables returns tables without entries.
func newTables(g *topology.Graph, names topology.Topology) *Tables {
	t := &Tables{graph: g, hosts: g.Hosts, entry: make([]Step, g.Routers*g.Hosts), names: names}
	for i := range t.entry {
		t.entry[i].Port = missing
	}
	return t
}

// Ignored says what of the file has no influence; empty: nothing.
func (t *Tables) Ignored() string { return t.ignored }

// name returns what a router is called in messages.
func (t *Tables) name(router int32) string {
	if t.names == nil {
		return fmt.Sprintf("router %d", router)
	}
	return "switch " + t.names.RouterName(int(router))
}

// At returns a router's output for a host.
func (t *Tables) At(router, host int32) Step { return t.entry[int(router)*t.hosts+int(host)] }

// maxForwarding is the greatest number of entries of the tables.
const maxForwarding = 1 << 26

// ReadTables reads forwarding tables in the form that routing.NewForwarding describes. It fails if some
// host cannot be reached from some router with hosts; mistakes in lines are reported as Errors.
// EntriesFit must have accepted the network.
func ReadTables(g *topology.Graph, vcs int, file io.Reader) (*Tables, error) {
	t := newTables(g, nil)
	if err := t.read(file, vcs); err != nil {
		return nil, err
	}
	return t, t.reach()
}

// EntriesFit returns an error if a network needs more entries than tables may have.
func EntriesFit(g *topology.Graph) error {
	if g.Routers > maxForwarding/g.Hosts {
		return fmt.Errorf("tables have at most %d entries, not %d routers for %d hosts", maxForwarding, g.Routers, g.Hosts)
	}
	return nil
}

// mostLine is the room of a line in a file of routes or tables: its numbers, and a comment (bytes).
const mostLine = 128

// TablesKind is the kind of a file with the tables of a network. For each router it has at most a line for
// each host, one for the other hosts, and what IsDump recognizes one for each other router, and a few more.
func TablesKind(g *topology.Graph) input.Kind {
	return input.Routes.UpTo(
		mostLine*int64(g.Routers)*int64(g.Hosts+g.Routers+8), fmt.Sprintf("for %d routers and %d hosts", g.Routers, g.Hosts),
	)
}

// missing is the port of an entry that no line sets.
const missing = 0xffff

// read fills the tables, first with the lines for single hosts, then with those for all other
// hosts.
func (t *Tables) read(file io.Reader, vcs int) error {
	others := make([]Step, t.graph.Routers) // by router: for hosts without a line of their own
	for i := range others {
		others[i].Port = missing
	}
	err := readRecords(file, form{
		line: `"router host port", the host perhaps "*", the port perhaps with its channel as "3/1"`,
		ends: [2]string{"the number of a router", `the number of a host, or "*" for all others`}, star: true, vcs: vcs,
	}, func(r *record) *Error { return t.take(r, others) })
	if err != nil {
		return err
	}
	for i := range t.entry {
		if t.entry[i].Port == missing {
			t.entry[i] = others[i/t.hosts]
		}
	}
	return nil
}

// take enters the data of a line in the tables. others holds the lines for "*".
func (t *Tables) take(r *record, others []Step) *Error {
	switch {
	case r.a >= t.graph.Routers:
		return r.wrong(
			0, fmt.Sprintf("router %d", r.a),
			fmt.Sprintf("a router from 0 to %d", t.graph.Routers-1),
		)
	case r.b >= t.hosts:
		return r.wrong(1, fmt.Sprintf("host %d", r.b), fmt.Sprintf("a host from 0 to %d", t.hosts-1))
	case len(r.path) != 1:
		return r.wrong(3, fmt.Sprintf("%d ports", len(r.path)), "one port")
	case Follow(t.graph, int32(r.a), r.path[0].Port) < 0:
		return r.wrong(
			2, fmt.Sprintf("port %d of router %d", r.path[0].Port, r.a),
			"a port that leads to another router",
		)
	}
	entry := &others[r.a]
	if r.b >= 0 {
		entry = &t.entry[r.a*t.hosts+r.b]
	}
	if entry.Port != missing {
		return r.wrong(
			0, fmt.Sprintf("router %s and host %s again", r.words[0].Text, r.words[1].Text),
			"one line for both",
		)
	}
	*entry = r.path[0]
	return nil
}

// reach returns an error if some host cannot be reached from some router with hosts.
func (t *Tables) reach() error {
	// by router: one more than the host to which a way led last
	seen := make([]int32, t.graph.Routers)
	starts := t.graph.HostedRouters()
	for h := range int32(t.hosts) {
		end := int32(t.graph.HostRouter(int(h)))
		for _, from := range starts {
			mark := h + 1
			at, hops := from, 0
			for at != end && seen[at] != mark {
				e := t.entry[int(at)*t.hosts+int(h)]
				if e.Port == missing {
					return &Error{
						Found:    fmt.Sprintf("no entry of %s for host %d", t.name(at), h),
						Expected: "one for every host that packets pass by",
					}
				}
				if hops++; hops > t.graph.Routers {
					return &Error{
						Found:    fmt.Sprintf("a loop at %s on the way to host %d", t.name(at), h),
						Expected: "entries that lead there",
					}
				}
				at = Follow(t.graph, at, e.Port)
			}
			t.mark(seen, from, at, h, mark)
		}
	}
	return nil
}

// mark marks the routers of a path that leads to a host.
func (t *Tables) mark(seen []int32, from, to, host, mark int32) {
	for at := from; at != to; at = Follow(t.graph, at, t.entry[int(at)*t.hosts+int(host)].Port) {
		seen[at] = mark
	}
}
