package node

import "fmt"

// layout maps ranks to hosts and slots. A slot is a rank's index in its block. Ranks of one host
// have consecutive slots, in the order of their numbers.
type layout struct {
	hostOf []int32 // by rank
	rankAt []int32 // by host: the first rank there, or -1
	slotAt []int32 // by host: the slot of that rank in its block
	// rank i is alone on host i, for all ranks: the tables, which miss the cache, are not needed
	straight bool

	// The fields below are set only where a host has several ranks.
	several bool
	next    []int32 // by rank: the next rank of its host, or -1
	count   []int32 // by host: ranks
	slotOf  []int32 // by rank
}

// newLayout puts rank i on host hostOf[i].
func newLayout(hostOf []int32, hosts int) (layout, error) {
	l := layout{hostOf: hostOf, rankAt: make([]int32, hosts), slotAt: make([]int32, hosts)}
	for h := range l.rankAt {
		l.rankAt[h] = -1
	}
	l.straight = true
	for r, h := range hostOf {
		if h < 0 || int(h) >= hosts {
			return l, fmt.Errorf("rank %d is on host %d, but the network's hosts are 0 to %d", r, h, hosts-1)
		}
		l.several = l.several || l.rankAt[h] >= 0
		l.straight = l.straight && int(h) == r
		l.rankAt[h] = int32(r)
	}
	if l.several {
		l.share()
	}
	return l, nil
}

// share records which ranks share a host.
func (l *layout) share() {
	l.next, l.slotOf = make([]int32, len(l.hostOf)), make([]int32, len(l.hostOf))
	l.count = make([]int32, len(l.rankAt))
	for h := range l.rankAt {
		l.rankAt[h] = -1
	}
	for r := len(l.hostOf) - 1; r >= 0; r-- {
		h := l.hostOf[r]
		l.next[r], l.rankAt[h] = l.rankAt[h], int32(r)
		l.count[h]++
	}
}

// host returns the host of a rank.
func (l *layout) host(rank int32) int32 {
	if l.straight {
		return rank
	}
	return l.hostOf[rank]
}

// ranksOn returns how many ranks a host has.
func (l *layout) ranksOn(host int32) int32 {
	switch {
	case l.rankAt[host] < 0:
		return 0
	case l.several:
		return l.count[host]
	}
	return 1
}

// after returns the next rank of the same host, -1 if there is none.
func (l *layout) after(rank int32) int32 {
	if l.several {
		return l.next[rank]
	}
	return -1
}

// settle stores a rank's slot.
func (l *layout) settle(rank, slot int32) {
	if l.several {
		l.slotOf[rank] = slot
	}
}

// slot returns the slot of a rank in its block.
func (l *layout) slot(rank int32) int32 {
	if l.several {
		return l.slotOf[rank]
	}
	return l.slotAt[l.hostOf[rank]]
}

// slots returns the slots of a host's ranks: first to end-1.
func (l *layout) slots(host int32) (first, end int32) {
	first = l.slotAt[host]
	return first, first + l.ranksOn(host)
}

// neighbours reports whether two ranks are on one host.
func (l *layout) neighbours(a, b int32) bool {
	return a == b || l.several && l.hostOf[a] == l.hostOf[b]
}

// begins returns the NIC by which a rank's first message leaves. The ranks of a host begin with
// different NICs in turn.
func (l *layout) begins(rank int32, nics int) uint16 {
	if !l.several {
		return 0
	}
	return uint16(int(l.slotOf[rank]-l.slotAt[l.hostOf[rank]]) % nics)
}
