package cmpi

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

// exchanges holds which sends had to wait for which others, if MPI did not buffer large messages. A
// send waits for the one that the receiver began before it posted the receive. Sends that wait for
// one another in a cycle never end then.
type exchanges struct {
	waits map[message]message
	sends map[message]host.Blocking
}

// add adds what a rank has recorded.
func (e *exchanges) add(rank int, list []host.Blocked) {
	if len(list) > 0 && e.waits == nil {
		e.waits, e.sends = map[message]message{}, map[message]host.Blocking{}
	}
	for _, b := range list {
		own := message{int32(rank), b.Own.Peer, b.Own.Number}
		e.waits[message{b.Source, int32(rank), b.Number}] = own
		e.sends[own] = b.Own
	}
}

// circle returns the sends that wait for one another in a cycle, from the lowest one on; of several
// circles the one with the lowest send. It returns nil if there is none.
func (e *exchanges) circle() []message {
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

// unsafe describes the first exchange that works only where MPI buffers large messages; "" if there
// is none.
func (j *Job) unsafe() string {
	circle := j.exchanges.circle()
	if circle == nil {
		return ""
	}
	var sends []string
	for _, m := range circle[:min(len(circle), mostSends)] {
		s := j.exchanges.sends[m]
		sends = append(sends, fmt.Sprintf("rank %d sends %d bytes to rank %d%s", m.from, s.Size, m.to, j.place(s.Site)))
	}
	if more := len(circle) - len(sends); more > 0 {
		sends = append(sends, fmt.Sprintf("and so on, %d ranks in all", len(circle)))
	}
	return "unsafe exchange: " + strings.Join(sends, ", ") +
		", each before it receives; libraries that do not buffer messages of this size wait for ever"
}

// Notes lists what users should know of a run that is not wrong: an exchange that works only where
// MPI buffers large messages, and how computation was charged. Ranks of other processes are not
// looked at.
func (j *Job) Notes() []string {
	var list []string
	if text := j.unsafe(); text != "" {
		list = append(list, text)
	}
	if j.host.Teams() {
		list = append(
			list,
			"computation of threads, of OpenMP and others, is charged the processor time divided by the threads of the team",
		)
	}
	return list
}
