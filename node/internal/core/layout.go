package core

import "fmt"

// layout maps ranks to hosts and slots. A slot is the index of a rank in its block. The ranks of
// one host have consecutive slots, in rank order.
type layout struct {
	HostOf []int32 // host, by rank
	RankAt []int32 // first rank of the host, by host; -1 if it has none
	SlotAt []int32 // slot of that rank, by host
	// straight: for all i, rank i is the only rank on host i; the tables, which would cause cache
	// misses, are not needed.
	straight bool

	// The fields below are set only where a host has several ranks.
	Several bool
	next    []int32 // next rank of the same host, by rank; -1 if there is none
	count   []int32 // number of ranks, by host
	SlotOf  []int32 // slot, by rank
}

// newLayout places rank i on host hostOf[i].
func newLayout(hostOf []int32, hosts int) (layout, error) {
	l := layout{HostOf: hostOf, RankAt: make([]int32, hosts), SlotAt: make([]int32, hosts)}
	for h := range l.RankAt {
		l.RankAt[h] = -1
	}
	l.straight = true
	for r, h := range hostOf {
		if h < 0 || int(h) >= hosts {
			return l, fmt.Errorf("rank %d is on host %d, but the network's hosts are 0 to %d", r, h, hosts-1)
		}
		l.Several = l.Several || l.RankAt[h] >= 0
		l.straight = l.straight && int(h) == r
		l.RankAt[h] = int32(r)
	}
	if l.Several {
		l.share()
	}
	return l, nil
}

// share records which ranks share a host.
func (l *layout) share() {
	l.next, l.SlotOf = make([]int32, len(l.HostOf)), make([]int32, len(l.HostOf))
	l.count = make([]int32, len(l.RankAt))
	for h := range l.RankAt {
		l.RankAt[h] = -1
	}
	for r := len(l.HostOf) - 1; r >= 0; r-- {
		h := l.HostOf[r]
		l.next[r], l.RankAt[h] = l.RankAt[h], int32(r)
		l.count[h]++
	}
}

// Host returns the host of a rank.
func (l *layout) Host(rank int32) int32 {
	if l.straight {
		return rank
	}
	return l.HostOf[rank]
}

// RanksOn returns the number of ranks on a host.
func (l *layout) RanksOn(host int32) int32 {
	switch {
	case l.RankAt[host] < 0:
		return 0
	case l.Several:
		return l.count[host]
	}
	return 1
}

// After returns the next rank of the same host; -1 if there is none.
func (l *layout) After(rank int32) int32 {
	if l.Several {
		return l.next[rank]
	}
	return -1
}

// Settle stores the slot of a rank.
func (l *layout) Settle(rank, slot int32) {
	if l.Several {
		l.SlotOf[rank] = slot
	}
}

// Slot returns the slot of a rank in its block.
func (l *layout) Slot(rank int32) int32 {
	if l.Several {
		return l.SlotOf[rank]
	}
	return l.SlotAt[l.HostOf[rank]]
}

// Slots returns the range of slots of a host's ranks: first to end-1.
func (l *layout) Slots(host int32) (first, end int32) {
	first = l.SlotAt[host]
	return first, first + l.RanksOn(host)
}

// Neighbours reports whether two ranks are on the same host.
func (l *layout) Neighbours(a, b int32) bool {
	return a == b || l.Several && l.HostOf[a] == l.HostOf[b]
}

// Begins returns the NIC that a rank's first message uses. The ranks of a host start with different
// NICs, in turn.
func (l *layout) Begins(rank int32, nics int) uint16 {
	if !l.Several {
		return 0
	}
	return uint16(int(l.SlotOf[rank]-l.SlotAt[l.HostOf[rank]]) % nics)
}
