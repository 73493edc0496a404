package node

import (
	"errors"
	"math/bits"

	"fabricast/node/internal/core"
	"fabricast/node/internal/model"

	"fabricast/fabric"
	"fabricast/internal/units"
)

// Surveyor determines what the ranks of a world send, without a simulation: every operation
// completes at once. It is for programs whose messages depend neither on what they receive nor on
// time, such as an mpi.Loop. It may be used while the world runs, by one goroutine at a time.
type Surveyor struct {
	block *Block
	order scattered
	next  uint64 // position in the order of hosts
	posts Posts
}

// Posts holds sums over ranks of the maximum that each rank has in flight while it waits for its
// own operations.
type Posts struct {
	Ranks    int
	Messages int         // maximum number of messages that a rank posts before it waits
	Bytes    units.Bytes // maximum size of their contents
	Partners int         // number of ranks that a rank sends to
}

// Posts returns the sums over the ranks surveyed so far.
func (s *Surveyor) Posts() Posts { return s.posts }

// Transfer is a transfer between hosts for a message or a put. A rendezvous has several transfers;
// those without contents have size 0.
type Transfer struct {
	From, To int         // hosts; equal if the message does not enter the network
	Size     units.Bytes // bytes
	Message  bool        // the transfer that carries the message's contents
}

// errOutcome is the error of a program that requests a result that only a simulation can provide.
var errOutcome = errors.New("a program's messages depend on what it receives")

// Surveyor returns a Surveyor for the program of launch on the ranks and hosts of the world.
func (w *World) Surveyor(launch Launcher) (*Surveyor, error) {
	spec := w.shared.Spec
	spec.Begin, spec.Slow, spec.Noise, spec.Serialization, spec.Distance = nil, nil, model.Noise{}, nil, nil
	other, err := NewWorld(spec, launch)
	if err != nil {
		return nil, err
	}
	b := other.NewBlock(fabric.HostRange(0, 0))
	b.ops.listed = true
	return &Surveyor{block: b, order: newScattered(uint64(spec.Hosts))}, nil
}

// Close releases the programs of ranks that have not ended.
func (s *Surveyor) Close() { s.block.close() }

// Next calls visit for each transfer of the ranks of the next host, until visit returns false.
// Hosts are visited in a fixed pseudorandom order. Next returns the number of ranks surveyed, and
// whether there are more hosts.
func (s *Surveyor) Next(visit func(Transfer) bool) (ranks int, more bool, err error) {
	host, ok := s.order.at(&s.next)
	if !ok {
		return 0, false, nil
	}
	s.seat(int32(host))
	for slot := range s.block.ranks {
		stopped, err := s.survey(int32(slot), visit)
		if stopped || err != nil {
			return ranks, true, err
		}
		ranks++
	}
	return ranks, true, nil
}

// seat replaces the ranks in the block by those of the given host.
func (s *Surveyor) seat(host int32) {
	b := s.block
	b.close()
	b.ranks, b.programs.running = b.ranks[:0], b.programs.running[:0]
	w := b.shared
	w.SlotAt[host] = 0
	for id := w.RankAt[host]; id >= 0; id = w.After(id) {
		w.Settle(id, int32(len(b.ranks)))
		b.ranks = append(b.ranks, core.Rank{ID: id, Host: host})
		b.programs.running = append(b.programs.running, nil)
	}
	b.schedule.Ranks, b.rendezvous.Ranks, b.rma.Ranks = b.ranks, b.ranks, b.ranks
}

// survey runs the program of a rank.
func (s *Surveyor) survey(slot int32, visit func(Transfer) bool) (stopped bool, err error) {
	b := s.block
	r := &b.ranks[slot]
	b.programs.running[slot] = b.programs.start(int(r.ID))
	partners, open, most := map[int32]struct{}{}, Posts{}, Posts{Ranks: 1}
	defer func() {
		most.Partners = len(partners)
		s.posts.add(most)
	}()
	for {
		b.resume(r, slot)
		if b.ops.last == model.Failed {
			return false, b.ops.err
		}
		for i := range b.ops.list {
			o := &b.ops.list[i]
			if o.Kind != model.Recv {
				partners[o.Dst] = struct{}{}
				open.Messages++
				open.Bytes += units.Bytes(o.Size)
				most.Messages = max(most.Messages, open.Messages)
				most.Bytes = max(most.Bytes, open.Bytes)
			}
			more, err := s.surveyOp(r, o, visit)
			if !more || err != nil {
				return true, err
			}
		}
		switch b.ops.last {
		case model.Sync:
			open = Posts{}
		case model.WaitAll:
			open = Posts{}
			b.waiting.BeginWaitAll(r, b.ops.waits)
		case model.Exit:
			b.programs.running[slot] = nil
			return false, nil
		default:
			return false, errOutcome
		}
	}
}

func (p *Posts) add(of Posts) {
	p.Ranks += of.Ranks
	p.Messages += of.Messages
	p.Bytes += of.Bytes
	p.Partners += of.Partners
}

// surveyOp calls visit for the transfers of an operation, and completes its request.
func (s *Surveyor) surveyOp(r *core.Rank, o *core.Op, visit func(Transfer) bool) (more bool, err error) {
	b := s.block
	if o.Request != 0 {
		b.requests.Of(o.Request).CompleteAt(0)
	}
	if o.Kind == model.Recv {
		return true, nil
	}
	there, back := Transfer{From: int(r.Host), To: int(b.shared.HostOf[o.Dst])}, Transfer{To: int(r.Host)}
	back.From = there.To
	data := there
	data.Size, data.Message = units.Bytes(o.Size), true
	switch {
	case there.From == there.To:
		return visit(data), nil
	case o.Kind == model.Send && core.Asks(o.How):
		more = visit(there) && visit(back) && visit(data)
		if o.How == core.ReadRequest {
			more = more && visit(back)
		}
		return more, nil
	case o.Kind == model.Send:
		return visit(data), nil
	case o.How == core.PutData:
		return visit(data) && visit(back), nil
	}
	return false, errOutcome
}

// scattered is a pseudorandom order of the numbers below a limit. It is a bijection of words of
// width bits that skips numbers beyond the limit.
type scattered struct {
	limit uint64
	width int // in bits
}

func newScattered(limit uint64) scattered { return scattered{limit, max(2, bits.Len64(limit))} }

// at returns the number at a position in the order, skipping positions without one, and advances
// the position.
func (s scattered) at(place *uint64) (number uint64, ok bool) {
	mask := uint64(1)<<s.width - 1
	for *place <= mask {
		x := (*place*0x9e3779b97f4a7c15 + 0x632be59bd9b4e019) & mask
		x ^= x >> (s.width / 2)
		x = x * 0xd6e8feb86659fd93 & mask
		x ^= x >> (s.width / 2)
		*place++
		if x < s.limit {
			return x, true
		}
	}
	return 0, false
}
