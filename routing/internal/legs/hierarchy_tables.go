package legs

import "fabricast/topology"

// hierarchyTables hold what a hop of Hierarchy needs of both topologies, where that is little.
// A table that would be larger than maxHierarchyTable is nil, and its entries are computed.
type hierarchyTables struct {
	near   []uint16 // hops within the block, by router of the block and external port
	toward [][2]Hop // by block and destination block: the outer hops, see either
	blocks int32
}

// maxHierarchyTable is the greatest number of entries of a table of hierarchyTables.
const maxHierarchyTable = 1 << 18

// tabulate fills the tables.
func (l *Hierarchy) tabulate(h *topology.Hierarchy) {
	inner, exits := int32(h.Block().Graph().Routers), len(l.Exits)
	if exits > 0 && int(inner) <= maxHierarchyTable/exits {
		near := make([]uint16, 0, int(inner)*exits)
		for r := range inner {
			for e := range exits {
				near = append(near, uint16(l.way(Place{Inner: r}, uint16(e))))
			}
		}
		l.near = near
	}
	blocks := int32(h.Blocks())
	if l.torus == nil || blocks > maxHierarchyTable/blocks {
		return
	}
	toward := make([][2]Hop, blocks*blocks)
	for a := range blocks {
		for b := range blocks {
			if a != b {
				toward[a*blocks+b] = l.either(a, b)
			}
		}
	}
	l.toward, l.blocks = toward, blocks
}

// way returns the number of hops within the block to the router with an external port.
func (l *Hierarchy) way(a Place, external uint16) int {
	if l.near != nil {
		return int(l.near[int(a.Inner)*len(l.Exits)+int(external)])
	}
	if r := l.Exits[external].Router; r != a.Inner {
		return l.Block.Distance(a.Inner, r)
	}
	return 0
}

// either returns the outer hops from block a toward block b for both values of the coin that
// decides a tie. The outer topology is a torus.
func (l *Hierarchy) either(a, b int32) [2]Hop {
	if l.toward != nil {
		return l.toward[a*l.blocks+b]
	}
	return [2]Hop{l.torus.Next(a, b, 0), l.torus.Next(a, b, ^uint64(0))}
}
