package plan

import (
	"strings"

	"fabricast/topology"
)

// addresses finds hosts by their coordinates: those of the host's router and, where routers have
// several hosts, the position of the host at its router.
type addresses struct {
	// empty if the network has no coordinates, or if several routers have the same ones
	dims  []topology.Dimension
	most  int               // largest number of hosts of a router
	hosts map[int64][]int32 // ascending hosts of each router, by the index of its coordinates
}

// addressesOf computes the addresses of all hosts of a network.
func addressesOf(t topology.Topology) *addresses {
	a := &addresses{dims: topology.Dimensions(t), hosts: map[int64][]int32{}}
	if len(a.dims) == 0 {
		return a
	}
	g := t.Graph()
	var at []int
	routers := map[int64]int32{}
	for host := range g.Hosts {
		router := g.Ports[g.NICPort[host*g.NICsPerHost]].Router
		at = topology.Coordinates(t, int(router), at[:0])
		i := a.index(at)
		if other, taken := routers[i]; taken && other != router || at[0] < 0 {
			return &addresses{}
		}
		routers[i] = router
		a.hosts[i] = append(a.hosts[i], int32(host))
		a.most = max(a.most, len(a.hosts[i]))
	}
	return a
}

// index maps coordinates to an integer that is unique within the network.
func (a *addresses) index(coordinates []int) int64 {
	i := int64(0)
	for d, c := range coordinates[:len(a.dims)] {
		i = i*int64(a.dims[d].Size) + int64(c)
	}
	return i
}

// length returns the number of components of an address; 0 if hosts have no addresses.
func (a *addresses) length() int {
	if a.most > 1 {
		return len(a.dims) + 1
	}
	return len(a.dims)
}

// part returns the name of component i of an address, and the number of values it can have.
func (a *addresses) part(i int) (name string, size int) {
	if i < len(a.dims) {
		return a.dims[i].Name, a.dims[i].Size
	}
	return "host of the router", a.most
}

// host returns the host with the given address; -1 if there is none. All components of the address
// must be in range.
func (a *addresses) host(address []int) int32 {
	list, i := a.hosts[a.index(address)], 0
	if a.most > 1 {
		i = address[len(a.dims)]
	}
	if i >= len(list) {
		return -1
	}
	return list[i]
}

// expected describes a valid line of the mapping file, for error messages.
func (a *addresses) expected() string {
	const number = "a rank and a host, such as 0 17"
	if a.length() < 2 {
		return number
	}
	var names []string
	for i := range a.length() {
		name, _ := a.part(i)
		names = append(names, name)
	}
	return number + ", or a rank and the host's coordinates " + strings.Join(names, ", ")
}
