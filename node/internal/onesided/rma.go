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

// One-sided communication consists of operations on the memory of another rank. The NICs of both
// ends execute them; the processor of the target rank takes no part.
//
// Each message has an Extra: the rank whose memory is accessed, the ID of its region (Remote), the
// offset in the region, the number of bytes, and the request at the origin (Local). If the memory
// is on the origin's own host, the origin's processor executes the operation. The same message then
// describes the operation, but never enters the network.

// RMA executes one-sided operations (remote memory access). It performs operations on memory that
// the ranks of a block have registered, in the role of their NICs, and completes operations that
// these ranks have started.
type RMA struct {
	World      *core.Shared
	Transport  fabric.Transport
	Ranks      []core.Rank // by slot
	Requests   *core.Requests
	Failures   *core.Failures
	Stats      *observe.Tally
	Schedule   *schedule.Schedule
	Outbox     *schedule.Outbox
	Messages   *schedule.Order // order of messages that take part in matching, for cancel requests
	Puts, Sums schedule.Order  // used only if messages may overtake one another in the network
	// by slot: memory that other ranks may access; nil if none has ever been registered
	Regions [][]*Region
	Journal *journal.Journal // nil if no journal is kept
}

// Start sends the message of a one-sided operation, or executes the operation on the same host. The
// size of the message is that of o.
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
	if o.How == core.GetRequest { // a request is a single packet; the gap applies to the reply
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

// answerDone makes the NIC that has received a message reply that the operation is complete.
func (s *RMA) answerDone(m *fabric.Message, handle uint32) {
	_, done := s.Outbox.Reply(m, s.Schedule.Now)
	done.Flags |= core.AccessDone
	done.Payload = handle
}

// LocksState saves or restores the locks of regions. The regions themselves must exist.
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
