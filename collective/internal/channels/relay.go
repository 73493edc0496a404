package channels

import (
	"fabricast/collective"
	"fabricast/collective/internal/steps"
	"fabricast/node"
)

// With PXN, messages to another rail of another node go by the GPU of their node on that rail: the
// threads of the sender store them in its memory, in one of eight steps of a buffer, and a processor
// sends them from there by the GPU's NIC. When they have left, it tells the sender that the step is
// free. Here the rank on that GPU does what the processor does, while it is in the collective.

// hop is what passes through a rank: the messages of a program of another rank of its node.
type hop struct {
	from     int32 // the other rank
	key      int   // of its program
	step, at int   // the next message: of a step, and of the ranks to which that sends
	to       int32 // of the message that is under way
	n        int   // its data in bytes
}

// keys tells apart the programs of a rank in each channel.
func keys(programs []Program) []int {
	list, next := make([]int, len(programs)), map[int]int{}
	for i := range programs {
		channel := programs[i].Channel
		list[i] = next[channel]
		next[channel]++
	}
	return list
}

// hops returns threads for all that passes through the calling rank. programs returns those of a rank.
func (s *Setting) hops(programs func(*Setting) []Program) (list []thread) {
	if !s.places.relayed {
		return nil
	}
	node, _ := s.places.of(s.rank)
	for _, from := range s.places.seats.Members[node] {
		if int(from) == s.rank {
			continue
		}
		other := *s
		other.rank = int(from)
		of := programs(&other)
		key := keys(of)
		for i := range of {
			h := hop{from: from, key: key[i]}
			if of[i].Stream == nil && h.next(s, &of[i]) {
				list = append(list, thread{Program: &of[i], hop: &h})
			}
		}
	}
	return list
}

// next finds the next message of the program that passes through the calling rank.
func (h *hop) next(s *Setting, p *Program) bool {
	for ; h.step < p.Steps; h.step, h.at = h.step+1, 0 {
		m := p.Step(h.step)
		of, sent := m.sent(false)
		for sent && h.at < len(m.To) {
			to := m.To[h.at]
			h.at++
			if by, ok := s.places.relay(int(h.from), int(to)); ok && by == s.rank {
				h.to, h.n = to, of.N
				return true
			}
		}
	}
	return false
}

// carry starts to receive the message that a thread passes on.
func (x *executor) carry(i int) {
	t := &x.threads[i]
	buf := steps.Scratch(x.Protocol.Wire(t.hop.n), t.Acc)
	t.in = append(t.in[:0], arrival{buf: buf})
	x.receive(i, buf, t.hop.from, collective.RelayTag(x.tag, t.Channel, t.hop.key))
	if x.flagged(t.hop.n) {
		x.receive(i, steps.Scratch(0, t.Acc), t.hop.from, collective.RelayFlagTag(x.tag, t.Channel, t.hop.key))
	}
}

// carried sends the message that a thread has received, and goes on with the next one.
func (x *executor) carried(i int) {
	t := &x.threads[i]
	_, place := x.places.of(int(t.hop.from))
	t.free = max(t.free+1, x.c.Clock()+x.between*nanosecond) // so that messages keep their order
	x.at(i, sending{
		t.in[0].buf, t.hop.to, forwards, collective.RelayedTag(x.tag, t.Channel, place),
	}, t.free)
	if t.hop.next(x.Setting, t.Program) {
		x.carry(i)
	}
}

// free tells the sender that the step of a message that has left is free.
func (x *executor) free(i int) {
	t := &x.threads[i]
	tag := collective.RelayFreeTag(x.tag, t.Channel, t.hop.key)
	x.add(x.c.Isend(steps.Scratch(0, t.Acc), int(t.hop.from), tag), owner{thread: int32(i), purpose: stores})
}

// pass plans the messages of a step that begins at a time (ps) and leaves by another GPU's NIC.
func (x *executor) pass(i, by int, data node.Buf, n int, begins int64) {
	t := &x.threads[i]
	key, at := x.keys[i], t.free
	flagged := x.flagged(n)
	if flagged {
		at = begins
	}
	x.at(i, sending{data, int32(by), stores, collective.RelayTag(x.tag, t.Channel, key)}, at)
	if flagged {
		flag := steps.Scratch(0, t.Acc)
		x.at(i, sending{flag, int32(by), stores, collective.RelayFlagTag(x.tag, t.Channel, key)}, t.free)
	}
	free := steps.Scratch(0, t.Acc)
	x.add(
		x.c.Irecv(free, by, collective.RelayFreeTag(x.tag, t.Channel, key)), owner{thread: int32(i), purpose: sends},
	)
}

// origin returns by which rank, and with which tag, messages of a channel come from another node.
func (x *executor) origin(from int32, channel int) (by int32, tag int) {
	if relay, ok := x.places.relay(int(from), x.rank); ok {
		_, place := x.places.of(int(from))
		return int32(relay), collective.RelayedTag(x.tag, channel, place)
	}
	return from, collective.ChannelTag(x.tag, channel)
}
