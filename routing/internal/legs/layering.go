package legs

import (
	"fmt"
	"slices"

	"fabricast/topology"
)

// LayersError reports that the paths of a network need more layers than there can be.
type LayersError struct{ Most int }

func (e *LayersError) Error() string {
	return fmt.Sprintf("paths that need more than %d layers to be free of deadlock", e.Most)
}

// divide assigns each path to the first layer in which it closes no cycle of channels, as in LASH (Skeie,
// Lysne and Theiss, IPDPS 2002).
func (b *Balanced) divide(g *topology.Graph, most int) error {
	sources := g.HostedRouters()
	for i, r := range sources {
		b.row[r] = int32(i)
	}
	b.layer, b.layers = make([]uint8, len(sources)*g.Hosts), 1
	layers := []*channelOrder{newChannelOrder(len(g.Ports))}
	var path []int32
	for host := range int32(g.Hosts) {
		to := int32(g.HostRouter(int(host)))
		for i, from := range sources {
			path = path[:0]
			for at := from; at != to; {
				port := g.PortBase[at] + int32(b.Port(at, host))
				path = append(path, port)
				at = int32(g.PeerRouter(int(port)))
			}
			n := 0
			for !layers[n].add(path) {
				if n++; n == most {
					return &LayersError{most}
				}
				if n == len(layers) {
					layers = append(layers, newChannelOrder(len(g.Ports)))
				}
			}
			b.layer[i*g.Hosts+int(host)] = uint8(n)
		}
	}
	b.layers = len(layers)
	return nil
}

// channelOrder holds the dependencies among the channels of a layer, which are free of cycles, and an order
// in which each dependency leads forward (Pearce and Kelly, ACM J. Experimental Algorithmics 11, 2006). A
// channel is the global port by which packets leave a router.
type channelOrder struct {
	rank          []int32 // by channel: its position in the order
	after, before [][]int32
	known         map[uint64]bool
	mark          []bool
	found         []int32
}

func newChannelOrder(channels int) *channelOrder {
	o := &channelOrder{
		rank: make([]int32, channels), after: make([][]int32, channels), before: make([][]int32, channels),
		known: map[uint64]bool{}, mark: make([]bool, channels),
	}
	for c := range o.rank {
		o.rank[c] = int32(c)
	}
	return o
}

// add adds the dependencies of a path. It returns false, and adds none, if they would close a cycle.
func (o *channelOrder) add(path []int32) bool {
	var added [][2]int32
	for i := 1; i < len(path); i++ {
		a, b := path[i-1], path[i]
		key := uint64(a)<<32 | uint64(b)
		if o.known[key] {
			continue
		}
		if o.rank[b] < o.rank[a] && !o.reorder(a, b) {
			for _, d := range added {
				delete(o.known, uint64(d[0])<<32|uint64(d[1]))
				o.after[d[0]] = o.after[d[0]][:len(o.after[d[0]])-1]
				o.before[d[1]] = o.before[d[1]][:len(o.before[d[1]])-1]
			}
			return false
		}
		o.known[key] = true
		o.after[a], o.before[b] = append(o.after[a], b), append(o.before[b], a)
		added = append(added, [2]int32{a, b})
	}
	return true
}

// reorder changes the order such that a comes before b, which came before it. It returns false, and
// changes nothing, if a depends on b.
func (o *channelOrder) reorder(a, b int32) bool {
	low, high := o.rank[b], o.rank[a]
	later := slices.Clone(o.reach(b, o.after, func(rank int32) bool { return rank <= high }))
	if slices.Contains(later, a) {
		return false
	}
	earlier := o.reach(a, o.before, func(rank int32) bool { return rank >= low })
	byRank := func(x, y int32) int { return int(o.rank[x] - o.rank[y]) }
	slices.SortFunc(later, byRank)
	slices.SortFunc(earlier, byRank)
	moved := append(slices.Clone(earlier), later...)
	ranks := make([]int32, len(moved))
	for i, c := range moved {
		ranks[i] = o.rank[c]
	}
	slices.Sort(ranks)
	for i, c := range moved {
		o.rank[c] = ranks[i]
	}
	return true
}

// reach returns the channels that are reached from one, itself included, through channels whose ranks are
// within bounds. The next call overwrites them.
func (o *channelOrder) reach(from int32, along [][]int32, within func(rank int32) bool) []int32 {
	o.found = append(o.found[:0], from)
	o.mark[from] = true
	for i := 0; i < len(o.found); i++ {
		for _, c := range along[o.found[i]] {
			if !o.mark[c] && within(o.rank[c]) {
				o.mark[c] = true
				o.found = append(o.found, c)
			}
		}
	}
	for _, c := range o.found {
		o.mark[c] = false
	}
	return o.found
}
