package onesided

import (
	"fabricast/fabric"
	"fabricast/internal/snapshot"
	"fabricast/node/internal/core"
	"fabricast/node/internal/journal"
	"fabricast/node/internal/model"
	"fabricast/node/internal/observe"
	"fabricast/node/internal/schedule"
)

// One-sided communication: operations on the memory of another rank. The NICs of both ends carry
// them out; the processor of the other rank takes no part.
//
// The message has an Extra: the rank whose memory is accessed, the number of its region (Remote),
// the offset in it, the number of bytes, and the request at the origin (Local). The origin's
// processor carries out an operation on memory of its own host. The same message then describes the
// operation, but never enters the network.

// RMA carries out one-sided operations (remote memory access): those on memory that a block's ranks
// have registered, as the NICs do, and the completion of those that the block's ranks have begun.
type RMA struct {
	World      *core.Shared
	Transport  fabric.Transport
	Ranks      []core.Rank // by slot
	Requests   *core.Requests
	Failures   *core.Failures
	Stats      *observe.Tally
	Schedule   *schedule.Schedule
	Outbox     *schedule.Outbox
	Messages   *schedule.Order  // of the matching: of messages that are to be taken back
	Puts, Sums schedule.Order   // only if the network lets messages overtake one another
	Regions    [][]*Region      // by slot: memory that is open to others; nil if none has ever been
	Journal    *journal.Journal // nil: none is kept
}

// Start sends the message of a one-sided operation, or carries it out on the host itself. The
// message's size is that of the op.
func (s *RMA) Start(r *core.Rank, slot int32, o *core.Op, x *core.Remote) {
	if o.How == core.PutData || o.How == core.AccumulateData {
		r.Counters.SentMessages++
		r.Counters.SentBytes += o.Size
	}
	id, m := s.Transport.NewMessage()
	e := s.Transport.Attach(id)
	e.Gap, e.Rank, e.Local, e.Remote = o.Gap, o.Dst, o.Request, uint32(x.Region)
	e.Place, e.Length = uint64(x.Place), x.Length
	e.Value = [4]int64{x.Value[0], x.Value[1], x.Code}
	if o.How == core.GetRequest { // which is one packet: the answer is paced
		e.Value[core.ValueGap], e.Gap = int64(o.Gap), 0
	}
	m.Flags |= o.How
	m.SrcRank, m.Context, m.Tag, m.Payload = o.Source, o.Context, o.Tag, o.Payload
	m.Size, m.Sent, m.Post = o.Size, o.Sent, o.Post
	if s.World.Neighbours(r.ID, o.Dst) {
		if o.Dst != r.ID {
			m.Post += int64(s.World.Spec.Intra.Latency)
		}
		s.Schedule.Add(r, schedule.Event{At: m.Post, Kind: schedule.LocalAccess, Ref: uint32(id)})
		return
	}
	nics := int32(s.World.Spec.NICsPerHost)
	to := s.World.HostOf[o.Dst]
	nic := s.Outbox.ChooseNIC(r, o, to)
	m.Src, m.Dst = r.Host*nics+nic, to*nics+nic
	if s.World.Spec.Overtaking {
		switch {
		case o.How == core.PutData && o.Tag != model.NoTag:
			m.Order = s.Puts.Number(r.ID, o.Dst)
		case o.How == core.AccumulateData || o.How == core.ExchangeData:
			m.Order = s.Sums.Number(r.ID, o.Dst)
		case o.How == core.CancelRequest:
			m.Order = s.Messages.Number(r.ID, o.Dst)
		}
	}
	s.Outbox.Wait(slot, id, m)
}

// answerDone makes the NIC that received a message answer that the operation is complete.
func (s *RMA) answerDone(m *fabric.Message, handle uint32) {
	_, done := s.Outbox.Reply(m, s.Schedule.Now)
	done.Flags |= core.AccessDone
	done.Payload = handle
}

// LocksState goes over the locks of regions. The regions themselves are there.
func (s *RMA) LocksState(v *snapshot.Visitor) {
	for _, own := range s.Regions {
		if v.Length(len(own)) != len(own) {
			v.Fail(journal.ErrJournal)
			return
		}
		for _, g := range own {
			if g != nil {
				snapshot.Value(v, &g.Lock)
			}
		}
	}
}
