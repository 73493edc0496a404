package convert

import (
	"slices"

	"fabricast/trace"
)

// Dropped counts the data that a conversion omitted or changed. Sends, Receives and Collectives
// were omitted because a matching operation is outside the part of the trace.
type Dropped struct {
	Sends, Receives int64
	Collectives     int64 // one per rank that called the collective
	// Unknown counts receives and probes with any source or tag. They are written, although it is
	// unknown whether the messages that they match are in the part.
	Unknown int64
	// AsTasks counts receives that were written as tasks. A replay charges the receive overhead of
	// a task when its message arrives, and the receive overhead of a program when the program
	// waits.
	AsTasks int64
	Rounded int64 // number of ranks whose computation was rounded to whole nanoseconds
}

// kept selects the records in a part of a trace. It omits sends and receives whose counterpart is
// outside the part, and collectives that some ranks of the group call outside the part.
type kept struct {
	source  trace.Source
	part    Part
	sends   map[channel]*run // by channel: the indices of the sends that are in the part
	takes   map[channel]*run // by channel: the indices of the receives that are in the part
	wild    map[inbox]bool   // inboxes with receives from any source or with any tag
	calls   []run            // by group: the indices of the collectives that all its ranks call in the part
	dropped Dropped
}

// channel identifies a sequence of messages in which the n-th send matches the n-th receive.
type channel struct {
	source, dst, tag, group int32
	context                 uint8
}

// inbox identifies the messages that a receive from any source with any tag may match.
type inbox struct {
	dst, group int32
	context    uint8
}

// run is a set of indices, stored as intervals in ascending order.
type run []interval

type interval struct{ from, to int64 } // to is exclusive

// add adds index n, which must be greater than all indices in the set.
func (r *run) add(n int64) {
	if last := len(*r) - 1; last >= 0 && (*r)[last].to == n {
		(*r)[last].to++
		return
	}
	*r = append(*r, interval{n, n + 1})
}

// has reports whether index n is in the set.
func (r run) has(n int64) bool {
	i, exact := slices.BinarySearchFunc(
		r, n, func(x interval, n int64) int { return int(min(1, max(-1, x.from-n))) },
	)
	return exact || i > 0 && n < r[i-1].to
}

// both returns the intersection of two sets.
func both(a, b run) (common run) {
	for len(a) > 0 && len(b) > 0 {
		if x := (interval{max(a[0].from, b[0].from), min(a[0].to, b[0].to)}); x.from < x.to {
			common = append(common, x)
		}
		if a[0].to < b[0].to {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return common
}

// newKept reads trace t, and determines which records of part p to keep.
func newKept(t trace.Source, p Part) (*kept, error) {
	k := &kept{
		source: t, part: p,
		sends: map[channel]*run{}, takes: map[channel]*run{}, wild: map[inbox]bool{},
	}
	if p.whole() {
		return k, nil
	}
	groups := t.Groups()
	k.calls = make([]run, len(groups))
	met := make([]int, len(groups)) // by group: number of its ranks read so far
	for rank := range t.Ranks() {
		seen := newSeen()
		calls := make([]run, len(groups))
		if err := k.once(rank, func(r *trace.Record, inside bool) error {
			seen.ends(int32(rank), r, func(m *trace.Message, c channel, n int64) {
				switch {
				case m.Receive && wildcard(m):
					k.wild[inbox{c.dst, c.group, c.context}] = true
				case !inside:
				case m.Receive:
					add(k.takes, c, n)
				default:
					add(k.sends, c, n)
				}
			})
			if r.Kind == trace.Collective {
				if n := seen.call(r.Call.Group); inside {
					calls[r.Call.Group].add(n)
				}
			}
			return nil
		}); err != nil {
			return nil, err
		}
		for g, of := range calls {
			if !member(groups[g], int32(rank)) {
				continue
			}
			if met[g]++; met[g] == 1 {
				k.calls[g] = of
			} else {
				k.calls[g] = both(k.calls[g], of)
			}
		}
	}
	return k, nil
}

// member reports whether a rank is in a group.
func member(group []int32, rank int32) bool { return group == nil || slices.Contains(group, rank) }

// wildcard reports whether a receive accepts messages of any source or tag.
func wildcard(m *trace.Message) bool { return m.Peer == trace.Any || m.Tag == trace.Any }

func add(to map[channel]*run, c channel, n int64) {
	r := to[c]
	if r == nil {
		r = new(run)
		to[c] = r
	}
	r.add(n)
}

// seen counts the messages of a rank by channel, and its collectives by group, so far.
type seen struct {
	sent, taken map[channel]int64
	calls       map[int32]int64
}

func newSeen() *seen {
	return &seen{sent: map[channel]int64{}, taken: map[channel]int64{}, calls: map[int32]int64{}}
}

// call returns the index of the next collective of a group, and counts it.
func (s *seen) call(group int32) int64 {
	n := s.calls[group]
	s.calls[group]++
	return n
}

// ends calls do for each send and receive in record r, with its channel and its index n in the
// channel.
func (s *seen) ends(rank int32, r *trace.Record, do func(m *trace.Message, c channel, n int64)) {
	end := func(m *trace.Message) {
		c := channelOf(rank, m)
		count := s.sent
		if m.Receive {
			count = s.taken
		}
		n := count[c]
		count[c]++
		do(m, c, n)
	}
	switch r.Kind {
	case trace.Send, trace.Receive, trace.Start:
		end(&r.Message)
	case trace.Exchange:
		end(&r.Message)
		end(&r.Other)
	}
}

// channelOf returns the channel of m, a send or receive of the given rank.
func channelOf(rank int32, m *trace.Message) channel {
	c := channel{source: rank, dst: m.Peer, tag: m.Tag, group: m.Group, context: m.Options.Context}
	if m.Receive {
		c.source, c.dst = c.dst, c.source
	}
	return c
}

// follower filters the records of a rank: it omits messages and collectives without a counterpart
// in the part.
type follower struct {
	*kept
	rank    int32
	seen    *seen
	regions []string // open regions that the rank entered in the part
	gone    Dropped
}

// follow reports whether record r is kept. inside means that it is in the part. If only the send or
// only the receive of an exchange is kept, follow changes the record to that operation.
func (f *follower) follow(r *trace.Record, inside bool) bool {
	var goes [2]bool // whether the send and the receive are omitted
	f.seen.ends(f.rank, r, func(m *trace.Message, c channel, n int64) {
		if inside && !f.matched(m, c, n) {
			if m.Receive {
				goes[1] = true
				f.gone.Receives++
			} else {
				goes[0] = true
				f.gone.Sends++
			}
		}
	})
	call := int64(0)
	if r.Kind == trace.Collective {
		call = f.seen.call(r.Call.Group)
	}
	if !inside {
		return false
	}
	switch r.Kind {
	case trace.Send, trace.Receive, trace.Start:
		return !goes[0] && !goes[1]
	case trace.Exchange:
		switch {
		case goes[0] && goes[1]:
			return false
		case goes[0]:
			r.Kind, r.Message = trace.Receive, r.Other
		case goes[1]:
			r.Kind = trace.Send
		}
	case trace.Collective:
		if !f.calls[r.Call.Group].has(call) {
			f.gone.Collectives++
			return false
		}
	case trace.Probe:
		c := channelOf(f.rank, &r.Message)
		return f.matched(&r.Message, c, f.seen.taken[c])
	case trace.Enter:
		f.regions = append(f.regions, r.Name)
	case trace.Leave:
		n := len(f.regions)
		if n == 0 {
			return false
		}
		f.regions = f.regions[:n-1]
	}
	return true
}

// matched reports whether the counterpart of the send or receive m, with index n in channel c, is
// or may be in the part.
func (f *follower) matched(m *trace.Message, c channel, n int64) bool {
	switch {
	case m.Receive && wildcard(m):
		f.gone.Unknown++
		return true
	case f.wild[inbox{c.dst, c.group, c.context}]:
		return true
	}
	others := f.sends
	if !m.Receive {
		others = f.takes
	}
	r := others[c]
	return r != nil && r.has(n)
}

// leaveAll calls do with a Leave record for each region that is open at the end of the part.
func (f *follower) leaveAll(do func(*trace.Record) error) error {
	for i := len(f.regions) - 1; i >= 0; i-- {
		if err := do(&trace.Record{Kind: trace.Leave, Name: f.regions[i]}); err != nil {
			return err
		}
	}
	return nil
}

// add returns the sum of d and the counts of this rank.
func (f *follower) add(d Dropped) Dropped {
	d.Sends += f.gone.Sends
	d.Receives += f.gone.Receives
	d.Collectives += f.gone.Collectives
	d.Unknown += f.gone.Unknown
	return d
}
