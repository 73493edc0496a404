package partition

import (
	"slices"

	"fabricast/topology"
)

// ByTopology divides a network along its regular parts. It returns nil if the network has fewer
// regular parts than blocks, or none.
func ByTopology(t topology.Topology, blocks int) []int32 {
	g := t.Graph()
	if blocks > g.Routers {
		return nil
	}
	if _, grouped := t.(topology.Grouped); !grouped && len(topology.Dimensions(t)) > 0 {
		return boxes(t, blocks)
	}
	parts := partsOf(t)
	if parts == nil || int(slices.Max(parts))+1 < blocks {
		return nil
	}
	return together(g, parts, blocks)
}

// partsOf returns the regular part of each router: the group of a dragonfly, the copy of the inner
// topology in a hierarchy, or the pod of a tree; -1 for a router in no part. It returns nil if the
// network has no such parts.
func partsOf(t topology.Topology) []int32 {
	switch t := t.(type) {
	case topology.Grouped:
		parts := make([]int32, t.Graph().Routers)
		for r := range parts {
			parts[r] = int32(t.Group(r))
		}
		return parts
	case topology.Tree:
		return pods(t.Graph())
	}
	return nil
}

// pods returns the pods of a tree: the connected components that remain without the top-level
// switches. A tree with one level of switches has none.
func pods(g *topology.Graph) []int32 {
	level := levels(g)
	top := slices.Max(level)
	parts := slices.Repeat([]int32{-1}, g.Routers)
	number := int32(0)
	for r := range parts {
		if parts[r] >= 0 || level[r] == top {
			continue
		}
		parts[r] = number
		for list := []int32{int32(r)}; len(list) > 0; list = list[1:] {
			eachNeighbour(g, list[0], func(peer int32) {
				if level[peer] < top && parts[peer] < 0 {
					parts[peer] = number
					list = append(list, peer)
				}
			})
		}
		number++
	}
	if number == 0 {
		return nil
	}
	return parts
}

// levels returns the distance, in links, of each router from the nearest router with hosts.
func levels(g *topology.Graph) []int32 {
	level := slices.Repeat([]int32{-1}, g.Routers)
	list := g.HostedRouters()
	for _, r := range list {
		level[r] = 0
	}
	for ; len(list) > 0; list = list[1:] {
		eachNeighbour(g, list[0], func(peer int32) {
			if level[peer] < 0 {
				level[peer] = level[list[0]] + 1
				list = append(list, peer)
			}
		})
	}
	return level
}

// eachNeighbour calls do for the router at the other end of each of a router's links.
func eachNeighbour(g *topology.Graph, router int32, do func(peer int32)) {
	for p := g.PortBase[router]; p < g.PortBase[router+1]; p++ {
		if peer := g.PeerRouter(int(p)); peer >= 0 {
			do(int32(peer))
		}
	}
}

// together merges consecutive parts into blocks of about equal weight. Routers in no part are added
// to the lightest blocks.
func together(g *topology.Graph, parts []int32, blocks int) []int32 {
	weights := make([]int64, slices.Max(parts)+1)
	total := int64(0)
	for r, part := range parts {
		if part >= 0 {
			weights[part] += weight(g, int32(r))
			total += weight(g, int32(r))
		}
	}
	of, sum, block := make([]int32, len(weights)), int64(0), 0
	for part, w := range weights {
		due := (2*sum+w)*int64(blocks) >= 2*total*int64(block+1)
		left := len(weights)-part == blocks-1-block
		if part > 0 && block < blocks-1 && (due || left) {
			block++
		}
		of[part] = int32(block)
		sum += w
	}
	list, loads := make([]int32, len(parts)), make([]int64, blocks)
	for r, part := range parts {
		if part >= 0 {
			list[r] = of[part]
			loads[list[r]] += weight(g, int32(r))
		}
	}
	for r, part := range parts {
		if part < 0 {
			list[r] = int32(slices.Index(loads, slices.Min(loads)))
			loads[list[r]] += weight(g, int32(r))
		}
	}
	return whole(list, blocks)
}

// weight returns the number of ports of a router in use, at least 1.
func weight(g *topology.Graph, router int32) (w int64) {
	for p := g.PortBase[router]; p < g.PortBase[router+1]; p++ {
		if port := &g.Ports[p]; port.Peer != topology.Unconnected || port.NIC != topology.Unconnected {
			w++
		}
	}
	return max(w, 1)
}
