// Package exchanges finds exchanges of messages that work only where MPI buffers large ones.
package exchanges

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fabricast/cmpi/internal/host"
)

// message names a large message: it is the one with a number among those from a rank to another.
type message struct {
	from, to int32
	number   uint32
}

func (m message) compare(o message) int {
	return cmp.Or(cmp.Compare(m.from, o.from), cmp.Compare(m.to, o.to), cmp.Compare(m.number, o.number))
}

// Exchanges holds which sends had to wait for which others, if MPI did not buffer large messages. A
// send waits for the one that the receiver began before it posted the receive. Sends that wait for
// one another in a cycle never end then.
type Exchanges struct {
	waits map[message]message
	sends map[message]host.Blocking
}

// Add adds what a rank has recorded.
func (e *Exchanges) Add(rank int, list []host.Blocked) {
	if len(list) > 0 && e.waits == nil {
		e.waits, e.sends = map[message]message{}, map[message]host.Blocking{}
	}
	for _, b := range list {
		own := message{int32(rank), b.Own.Peer, b.Own.Number}
		e.waits[message{b.Source, int32(rank), b.Number}] = own
		e.sends[own] = b.Own
	}
}

// cycle returns the sends that wait for one another in a cycle, from the lowest one on; of several
// cycles the one with the lowest send. It returns nil if there is none.
func (e *Exchanges) cycle() []message {
	starts := make([]message, 0, len(e.waits))
	for m := range e.waits {
		starts = append(starts, m)
	}
	slices.SortFunc(starts, message.compare)
	seen := map[message]message{} // with the start of the walk that came by
	for _, start := range starts {
		at, more := start, true
		for more && seen[at] == (message{}) {
			seen[at] = start
			at, more = e.waits[at]
		}
		if !more || seen[at] != start {
			continue
		}
		list := []message{at}
		for next := e.waits[at]; next != at; next = e.waits[next] {
			list = append(list, next)
		}
		lowest := slices.Index(list, slices.MinFunc(list, message.compare))
		return append(list[lowest:], list[:lowest]...)
	}
	return nil
}

// mostSends is the largest number of sends of a cycle that are named.
const mostSends = 4

// Unsafe describes the first exchange that works only where MPI buffers large messages; "" if there is
// none. place returns where a call is in the source, as in " at main.c:12".
func (e *Exchanges) Unsafe(place func(site int64) string) string {
	cycle := e.cycle()
	if cycle == nil {
		return ""
	}
	var sends []string
	for _, m := range cycle[:min(len(cycle), mostSends)] {
		s := e.sends[m]
		sends = append(sends, fmt.Sprintf("rank %d sends %d bytes to rank %d%s", m.from, s.Size, m.to, place(s.Site)))
	}
	if more := len(cycle) - len(sends); more > 0 {
		sends = append(sends, fmt.Sprintf("and so on, %d ranks in all", len(cycle)))
	}
	return "unsafe exchange: " + strings.Join(sends, ", ") +
		", each before it receives; libraries that do not buffer messages of this size wait for ever"
}
