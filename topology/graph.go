package topology

// Unconnected marks a port that leads nowhere, such as the outward port of a
// mesh's edge router.
const Unconnected int32 = -1

// Graph is the network as the engine sees it: routers with numbered ports, the
// links that join them, and the network interfaces (NICs) of the hosts. It is
// immutable once built and knows nothing of coordinates.
//
// Ports have global numbers: those of router r are
// PortBase[r] .. PortBase[r+1]-1, so a router's local port p has the global
// number PortBase[r]+p. NICs have global numbers too: NIC n of host h is
// h*NICsPerHost+n.
type Graph struct {
	Routers     int
	Hosts       int
	NICsPerHost int
	PortBase    []int32 // Routers+1 entries
	Ports       []Port  // by global port number
	NICPort     []int32 // by global NIC number: the router port it is plugged into
}

// Port is one side of a bidirectional link (router to router, or router to NIC).
type Port struct {
	Router int32  // the router that has this port
	Peer   int32  // global port number at the other end; Unconnected for NIC ports and open ports
	NIC    int32  // global NIC number plugged in here; Unconnected if none
	Link   uint16 // link class: 0 = router to router, 1 = NIC to router, more for networks with several kinds
}

// Link classes that every topology has.
const (
	LinkRouter uint16 = 0 // between two routers
	LinkHost   uint16 = 1 // between a NIC and its router
)

// Topology is a described network: its graph plus what people call its places.
type Topology interface {
	// Kind is the name used in experiments, such as "torus".
	Kind() string
	// Graph returns the network; the same pointer at every call.
	Graph() *Graph
	// RouterName returns the coordinates of a router as people write them, such as "(3,0,1)".
	RouterName(router int) string
	// PortName names a local port of a router, such as "+x" or "host".
	PortName(router, port int) string
	// Distance is the least number of router-to-router links between two hosts.
	Distance(a, b int) int
}
