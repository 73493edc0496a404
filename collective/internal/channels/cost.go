package channels

import (
	"math"
	"math/bits"

	"fabricast/collective"
)

// Model is NCCL's model of costs: a latency and a bandwidth for each algorithm and protocol, from
// tables. The tables are those of NCCL 2.30 (commit 5067397c, src/graph/tuning.cc) for Hopper GPUs
// with NVLink and hosts with Intel processors; CollNet and NVLS are left out.
type Model struct {
	Ranks, Nodes, Channels int
	Bus, NVLink            float64 // GB/s of all channels between nodes, and within one
}

// baseLatency is the time (us) of a call without steps, by ring and protocol.
var baseLatency = map[bool][3]float64{false: {6.8, 14, 8.4}, true: {6.6, 14, 8.4}}

// stepLatency is the time (us) of a step by NVLink and by the network.
var (
	nvlinkLatency  = map[bool][3]float64{false: {0.6, 1.25, 4}, true: {0.6, 1.9, 3.4}}
	networkLatency = map[bool][3]float64{false: {5, 8.5, 14}, true: {2.7, 4, 14}}
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
func (m *Model) Time(kind collective.Kind, ring bool, p Protocol, bytes int) float64 {
	bandwidth, latency := m.bandwidth(kind, ring, p), m.latency(kind, ring, p)
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
func (m *Model) bandwidth(kind collective.Kind, ring bool, p Protocol) float64 {
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
func (m *Model) latency(kind collective.Kind, ring bool, p Protocol) float64 {
	inside, between := nvlinkLatency[ring][p], networkLatency[ring][p]
	if m.Ranks == m.Nodes {
		between = networkLatency[false][p]
	}
	total := baseLatency[ring][p]
	switch {
	case !ring:
		return total + 2*(float64(m.Ranks/m.Nodes-1)*inside+float64(log2(m.Nodes))*between)
	case kind == collective.KindBroadcast || kind == collective.KindReduce:
		if m.Nodes == 1 {
			between = inside
		} else if p == Simple {
			between = networkLatency[false][p]
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

// Choose returns the algorithm (a ring, or a tree for an allreduce) and the protocol with the least
// time. A given ring or protocol is kept.
func (m *Model) Choose(kind collective.Kind, bytes int, ring *bool, protocol *Protocol) (bool, Protocol) {
	best, isRing, is := math.Inf(1), true, Simple
	for _, r := range []bool{false, true} {
		if ring != nil && *ring != r || ring == nil && !r && kind != collective.KindAllreduce {
			continue
		}
		for p := LL; p <= Simple; p++ {
			if protocol != nil && *protocol != p {
				continue
			}
			if t := m.Time(kind, r, p, bytes); t < best {
				best, isRing, is = t, r, p
			}
		}
	}
	return isRing, is
}

// log2 returns the floor of the binary logarithm of n, 0 for n < 1.
func log2(n int) int { return max(0, bits.Len(uint(max(n, 0)))-1) }
