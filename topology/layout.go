package topology

import "fmt"

// wiring describes a topology's routers and ports, from which its graph is built. The ports of
// every router are first its links, then the NICs of its hosts.
type wiring struct {
	routers int
	nics    int // number of NICs per host
	// degree returns a router's number of ports to other routers, and its number of hosts.
	degree func(router int) (links, hosts int)
	// far returns the router and local port at the other end of a port, and the class of the link.
	// The router is Unconnected if the port is open.
	far func(router, port int) (peer, peerPort int, class uint16)
	// hostClass returns the class of a NIC's link. nil means LinkHost for all.
	hostClass func(nic int) uint16
	// closed reports whether packets only arrive at a port. nil means that links lead both ways.
	closed func(router, port int) bool
}

// layOut builds the graph of the wiring.
func (w wiring) layOut() *Graph {
	g := &Graph{Routers: w.routers, NICsPerHost: w.nics, PortBase: make([]int32, w.routers+1)}
	ports := 0
	for r := range w.routers {
		links, hosts := w.degree(r)
		ports += links + hosts*w.nics
		g.Hosts += hosts
		g.PortBase[r+1] = int32(ports)
	}
	g.Ports = make([]Port, ports)
	g.NICPort = make([]int32, 0, g.Hosts*w.nics)
	for r := range w.routers {
		w.router(g, r)
	}
	return g
}

func (w wiring) router(g *Graph, r int) {
	base := int(g.PortBase[r])
	links, hosts := w.degree(r)
	for p := range links {
		port := Port{Router: int32(r), Peer: Unconnected, NIC: Unconnected}
		peer, peerPort, class := w.far(r, p)
		port.Link = class
		port.Closed = w.closed != nil && w.closed(r, p)
		if peer != int(Unconnected) {
			port.Peer = g.PortBase[peer] + int32(peerPort)
		}
		g.Ports[base+p] = port
	}
	for n := range hosts * w.nics {
		port, nic, class := base+links+n, len(g.NICPort), LinkHost
		if w.hostClass != nil {
			class = w.hostClass(nic)
		}
		g.Ports[port] = Port{Router: int32(r), Peer: Unconnected, NIC: int32(nic), Link: class}
		g.NICPort = append(g.NICPort, int32(port))
	}
}

// nicName returns the name of the n-th NIC port of a router: "nic2", or "host1" or "host1.nic2" if
// it has several hosts.
func nicName(n, hosts, nics int) string {
	switch {
	case hosts <= 1:
		return fmt.Sprintf("nic%d", n)
	case nics == 1:
		return fmt.Sprintf("host%d", n)
	default:
		return fmt.Sprintf("host%d.nic%d", n/nics, n%nics)
	}
}

// dimNames holds the one-letter names of dimensions, for ports and link classes.
const dimNames = "xyzabcdefghijklm"

// dimClass returns the link class of the links along dimension d.
func dimClass(d int) uint16 {
	if d == 0 {
		return LinkRouter
	}
	return uint16(d) + LinkHost
}

// dimClasses returns the names of the link classes of a network with the given number of
// dimensions.
func dimClasses(dims int) []string {
	names := []string{LinkRouter: dimNames[:1], LinkHost: "host"}
	for d := 1; d < dims; d++ {
		names = append(names, dimNames[d:d+1])
	}
	return names
}

// DimensionName returns the name of dimension d: x, y, z, a, b, c and so on.
func DimensionName(d int) string { return dimNames[d : d+1] }
