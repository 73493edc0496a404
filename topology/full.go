package topology

import "fmt"

// FullSpec describes a fully connected network.
type FullSpec struct {
	Routers int
	Width   int // parallel links between two routers; 0: one
	Hosts   int // of each router; 0 where the routers only join others
}

// Full is a network in which every router is joined to every other: a HyperX of
// one dimension. With one router it is a single switch.
//
// The local ports lead to the other routers in rising order, then to the NICs.
type Full struct{ *HyperX }

// NewFull lays a fully connected network out; all its links are of one class.
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

func (s FullSpec) width() int { return max(s.Width, 1) }

// Check implements Spec.
func (s FullSpec) Check() []Mistake {
	var c checker
	right := c.count("routers", s.Routers, 1)
	right = c.count("width", s.width(), 1) && c.count("hosts", s.Hosts, 0) && right
	if right {
		c.fits("routers", s.Routers, s.Size())
	}
	return c.mistakes
}

// Size implements Spec.
func (s FullSpec) Size() Size {
	return Size{Routers: s.Routers, Hosts: product(s.Routers, s.Hosts), Links: product(s.Routers, s.Routers-1, s.width())}
}

// Build implements Spec.
func (s FullSpec) Build(nics int) (Topology, error) { return NewFull(s, nics) }

// RouterName is the number of the router.
func (f *Full) RouterName(router int) string { return fmt.Sprintf("(%d)", router) }

// PortName is "to3" for the port to router 3, "to3.1" for the second of parallel links.
func (f *Full) PortName(router, port int) string {
	if port >= f.FirstNIC() {
		return f.HyperX.PortName(router, port)
	}
	return "to" + f.HyperX.PortName(router, port)[1:]
}
