package topology

import (
	"fmt"

	"fabricast/internal/humanize"
)

var _ = Register(40, Description[FullSpec]{
	Name: "fully-connected", Summary: "every router joined to every other; one is a single switch",
	Routing:  "dor",
	Defaults: func(o *FullSpec, joins bool) { hostsDefault(&o.Hosts, 1, joins) },
	Sized: func(hosts int) FullSpec {
		routers := root(hosts, 2)
		return FullSpec{Routers: routers, Hosts: (hosts + routers - 1) / routers}
	},
	Manual: Manual{
		Section: "fully-connected", Routers: "N", Hosts: "p N", Links: "w (N − 1)", Diameter: "1",
	},
	Examples: []string{"routers: 5, hosts: 3", "routers: 1, hosts: 6"},
})

// FullSpec holds the parameters of a fully connected network.
type FullSpec struct {
	Routers int `yaml:"routers" help:"how many there are"`
	// Width is a list of one number, the number of parallel links between two routers. An empty
	// list means 1.
	Width []int `yaml:"width" help:"parallel links, for each dimension or level" default:"1"`
	// Hosts per router; 0 if the routers only connect blocks of a hierarchy.
	Hosts int `yaml:"hosts" help:"of a router" default:"1"`
}

// Full is a network in which every router is connected to every other: a HyperX of one dimension.
// With one router it is a single switch.
//
// The local ports lead first to the other routers, in ascending order, then to the NICs.
type Full struct{ *HyperX }

// NewFull builds a fully connected network whose links between routers are all in one class. It
// returns an error if s is invalid.
func NewFull(s FullSpec, nicsPerHost int) (*Full, error) {
	if err := ready(s, nicsPerHost); err != nil {
		return nil, err
	}
	h := &HyperX{
		kind: "fully-connected", dims: []int{s.Routers}, width: []int{s.width()},
		hosts: s.Hosts, classes: []string{LinkRouter: "link", LinkHost: "host"},
	}
	h.layOut(nicsPerHost)
	return &Full{h}, nil
}

func (s FullSpec) width() int {
	if len(s.Width) == 0 {
		return 1
	}
	return s.Width[0]
}

// Check implements Spec.
func (s FullSpec) Check() []Mistake {
	var c checker
	c.demand(len(s.Width) <= 1, "width", humanize.Plural(len(s.Width), "entry"), "1 entry")
	for _, w := range s.Width {
		c.demand(w >= 1 && w <= MaxHosts, "width[0]", w, fmt.Sprintf("a number from 1 to %d", MaxHosts))
	}
	if len(c.mistakes) > 0 {
		return c.mistakes
	}
	right := c.count("routers", s.Routers, 1)
	if c.count("hosts", s.Hosts, 0) && right {
		c.fits("routers", s.Routers, s.Size())
	}
	return c.mistakes
}

// Size implements Spec.
func (s FullSpec) Size() Size {
	return Size{
		Routers: s.Routers,
		Hosts:   product(s.Routers, s.Hosts),
		Links:   product(s.Routers, s.Routers-1, s.width()),
	}
}

// Build implements Spec.
func (s FullSpec) Build(nics int) (Topology, error) { return NewFull(s, nics) }

// RouterName returns the router's ID in parentheses: "(3)".
func (f *Full) RouterName(router int) string { return fmt.Sprintf("(%d)", router) }

// PortName returns "to3" for the port to router 3, and "to3.1" for the second of several parallel
// links.
func (f *Full) PortName(router, port int) string {
	if port >= f.FirstNIC() {
		return f.HyperX.PortName(router, port)
	}
	return "to" + f.HyperX.PortName(router, port)[1:]
}

// Dimensions implements Coordinated. Routers have IDs but no coordinates.
func (f *Full) Dimensions() []Dimension { return nil }

// Coordinates implements Coordinated.
func (f *Full) Coordinates(_ int, list []int) []int { return list }

// LinkDimension implements Coordinated.
func (f *Full) LinkDimension(_, _ int) int { return -1 }

// Shape implements Shaped.
func (f *Full) Shape() Shape { return Circle{} }

// Bisection returns the bandwidth from one half of the routers to the other. It implements
// Bisected.
func (f *Full) Bisection(bandwidth []int64) (rate int64, formula string) {
	if f.graph.Routers < 2 {
		return 0, ""
	}
	return f.halves(0) * bandwidth[LinkRouter], "formula: half of the routers to the other half"
}

// InBlock implements InBlocks. Within a block of several routers, the router IDs serve as
// coordinates.
func (f *Full) InBlock() Coordinated { return numbered{f} }

// numbered is a fully connected network whose router IDs are coordinates in one unnamed dimension.
type numbered struct{ *Full }

// Dimensions implements Coordinated.
func (n numbered) Dimensions() []Dimension {
	if n.graph.Routers < 2 {
		return nil
	}
	return []Dimension{{Size: n.graph.Routers}}
}

// Coordinates implements Coordinated.
func (n numbered) Coordinates(router int, list []int) []int {
	if n.graph.Routers < 2 {
		return list
	}
	return append(list, router)
}

// LinkDimension implements Coordinated.
func (n numbered) LinkDimension(router, port int) int { return n.HyperX.LinkDimension(router, port) }
