package node

import (
	"fabricast/fabric"
	"fabricast/internal/snapshot"
)

// One-sided communication: operations on the memory of another rank. The NICs of both ends carry
// them out; the processor of the other rank takes no part.
//
// The message has an Extra: the rank whose memory is accessed, the number of its region (Remote),
// the offset in it, the number of bytes, and the request at the origin (Local). The origin's
// processor carries out an operation on memory of its own host. The same message then describes the
// operation, but never enters the network.

// rma carries out one-sided operations (remote memory access): those on memory that a block's ranks
// have registered, as the NICs do, and the completion of those that the block's ranks have begun.
type rma struct {
	world      *shared
	transport  fabric.Transport
	ranks      []rank // by slot
	requests   *requests
	failures   *failures
	stats      *tally
	schedule   *schedule
	outbox     *outbox
	messages   *order      // of the matching: of messages that are to be taken back
	puts, sums order       // only if the network lets messages overtake one another
	regions    [][]*region // by slot: memory that is open to others; nil if none has ever been
	journal    *journal    // nil: none is kept
}

// start sends the message of a one-sided operation, or carries it out on the host itself. The
// message's size is that of the op.
func (s *rma) start(r *rank, slot int32, o *op, x *remote) {
	if o.how == putData || o.how == sumData {
		r.counters.sentMessages++
		r.counters.sentBytes += o.size
	}
	id, m := s.transport.NewMessage()
	e := s.transport.Attach(id)
	e.Gap, e.Rank, e.Local, e.Remote = o.gap, o.dst, o.request, uint32(x.region)
	e.Place, e.Length = uint64(x.place), x.length
	e.Value = [4]int64{x.value[0], x.value[1], x.code}
	if o.how == getRequest { // which is one packet: the answer is paced
		e.Value[valueGap], e.Gap = int64(o.gap), 0
	}
	m.Flags |= o.how
	m.SrcRank, m.Context, m.Tag, m.Payload = o.source, o.context, o.tag, o.payload
	m.Size, m.Sent, m.Post = o.size, o.sent, o.post
	if s.world.neighbours(r.id, o.dst) {
		if o.dst != r.id {
			m.Post += int64(s.world.spec.Intra.Latency)
		}
		s.schedule.add(r, event{at: m.Post, kind: localAccess, ref: uint32(id)})
		return
	}
	nics := int32(s.world.spec.NICsPerHost)
	to := s.world.hostOf[o.dst]
	nic := s.outbox.chooseNIC(r, o, to)
	m.Src, m.Dst = r.host*nics+nic, to*nics+nic
	if s.world.spec.Overtaking {
		switch {
		case o.how == putData && o.tag != NoTag:
			m.Order = s.puts.number(r.id, o.dst)
		case o.how == sumData || o.how == exchangeData:
			m.Order = s.sums.number(r.id, o.dst)
		case o.how == cancelRequest:
			m.Order = s.messages.number(r.id, o.dst)
		}
	}
	s.outbox.wait(slot, id, m)
}

// answerDone makes the NIC that received a message answer that the operation is complete.
func (s *rma) answerDone(m *fabric.Message, handle uint32) {
	_, done := s.outbox.reply(m, s.schedule.now)
	done.Flags |= accessDone
	done.Payload = handle
}

// locksState goes over the locks of regions. The regions themselves are there.
func (s *rma) locksState(v *snapshot.Visitor) {
	for _, own := range s.regions {
		if v.Length(len(own)) != len(own) {
			v.Fail(errJournal)
			return
		}
		for _, g := range own {
			if g != nil {
				snapshot.Value(v, &g.lock)
			}
		}
	}
}
