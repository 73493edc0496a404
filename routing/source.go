package routing

import (
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"

	"fabricast/internal/input"
	"fabricast/internal/units"
	"fabricast/topology"
)

var _ = Register(130, Description[SourceOptions]{
	Summary: "the routes of another algorithm, in the headers of packets",
	Make:    (*SourceOptions).make,
	Memory: func(o *SourceOptions, t topology.Topology) int64 {
		of := o.Of.kind()
		return of.Memory(of.New(), t)
	},
	AlikeWith: (*SourceOptions).alike,
	Manual: Manual{
		Section: "source-routing", Networks: "any, up to 4,096 NICs",
		Routes: "those of another algorithm, or from a file", VCs: "as that algorithm",
		Source: "Boden et al. (Myrinet) 1995",
	},
	Examples: []string{"", "of: shortest", "of: up-down"},
})

// SourceOptions are the options of the algorithm "source" in experiments.
type SourceOptions struct {
	Of   SourceOf `yaml:"of" help:"the algorithm whose routes are taken" default:"'minimal'" fill:"minimal"`
	File string   `yaml:"file" help:"routes of some pairs of hosts" default:"-"`
}

// Name implements Spec.
func (SourceOptions) Name() string { return "source" }

// SourceOf is the name of an algorithm with one route for each pair of hosts.
type SourceOf string

// sourceUsual is the default algorithm.
const sourceUsual SourceOf = "minimal"

// Words implements option.Worded. The default comes first.
func (s *SourceOf) Words() []string {
	names := []string{string(sourceUsual)}
	for _, k := range Kinds() {
		if k.Pairs && k.Name != names[0] {
			names = append(names, k.Name)
		}
	}
	return names
}

// UnmarshalText parses the name of an algorithm. It returns an error if the algorithm has not one
// route for each pair.
func (s *SourceOf) UnmarshalText(text []byte) error {
	if !slices.Contains(s.Words(), string(text)) {
		return &units.Error{Found: string(text), Expected: strings.Join(s.Words(), " or ")}
	}
	*s = SourceOf(text)
	return nil
}

func (s SourceOf) kind() *Kind {
	if s == "" {
		s = sourceUsual
	}
	return FindKind(string(s))
}

// alike returns the families that the underlying algorithm lists, none if routes come from a file.
// For shortest paths it returns none too, because they have other channel classes on networks of
// other sizes.
func (o *SourceOptions) alike() []topology.Family {
	if of := o.Of.kind(); o.File == "" && of.Name != "shortest" {
		return of.Alike(of.New())
	}
	return nil
}

func (o *SourceOptions) make(n Network) (Algorithm, error) {
	k := o.Of.kind()
	if !k.Fits(n.Topology) {
		return nil, fmt.Errorf("routes of %s need a network that is %s", k.Name, k.Networks)
	}
	of, err := k.Make(k.New(), n)
	if err != nil {
		return nil, err
	}
	var routes io.Reader
	if o.File != "" {
		text, err := input.Text(o.File, routesOf(n.Graph()))
		if err != nil {
			return nil, err
		}
		routes = strings.NewReader(text)
	}
	return NewSource(n.Graph(), n.VCs, of.(Function), routes)
}

// Source is source routing: a packet's header holds its whole route, as a list of output ports with
// their virtual channels, of which every router takes the first (as in Myrinet; Boden et al., IEEE
// Micro 1995). The routes are those of another algorithm, or come from a file.
//
// If the longest route does not fit in the 64 bits of a header, the header is an index in a table
// of all routes instead. Networks that are too large for such a table are refused.
type Source struct {
	graph *topology.Graph
	of    Function
	given map[uint64][]step // routes from a file, by source and destination host
	width uint8             // bits of a step: port and virtual channel
	vcs   uint8             // bits of a virtual channel
	steps []uint32          // table of all routes, if used: each step is port<<8 | channel
	first []uint32          // by source and destination NIC: index of its first step
}

// Greatest numbers of NICs with source routing: if routes are in headers (all routes are computed
// beforehand, to check that they fit), and if they are in a table.
const (
	maxVectorNICs = 4096
	maxTableNICs  = 1024
)

// NewSource returns source routing by the routes of another algorithm. If file is not nil, it
// replaces the routes of the pairs of hosts that it names. A line of the file is "source
// destination port port ...": two hosts, and the output port at each router but the last, written
// as "port/vc" for a certain virtual channel; otherwise a hash chooses the channel.
func NewSource(g *topology.Graph, vcs int, of Function, file io.Reader) (*Source, error) {
	if n := len(g.NICPort); n > maxVectorNICs {
		return nil, fmt.Errorf("source routes are computed for up to %d NICs, not %d", maxVectorNICs, n)
	}
	s := &Source{graph: g, of: of, vcs: uint8(bits.Len(uint(vcs - 1)))}
	s.width = s.vcs + uint8(bits.Len(uint(maxRadix(g))))
	if err := s.read(file, vcs); err != nil {
		return nil, err
	}
	longest, err := s.longest()
	if err != nil {
		return nil, err
	}
	if longest*int(s.width) <= 64 {
		return s, nil
	}
	if n := len(g.NICPort); n > maxTableNICs {
		return nil, fmt.Errorf(
			"routes of %d hops of %d bits do not fit in a route header of 64 bits, and a table of "+
				"routes is made for up to %d NICs, not %d",
			longest, s.width, maxTableNICs, n,
		)
	}
	return s, s.tabulate()
}

// read reads the routes from a file.
func (s *Source) read(file io.Reader, vcs int) error {
	if file == nil {
		return nil
	}
	s.given = map[uint64][]step{}
	const host = "the number of a host"
	return readRecords(file, form{
		line: `"source destination port port ...", a port with its channel as "3/1"`,
		ends: [2]string{host, host}, vcs: vcs,
	}, func(r *record) *FileError { return s.take(r, vcs) })
}

// routesOf is the kind of a file with routes of a network: one at most from each host to each, which
// is no longer than the network has routers but in the strangest of files.
func routesOf(g *topology.Graph) input.Kind {
	const step = 8 // bytes
	hosts, routers := int64(g.Hosts), int64(g.Routers)
	if hosts > maxVectorNICs { // which is refused
		hosts = maxVectorNICs
	}
	return input.Routes.UpTo(
		hosts*hosts*(mostLine+step*routers), fmt.Sprintf("for %d hosts and %d routers", g.Hosts, g.Routers),
	)
}

// take stores the route of a line.
func (s *Source) take(r *record, vcs int) *FileError {
	for i, host := range [2]int{r.a, r.b} {
		if host >= s.graph.Hosts || i == 1 && host == r.a {
			return r.wrong(
				i, fmt.Sprintf("a route from host %d to host %d", r.a, r.b),
				fmt.Sprintf("two different hosts from 0 to %d", s.graph.Hosts-1),
			)
		}
	}
	key := uint64(r.a)<<32 | uint64(r.b)
	if _, known := s.given[key]; known {
		return r.wrong(
			0, fmt.Sprintf("a route from host %d to host %d again", r.a, r.b),
			"one for each pair of hosts",
		)
	}
	path := s.channels(r, vcs)
	if err := s.leads(r, path); err != nil {
		return err
	}
	s.given[key] = path
	return nil
}

// leads returns an error if a route does not lead to its destination, or uses a channel twice. In
// the latter case its own packets could wait for each other in a cycle.
func (s *Source) leads(r *record, path []step) *FileError {
	type channel struct {
		router int32
		step   step
	}
	taken := make(map[channel]bool, len(path))
	at := int32(s.graph.HostRouter(r.a))
	for i, p := range path {
		c := channel{at, p}
		if taken[c] {
			return r.wrong(
				2+i,
				fmt.Sprintf("port %d of router %d with virtual channel %d again", p.port, at, p.vc),
				"a route that takes no channel twice, or its packets could wait for each other for ever",
			)
		}
		taken[c] = true
		if at = follow(s.graph, at, p.port); at < 0 {
			return r.wrong(
				2+i, fmt.Sprintf("port %d as step %d", p.port, i+1),
				"a port that leads to another router",
			)
		}
	}
	if end := int32(s.graph.HostRouter(r.b)); at != end {
		return r.wrong(
			1, fmt.Sprintf("a route that ends at router %d", at),
			fmt.Sprintf("one that ends at router %d, where host %d is", end, r.b),
		)
	}
	return nil
}

// channels returns the steps of a route. Steps without a virtual channel get one that a hash of the
// hosts chooses.
func (s *Source) channels(r *record, vcs int) []step {
	vc := uint8(mix(uint64(r.a)<<32|uint64(r.b)) >> 32 % uint64(vcs))
	path := slices.Clone(r.path)
	for i := range path {
		if path[i].vc == anyVC {
			path[i].vc = vc
		}
	}
	return path
}

// each calls visit for each step of the route between two NICs; the last step leads to the NIC. It
// returns an error if the route does not arrive there.
func (s *Source) each(src, dst int32, visit func(step)) error {
	g, n := s.graph, int32(s.graph.NICsPerHost)
	exit := g.NICPort[dst]
	if path, ok := s.given[uint64(src/n)<<32|uint64(dst/n)]; ok {
		for _, p := range path {
			visit(p)
		}
		visit(step{port: uint16(exit - g.PortBase[g.Ports[exit].Router])})
		return nil
	}
	at := g.Ports[g.NICPort[src]].Router
	header, _ := s.of.Start(src, dst)
	for range g.Routers + 1 {
		port, vc, next := s.of.Next(at, header)
		visit(step{port, uint8(vc)})
		if g.PortBase[at]+int32(port) == exit {
			return nil
		}
		if at = follow(g, at, port); at < 0 {
			break
		}
		header = next
	}
	return fmt.Errorf("the route of %s from NIC %d to NIC %d does not arrive", s.of.Name(), src, dst)
}

// pairs calls visit for all pairs of NICs, also for a NIC with itself.
func (s *Source) pairs(visit func(src, dst int32) error) error {
	for src := range int32(len(s.graph.NICPort)) {
		for dst := range int32(len(s.graph.NICPort)) {
			if err := visit(src, dst); err != nil {
				return err
			}
		}
	}
	return nil
}

// longest returns the number of steps of the longest route.
func (s *Source) longest() (int, error) {
	most := 0
	err := s.pairs(func(src, dst int32) error {
		n := 0
		err := s.each(src, dst, func(step) { n++ })
		most = max(most, n)
		return err
	})
	return most, err
}

func (s *Source) tabulate() error {
	n := int32(len(s.graph.NICPort))
	s.first = make([]uint32, n*n)
	return s.pairs(func(src, dst int32) error {
		s.first[src*n+dst] = uint32(len(s.steps))
		return s.each(src, dst, func(p step) {
			s.steps = append(s.steps, uint32(p.port)<<8|uint32(p.vc))
		})
	})
}

// Name returns "source".
func (s *Source) Name() string { return "source" }

// Vectors reports whether headers hold the routes themselves, not indices in a table.
func (s *Source) Vectors() bool { return s.first == nil }

// Start returns the header, which is the route or its index in the table, and the virtual channel
// in which packets enter the network.
func (s *Source) Start(src, dst int32) (uint64, uint8) {
	header := s.start(src, dst)
	_, vc, _ := s.Next(0, header)
	return header, uint8(vc)
}

func (s *Source) start(src, dst int32) uint64 {
	if s.first != nil {
		return uint64(s.first[src*int32(len(s.graph.NICPort))+dst])
	}
	header, shift := uint64(0), 0
	if err := s.each(src, dst, func(p step) {
		header |= (uint64(p.port)<<s.vcs | uint64(p.vc)) << shift
		shift += int(s.width)
	}); err != nil {
		panic("routing: " + err.Error()) // all were walked in the beginning
	}
	return header
}

// Next returns the first step in the header, or the step at the header's index in the table.
func (s *Source) Next(_ int32, header uint64) (port, vc uint16, next uint64) {
	if s.first != nil {
		p := s.steps[header]
		return uint16(p >> 8), uint16(p & 0xff), header + 1
	}
	p := header & (1<<s.width - 1)
	return uint16(p >> s.vcs), uint16(p & (1<<s.vcs - 1)), header >> s.width
}
