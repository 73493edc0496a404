package channels

import (
	"math"
	"math/bits"

	"fabricast/collective"
)

// Model is NCCL's model of costs: a latency and a bandwidth for each algorithm and protocol, from
// tables. The tables are those of NCCL 2.30 (commit 5067397c, src/graph/tuning.cc) for Hopper GPUs
// with NVLink and hosts with Intel processors.
type Model struct {
	Ranks, Nodes, Channels int
	Bus, NVLink            float64 // GB/s of all channels between nodes, and within one
	Ways                   []Way   // between which Choose chooses
}

// baseLatency is the time (us) of a call without steps, by protocol.
var baseLatency = map[Way][3]float64{Tree: {6.8, 14, 8.4}, Ring: {6.6, 14, 8.4}}

// stepLatency is the time (us) of a step by NVLink and by the network.
var (
	nvlinkLatency  = map[Way][3]float64{Tree: {0.6, 1.25, 4}, Ring: {0.6, 1.9, 3.4}}
	networkLatency = map[Way][3]float64{Tree: {5, 8.5, 14}, Ring: {2.7, 4, 14}}
)

// Bandwidths (GB/s) on one, two, and more nodes: of all channels by LL, and of one channel. On
// several nodes the first depends on the processor.
var (
	mostLL         = [3]float64{141, 39, 20.4}
	mostRingLL128  = [3]float64{36.7, 36.7, 36.7}
	mostTreeLL128  = [3]float64{36.7, 36.7, 29}
	mostTreeSimple = [3]float64{38.7, 41.4, 36}
)

// postTime is the time (us) of the start of a message by the processor.
const postTime = 1.0

// treeFactor corrects the bandwidth of trees for sizes of 64 B, 128 B and so on.
var treeFactor = [3][23]float64{
	LL: {
		1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1,
	},
	LL128: {
		1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1,
	},
	Simple: {
		.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9,
	},
}

// Time returns the estimated time of a call in us. bytes is the size of the largest buffer of a
// rank.
func (m *Model) Time(kind collective.Kind, w Way, p Protocol, bytes int) float64 {
	switch w {
	case PAT:
		return m.patTime(bytes)
	case Tree, Ring:
	default:
		return m.switchTime(kind, w, bytes)
	}
	ring := w == Ring
	bandwidth, latency := m.bandwidth(kind, w, p), m.latency(kind, w, p)
	if !ring {
		if i := log2(bytes >> 6); bytes >= 64 && i < len(treeFactor[p]) {
			bandwidth *= treeFactor[p][i]
		}
	}
	plateau := ring && p == Simple && m.Nodes > 1 && kind == collective.KindAllreduce
	if plateau && bytes/(m.Channels*m.Ranks) >= 64 {
		latency *= 1.4
	}
	return latency + float64(bytes)/(1000*bandwidth)
}

// rounds returns the number of steps of a ring.
func (m *Model) rounds(kind collective.Kind) int {
	switch kind {
	case collective.KindAllreduce:
		return 2 * (m.Ranks - 1)
	case collective.KindAllgather, collective.KindReduceScatter:
		return m.Ranks - 1
	}
	return m.Ranks
}

// bandwidth returns the bytes of the buffer in a unit of time (GB/s).
func (m *Model) bandwidth(kind collective.Kind, w Way, p Protocol) float64 {
	ring := w == Ring
	size, bus, n := min(m.Nodes, 3)-1, m.Bus, float64(m.Channels)
	if m.Nodes <= 2 {
		bus = m.NVLink
	}
	switch {
	case ring && p == LL:
		bus = min(mostLL[size], bus/2)
	case ring && p == LL128:
		bus = min(bus*0.92, n*mostRingLL128[size])
	case !ring:
		bus = min(bus*0.92, n*mostTreeSimple[size])
		switch p {
		case LL:
			bus = min(bus/3.8, mostLL[size])
		case LL128:
			share := 120.0 / 128
			if m.Nodes == 1 {
				share = 7.0 / 9
			}
			bus = min(bus*share, n*mostTreeLL128[size])
		}
	}
	if !ring {
		return bus / 2
	}
	return bus * float64(m.Ranks) / float64(m.rounds(kind))
}

// latency returns the time (us) of a call without data.
func (m *Model) latency(kind collective.Kind, w Way, p Protocol) float64 {
	inside, between := nvlinkLatency[w][p], networkLatency[w][p]
	if m.Ranks == m.Nodes {
		between = networkLatency[Tree][p]
	}
	total := baseLatency[w][p]
	switch {
	case w == Tree:
		return total + 2*(float64(m.Ranks/m.Nodes-1)*inside+float64(log2(m.Nodes))*between)
	case kind == collective.KindBroadcast || kind == collective.KindReduce:
		if m.Nodes == 1 {
			between = inside
		} else if p == Simple {
			between = networkLatency[Tree][p]
		}
		return total + float64(m.rounds(kind))*between
	}
	outer := 0
	if m.Nodes > 1 {
		post := postTime
		if p == Simple {
			post *= 3
		}
		inside = max(inside, post)
		outer = m.Nodes - 1
		if kind == collective.KindAllreduce {
			outer *= 2
		}
	}
	return total + float64(m.rounds(kind)-outer)*inside + float64(outer)*between
}

// Choose returns which of the model's ways, and which protocol, takes the least time. A given protocol
// is kept; ways other than rings and trees have Simple alone.
func (m *Model) Choose(kind collective.Kind, bytes int, protocol *Protocol) (Way, Protocol) {
	best, way, is := math.Inf(1), Ring, Simple
	for _, w := range m.Ways {
		for p := LL; p <= Simple; p++ {
			if protocol != nil && *protocol != p || !w.has(p) {
				continue
			}
			if t := m.Time(kind, w, p, bytes); t < best {
				best, way, is = t, w, p
			}
		}
	}
	return way, is
}

// log2 returns the floor of the binary logarithm of n, 0 for n < 1.
func log2(n int) int { return max(0, bits.Len(uint(max(n, 0)))-1) }
