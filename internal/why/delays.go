package why

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"

	"fabricast/record"
)

// Delay is what one rank, or the messages in the network, made others wait, as Scalasca defines it. Two
// ranks have done something since they last exchanged a message. What the late one has done in this time
// beyond what the waiting one has done is the excess, by kind of work; the wait is divided in proportion.
// Excess work of the late rank has delayed the other directly (short-term). Excess waits of the late rank
// are delays that are passed on (propagated, long-term): they are charged to what has caused these waits.
type Delay struct {
	Rank       int32  `json:"rank"`  // that works while others wait; -1: none
	Doing      string `json:"doing"` // a state of ranks, start, network, or others
	Direct     int64  `json:"direct_ps"`
	Propagated int64  `json:"propagated_ps"`
}

// Causes of delays, other than states of ranks.
const (
	DoingStart   = "start"   // the rank has not started
	doingNetwork = "network" // messages on their way, and other waits for which no rank is late
	doingOthers  = "others"  // many small ones
)

// mostDelays is the largest number of delays that are listed one by one.
const mostDelays = 100

// delays finds out what has made ranks late.
type delays struct {
	sums map[delayKey]*Delay
	done [][]past // by rank: what it has done, as far back as is still in memory
	most int      // number of parts of a rank that are at least held
	cut  []int64  // by rank: until then (ps) what it has done is no longer in memory
}

type delayKey struct {
	rank  int32
	doing string
}

// origin is a share of a delay.
type origin struct {
	delayKey
	time int64 // ps
}

// past is a period of a rank.
type past struct {
	begin, end int64
	doing      doing
	from       int32    // rank whose message the period is about; -1 if there is none
	origins    []origin // of a wait: what has caused it; the sum is its duration
}

// doing is a kind of work.
type doing int

const (
	computing doing = iota
	software
	sending
	starting
	waiting
	doings // number of kinds
)

var namesOfDoing = [doings]string{record.StateCompute, record.StateOverhead, record.StateSend, DoingStart, ""}

func kindOf(state string) doing {
	switch state {
	case record.StateCompute:
		return computing
	case record.StateOverhead:
		return software
	case record.StateSend:
		return sending
	}
	return waiting
}

const (
	// mostPast is the number of periods that are held in memory, of all ranks together.
	mostPast = 1 << 20
	// mostBack is the number of periods of the waiting rank in which a common point with the late rank is
	// looked for.
	mostBack = 256
	// mostOrigins is the number of origins of a wait that are passed on one by one.
	mostOrigins = 6
)

func newDelays(ranks int) *delays {
	return &delays{
		sums: map[delayKey]*Delay{}, done: make([][]past, ranks), most: max(16, mostPast/max(1, ranks)),
		cut: make([]int64, ranks),
	}
}

// add adds the next period of a rank.
func (t *delays) add(rank int32, part *past) {
	list := append(t.done[rank], *part)
	if drop := len(list) - t.most; drop >= t.most {
		t.cut[rank] = list[drop-1].end
		n := copy(list, list[drop:])
		clear(list[n:])
		list = list[:n]
	}
	t.done[rank] = list
}

// charge finds what has made a rank late: rank has waited for late from begin to end (ps).
func (t *delays) charge(rank, late int32, begin, end int64) []origin {
	since := t.common(rank, late, begin)
	var excess [doings]int64
	theirs, own := t.profile(late, since, end), t.profile(rank, since, begin)
	for i := range excess {
		excess[i] = max(0, theirs[i]-own[i])
	}
	var list []origin
	for i, time := range apportion(end-begin, excess[:]) {
		switch {
		case time == 0:
		case doing(i) == waiting:
			list = t.passOn(list, late, since, end, time)
		default:
			o := origin{delayKey{late, namesOfDoing[i]}, time}
			t.sum(o.delayKey).Direct += time
			list = join(list, o)
		}
	}
	return fewer(list)
}

// passOn charges time (ps) to what has caused the waits of a late rank in a period.
func (t *delays) passOn(list []origin, late int32, since, end, time int64) []origin {
	parts := t.done[late]
	var waits []int
	var weights []int64
	for i := t.before(late, end); i >= 0 && parts[i].end > since; i-- {
		if parts[i].doing == waiting {
			waits = append(waits, i)
			weights = append(weights, min(end, parts[i].end)-max(since, parts[i].begin))
		}
	}
	for i, part := range apportion(time, weights) {
		origins := parts[waits[i]].origins
		weights := make([]int64, len(origins))
		for k := range origins {
			weights[k] = origins[k].time
		}
		for k, share := range apportion(part, weights) {
			if share > 0 {
				t.sum(origins[k].delayKey).Propagated += share
				list = join(list, origin{origins[k].delayKey, share})
			}
		}
	}
	return list
}

// common returns the time (ps), up to `until`, at which one of two ranks has last received a message of
// the other, or at which the memory of what they have done begins.
func (t *delays) common(rank, other int32, until int64) int64 {
	since := max(t.cut[rank], t.cut[other])
	for _, pair := range [2][2]int32{{rank, other}, {other, rank}} {
		parts := t.done[pair[0]]
		for i, left := t.before(pair[0], until), mostBack; i >= 0 && parts[i].end > since; i-- {
			if left--; parts[i].from == pair[1] && parts[i].end <= until || left == 0 {
				since = min(until, parts[i].end)
				break
			}
		}
	}
	return since
}

// before returns the index of the last period of a rank that begins before a time (ps).
func (t *delays) before(rank int32, at int64) int {
	parts := t.done[rank]
	return sort.Search(len(parts), func(i int) bool { return parts[i].begin >= at }) - 1
}

// profile returns what a rank has done in a period.
func (t *delays) profile(rank int32, from, until int64) (times [doings]int64) {
	parts, left := t.done[rank], until-from
	for i := t.before(rank, until); i >= 0 && parts[i].end > from; i-- {
		time := min(until, parts[i].end) - max(from, parts[i].begin)
		times[parts[i].doing] += time
		left -= time
	}
	times[starting] += left
	return times
}

func (t *delays) sum(of delayKey) *Delay {
	if t.sums[of] == nil {
		t.sums[of] = &Delay{Rank: of.rank, Doing: of.doing}
	}
	return t.sums[of]
}

// join adds an origin to a list without duplicates.
func join(list []origin, o origin) []origin {
	for i := range list {
		if list[i].delayKey == o.delayKey {
			list[i].time += o.time
			return list
		}
	}
	return append(list, o)
}

// fewer returns the largest origins, and the others together.
func fewer(list []origin) []origin {
	if len(list) <= mostOrigins {
		return list
	}
	slices.SortStableFunc(list, func(a, b origin) int { return cmp.Compare(b.time, a.time) })
	rest := origin{delayKey: delayKey{-1, doingOthers}}
	for _, o := range list[mostOrigins:] {
		rest.time += o.time
	}
	return slices.Clone(join(list[:mostOrigins:mostOrigins], rest))
}

// apportion divides a time (ps) in proportion to weights; if all are 0, the first gets it all. The parts
// sum to the time.
func apportion(time int64, weights []int64) []int64 {
	parts := make([]int64, len(weights))
	whole, before, given := int64(0), int64(0), int64(0)
	for _, w := range weights {
		whole += w
	}
	if whole == 0 {
		if len(parts) > 0 {
			parts[0] = time
		}
		return parts
	}
	for i, w := range weights {
		before += w
		hi, lo := bits.Mul64(uint64(time), uint64(before))
		until, _ := bits.Div64(hi, lo, uint64(whole))
		parts[i], given = int64(until)-given, int64(until)
	}
	return parts
}

// list returns the delays by descending time.
func (t *delays) list() []Delay {
	list := []Delay{}
	for _, d := range t.sums {
		list = append(list, *d)
	}
	slices.SortFunc(list, func(a, b Delay) int {
		return cmp.Or(cmp.Compare(b.time(), a.time()), cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Doing, b.Doing))
	})
	if len(list) > mostDelays {
		rest := Delay{Rank: -1, Doing: doingOthers}
		for _, d := range list[mostDelays:] {
			rest.Direct += d.Direct
			rest.Propagated += d.Propagated
		}
		list = append(list[:mostDelays], rest)
	}
	return list
}

func (d *Delay) time() int64 { return d.Direct + d.Propagated }
