package atlas

import "fabricast/topology"

// connection finds hosts that a failure cuts off.
type connection struct {
	g     *topology.Graph
	whole topology.Parts
}

func newConnection(g *topology.Graph) *connection {
	c := &connection{g: g}
	c.whole = c.parts(func(int32, int32) bool { return false })
	return c
}

// parts returns the parts of the network without the links of which down says so for their routers.
func (c *connection) parts(down func(a, b int32) bool) topology.Parts {
	parts := topology.NewParts(c.g.Routers)
	for port := range c.g.Ports {
		if c.g.Ports[port].Peer == topology.Unconnected {
			continue
		}
		if a, b := c.g.Ports[port].Router, int32(c.g.PeerRouter(port)); !down(a, b) {
			parts.Join(a, b)
		}
	}
	return parts
}

// cutOff counts the hosts of which a NIC cannot reach the largest part of what it could reach
// before.
func (c *connection) cutOff(x *element) (hosts int) {
	failed, cut := map[int32]bool{}, map[[2]int32]bool{}
	for _, r := range x.routers {
		failed[r] = true
	}
	for _, l := range x.links {
		cut[l] = true
	}
	after := c.parts(func(a, b int32) bool {
		return failed[a] || failed[b] || cut[[2]int32{min(a, b), max(a, b)}]
	})
	nics := map[int32]int{}   // by part after
	most := map[int32]int32{} // by part before: the part after with most NICs
	router := func(nic int) int32 { return c.g.Ports[c.g.NICPort[nic]].Router }
	for nic := range c.g.NICPort {
		if r := router(nic); !failed[r] {
			nics[after.Of(r)]++
		}
	}
	for r := range int32(c.g.Routers) {
		part, before := after.Of(r), c.whole.Of(r)
		if best, known := most[before]; !known || nics[part] > nics[best] {
			most[before] = part
		}
	}
	for host := range c.g.Hosts {
		for nic := host * c.g.NICsPerHost; nic < (host+1)*c.g.NICsPerHost; nic++ {
			if r := router(nic); failed[r] || after.Of(r) != most[c.whole.Of(r)] {
				hosts++
				break
			}
		}
	}
	return hosts
}
