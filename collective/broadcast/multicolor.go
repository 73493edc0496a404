package broadcast

import (
	"fabricast/collective"
	"fabricast/collective/internal/partners"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

var _ = Algorithms.RegisterWith(150, collective.Info{
	Name: collective.MultiColor, Overlaps: true, Needs: collective.NeedsBox,
	Summary: "shares of the message down spanning trees of a torus that begin in different dimensions",
	Options: []collective.Option{steps.PortsOption, steps.SegmentOption(16 << 10)},
}, func(v collective.Values) Func { return MultiColor(v[1], v[0]) })

// MultiColor returns the pipelined broadcast along several spanning trees of a torus at once (Watts and
// van de Geijn, A pipelined broadcast for multidimensional meshes, Parallel Processing Letters 1995;
// with a colour for each link of a node in Faraj et al., MPI collective communications on the Blue
// Gene/P supercomputer, HOTI 2009; Trinaryx on the K computer's and Fugaku's Tofu, of Adachi et al.,
// The design of ultra scalable MPI collective communication on the K computer, 2012, has three such
// trees). On a torus of n dimensions the message is divided into 2n shares; ports limits their
// number. They travel in pieces of `segment` bytes, from neighbour to neighbour. Each rank but the
// root receives each piece once.
func MultiColor(segment, ports int) Func {
	return func(c collective.Comm, buf node.Buf, root int) {
		box := steps.GridOf(c, collective.KindBroadcast, collective.MultiColor)
		ways := steps.Ways(box.Dims, ports)
		list := make([]color, ways)
		most := 0
		for way := range list {
			first, mirror := steps.Way(box.Dims, way)
			shape := partners.ColorShape(box.Dims, box.Place(root), first, mirror, box.Place(c.Rank()))
			for i := range shape.Children {
				shape.Children[i] = box.Rank(shape.Children[i])
			}
			if shape.Parent >= 0 {
				shape.Parent = box.Rank(shape.Parent)
			}
			share := steps.Chunks(nil, buf, way, way+1, ways)
			list[way] = color{shape, share, steps.NewSegments(share.Len(), segment, 1)}
			most = max(most, list[way].pieces.Count())
		}
		stream(c, list, most)
	}
}

// color is a share of a message on its tree.
type color struct {
	partners.Shape
	share  node.Buf
	pieces steps.Segments
}

// stream passes on the pieces of all colours, one of each at a time. The next ones are received
// meanwhile.
func stream(c collective.Comm, list []color, most int) {
	receive := func(i int) []node.Request {
		requests := make([]node.Request, len(list))
		for way := range list {
			if l := &list[way]; l.Parent >= 0 && i < l.pieces.Count() {
				requests[way] = c.Irecv(l.pieces.Of(l.share, i), l.Parent, collective.TagBroadcast)
			}
		}
		return requests
	}
	var sends []node.Request
	next := receive(0)
	for i := range most {
		now := next
		if i+1 < most {
			next = receive(i + 1)
		}
		for way := range list {
			l := &list[way]
			if i >= l.pieces.Count() {
				continue
			}
			if l.Parent >= 0 {
				c.Wait(now[way])
			}
			for _, child := range l.Children {
				sends = append(sends, c.Isend(l.pieces.Of(l.share, i), child, collective.TagBroadcast))
			}
		}
	}
	c.WaitAll(sends)
}
