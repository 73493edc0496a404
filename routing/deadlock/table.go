package deadlock

import (
	"cmp"
	"math/bits"
	"slices"
	"sync/atomic"

	"fabricast/topology"
)

// Channel is a virtual channel of an output port.
type Channel struct {
	Router   int32
	Port, VC uint16
}

// none stands for no channel, as where a packet enters the network.
const none = int32(-1)

// table is the channel dependency graph. A channel's number is that of the input port it leads to,
// times the number of VCs, plus the VC. Dependencies are between channels into and out of the same
// router, so each router has a matrix of bits: a row for each VC of its inputs, a column for each
// VC of its outputs.
type table struct {
	graph *topology.Graph
	vcs   int32
	base  []int // by router: index of the first word of its rows
	// by router: words per row
	width []int32
	links []link // by port
	bits  []uint64
	// escape holds, in the same form, the dependencies on escape channels only. A cycle of these
	// contains only escape channels. It is empty for algorithms without escape channels.
	escape []uint64
}

// link is where packets come that leave a router by a port.
type link struct {
	router int32 // none if that is no router
	width  int32 // words per row there
	row    int   // index of the first word of the row of the port's first VC
}

func tableSize(g *topology.Graph, vcs int, escape bool) int {
	words := 0
	for r := range g.Routers {
		channels := int(g.PortBase[r+1]-g.PortBase[r]) * vcs
		words += channels * ((channels + 63) / 64)
	}
	if escape {
		words *= 2
	}
	return words * 8
}

func newTable(g *topology.Graph, vcs int, escape bool) *table {
	t := &table{graph: g, vcs: int32(vcs), base: make([]int, g.Routers), width: make([]int32, g.Routers)}
	words := 0
	for r := range g.Routers {
		channels := int(g.PortBase[r+1]-g.PortBase[r]) * vcs
		t.base[r], t.width[r] = words, int32((channels+63)/64)
		words += channels * int(t.width[r])
	}
	t.links = make([]link, len(g.Ports))
	for i := range t.links {
		t.links[i].router = none
		if peer := g.Ports[i].Peer; peer != topology.Unconnected {
			start, width := t.row(peer * t.vcs)
			t.links[i] = link{router: g.Ports[peer].Router, width: int32(width), row: start}
		}
	}
	t.bits = make([]uint64, words)
	if escape {
		t.escape = make([]uint64, words)
	}
	return t
}

// linksOf returns what the ports of a router lead to.
func (t *table) linksOf(router int32) []link {
	return t.links[t.graph.PortBase[router]:t.graph.PortBase[router+1]]
}

// row returns the index and number of words of the row of a channel, which has a bit for each
// output of the router that the channel leads to.
func (t *table) row(channel int32) (start, width int) {
	router := t.graph.Ports[channel/t.vcs].Router
	width = int(t.width[router])
	return t.base[router] + int(channel-t.graph.PortBase[router]*t.vcs)*width, width
}

// add sets the bit of a column in the row that begins at a word. It is safe for concurrent use.
func add(bits []uint64, row, column int) {
	word, bit := &bits[row+column>>6], uint64(1)<<(column&63)
	if atomic.LoadUint64(word)&bit == 0 {
		atomic.OrUint64(word, bit)
	}
}

// out returns the number of the channel of a router's output, given by its column; none if it leads
// to a NIC.
func (t *table) out(router int32, column int32) int32 {
	peer := t.graph.Ports[t.graph.PortBase[router]+column/t.vcs].Peer
	if peer == topology.Unconnected {
		return none
	}
	return peer*t.vcs + column%t.vcs
}

// name returns a channel as router, output port and VC.
func (t *table) name(channel int32) Channel {
	port := t.graph.Ports[channel/t.vcs].Peer
	router, local := t.graph.Local(int(port))
	return Channel{Router: int32(router), Port: uint16(local), VC: uint16(channel % t.vcs)}
}

// channels returns the number of channels.
func (t *table) channels() int32 { return int32(len(t.graph.Ports)) * t.vcs }

// after returns the first channel, from a column on, on which another depends, and its column;
// none, none if there is no more.
func (s *searcher) after(channel, column int32) (next, at int32) {
	t := s.table
	start, width := t.row(channel)
	row := s.bits[start : start+width]
	for w := column >> 6; w < int32(len(row)); w++ {
		word := row[w]
		if w == column>>6 {
			word &= ^uint64(0) << (column & 63)
		}
		if word != 0 {
			at = w<<6 + int32(bits.TrailingZeros64(word))
			return t.out(t.graph.Ports[channel/t.vcs].Router, at), at
		}
	}
	return none, none
}

// searcher searches one of the table's matrices for a cycle.
type searcher struct {
	*table
	bits []uint64
}

// cycle returns a short cycle of dependencies; nil if there is none. It uses depth-first search
// with an explicit stack.
func (t *searcher) cycle() []Channel {
	const (
		unseen = iota
		open
		closed
	)
	state := make([]uint8, t.channels())
	type frame struct{ channel, column int32 }
	var stack []frame
	for start := range t.channels() {
		if state[start] != unseen {
			continue
		}
		state[start] = open
		stack = append(stack[:0], frame{start, 0})
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			next, column := t.after(top.channel, top.column)
			if column == none {
				state[top.channel] = closed
				stack = stack[:len(stack)-1]
				continue
			}
			top.column = column + 1
			switch {
			case next == none:
			case state[next] == open:
				return t.shortest(next)
			case state[next] == unseen:
				state[next] = open
				stack = append(stack, frame{next, 0})
			}
		}
	}
	return nil
}

// shortest returns the shortest cycle through a channel that is on one.
func (t *searcher) shortest(start int32) []Channel {
	from := make([]int32, t.channels())
	for i := range from {
		from[i] = none
	}
	queue := []int32{start}
	for i := 0; ; i++ {
		at := queue[i]
		for next, column := t.after(at, 0); column != none; next, column = t.after(at, column+1) {
			if next == none || from[next] != none {
				continue
			}
			from[next] = at
			if next == start {
				return t.trace(from, start)
			}
			queue = append(queue, next)
		}
	}
}

// trace returns the channels of a cycle, by following the predecessors in from.
func (t *searcher) trace(from []int32, start int32) []Channel {
	cycle := []Channel{t.name(start)}
	for at := from[start]; at != start; at = from[at] {
		cycle = append(cycle, t.name(at))
	}
	slices.Reverse(cycle[1:])
	return fromLowest(cycle)
}

// fromLowest rotates a cycle so that it begins with its lowest channel.
func fromLowest(cycle []Channel) []Channel {
	low := 0
	for i, c := range cycle {
		if compare(c, cycle[low]) < 0 {
			low = i
		}
	}
	return slices.Concat(cycle[low:], cycle[:low])
}

// compare orders channels by router, port and VC.
func compare(a, b Channel) int {
	return cmp.Or(cmp.Compare(a.Router, b.Router), cmp.Compare(a.Port, b.Port), cmp.Compare(a.VC, b.VC))
}
