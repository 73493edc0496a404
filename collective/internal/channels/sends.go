package channels

import (
	"fabricast/collective"
	"fabricast/node"
)

// atOnce is the number of messages that a channel sends, and receives, at the same time
// (NCCL_MAX_DEV_WORK_P2P_PER_BATCH).
const atOnce = 8

// Chunks of messages to other nodes, and to the same one, in bytes.
const outerChunk, innerChunk = 128 << 10, 512 << 10

// shortMessage is the size (bytes) up to which messages are sent by LL (NCCL_P2P_LL_THRESHOLD).
const shortMessage = 16 << 10

// ChooseSends returns how messages of n bytes each are sent.
func ChooseSends(c collective.Comm, v collective.Values, n int) *Setting {
	if v[optionProtocol] == 0 {
		v[optionProtocol] = 1 + int(Simple)
		if n <= shortMessage {
			v[optionProtocol] = 1 + int(LL)
		}
	}
	s := ChooseRing(c, v, Call{Kind: collective.KindAlltoall, Bytes: n, Traffic: n})
	s.channels = min(s.most, s.ranks-1)
	return s
}

// Sends returns the programs by which the block of each rank goes to that rank. Each channel has
// several lanes that send and several that receive, one message after the other.
func (s *Setting) Sends(out, in node.Buf) (list []Program) {
	p := s.ranks
	lanes := min(s.channels*atOnce, p-1)
	for lane := range lanes {
		list = append(list, s.lane(lane, lanes, Program{
			Acc: out, Phase: 0,
		}, func(k int) Step { return Step{To: []int32{int32((s.rank + k) % p)}} }))
	}
	for lane := range lanes {
		list = append(list, s.lane(lane, lanes, Program{
			Acc: in, Phase: 1,
		}, func(k int) Step { return Step{From: []int32{int32((s.rank - k + p) % p)}} }))
	}
	return list
}

// lane fills in a program that sends, or receives, every so many'th message.
func (s *Setting) lane(lane, lanes int, p Program, with func(k int) Step) Program {
	type part struct {
		k     int
		first int // step
	}
	var parts []part
	block := p.Acc.Len() / s.ranks
	p.Channel = lane % s.channels
	for k := 1 + lane; k < s.ranks; k += lanes {
		parts = append(parts, part{k, p.Steps})
		p.Steps += (block + s.chunkTo(k, with) - 1) / s.chunkTo(k, with)
	}
	p.Step = func(i int) Step {
		n := len(parts) - 1
		for parts[n].first > i {
			n--
		}
		m, chunk := with(parts[n].k), s.chunkTo(parts[n].k, with)
		peer := append(m.From, m.To...)[0]
		at := (i - parts[n].first) * chunk
		m.At, m.N = int(peer)*block+at, min(chunk, block-at)
		return m
	}
	return p
}

// chunkTo returns the size of the chunks of a message.
func (s *Setting) chunkTo(k int, with func(k int) Step) int {
	m := with(k)
	if s.places.Together(s.rank, int(append(m.From, m.To...)[0])) {
		return innerChunk
	}
	return outerChunk
}
