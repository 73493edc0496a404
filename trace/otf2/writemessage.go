package otf2

import "fabricast/trace"

// anySize is the minimum size, in bytes, that marks a receive of unknown size.
const anySize = 1 << 40

// address returns the communicator ID of message m, and the rank of the peer in the communicator.
func (k *Rank) address(m *trace.Message) (comm uint64, peer uint32) {
	comm = commOf(k.group(m.Group), m.Options.Context&1)
	if m.Group == trace.Self {
		if m.Peer != k.rank && m.Peer != trace.Any {
			k.fail("a message to rank %d in a communicator of the rank alone", m.Peer)
		}
		return comm, 0
	}
	if m.Peer == trace.Any {
		return comm, 0
	}
	place, found := k.w.place(m.Group, m.Peer)
	if !found {
		k.fail("a message with rank %d, which is not in the message's communicator (%d)", m.Peer, m.Group)
	}
	return comm, place
}

// message writes a send or receive event.
func (k *Rank) message(kind byte, m *trace.Message) {
	comm, peer := k.address(m)
	if kind == evIrecv {
		k.span.received += m.Size
	} else {
		k.span.sent += m.Size
	}
	f := appendInt32(k.fields[:0], peer)
	f = appendInt(f, comm)
	f = appendInt32(f, uint32(m.Tag))
	f = appendInt(f, uint64(m.Size))
	if kind == evIsend || kind == evIrecv {
		f = appendInt(f, m.Request)
	}
	k.fields = f
	k.b = appendRecord(k.b[:0], kind, f)
	k.emit(k.b)
}

// startMessage writes the call of a nonblocking send or receive.
func (k *Rank) startMessage(m *trace.Message, end int64) {
	k.opened(m.Request, started{message: *m})
	if m.Receive {
		k.call(inIrecv, end, func() { k.post(m) })
		return
	}
	k.call(inIsend, end, func() {
		for _, o := range [...]struct{ id, value uint64 }{
			{atProtocol, uint64(m.Options.Protocol)},
			{atCopies, uint64(m.Options.Copies)},
			{atNIC, uint64(uint32(m.Options.NIC))},
			{atGap, uint64(m.Options.Gap)},
		} {
			if o.value != 0 {
				k.attribute(o.id, o.value)
			}
		}
		k.message(evIsend, m)
	})
}

// post writes the event that starts a nonblocking receive, with attributes that describe the
// receive.
func (k *Rank) post(m *trace.Message) {
	k.pattern(m)
	k.single(evIrecvRequest, m.Request)
}

// pattern adds attributes to the next event that describe a receive or probe: its source, tag,
// communicator and size.
func (k *Rank) pattern(m *trace.Message) {
	comm, _ := k.address(m)
	k.attribute(atSource, uint64(m.Peer+1))
	k.attribute(atTag, uint64(uint32(m.Tag)))
	k.attribute(atComm, comm)
	k.attribute(atSize, uint64(m.Size))
	if m.Options.Context > 1 {
		k.attribute(atContext, uint64(m.Options.Context))
	}
}

// access writes the call of a put or get.
func (k *Rank) access(r *trace.Record, end int64) {
	m := &r.Message
	if m.Request != 0 {
		k.opened(m.Request, started{oneSided: true})
	}
	k.puts = true
	region, kind := inPut, byte(evRmaPut)
	if r.Kind == trace.Get {
		region, kind = inGet, evRmaGet
	}
	k.call(region, end, func() {
		comm, _ := k.address(m)
		if r.Kind == trace.Put {
			k.attribute(atTag, uint64(uint32(m.Tag)))
			k.attribute(atComm, comm)
			k.attribute(atContext, uint64(m.Options.Context))
		}
		if m.Options.NIC != 0 {
			k.attribute(atNIC, uint64(uint32(m.Options.NIC)))
		}
		if m.Options.Gap != 0 {
			k.attribute(atGap, uint64(m.Options.Gap))
		}
		f := appendInt32(appendInt(k.fields[:0], window), uint32(m.Peer))
		k.fields = appendInt(appendInt(f, uint64(m.Size)), m.Request)
		k.b = appendRecord(k.b[:0], kind, k.fields)
		k.emit(k.b)
	})
}

// receive writes the call of a blocking receive.
func (k *Rank) receive(r *trace.Record, end int64) {
	k.call(inRecv, end, func() { k.received(&r.Message) })
}

// exchange writes a call of MPI_Sendrecv.
func (k *Rank) exchange(r *trace.Record, end int64) {
	k.call(inSendrecv, end, func() {
		k.message(evSend, &r.Message)
		k.received(&r.Other)
	})
}

// received writes the event of a message that a blocking call receives. The source, tag or size of
// the message may be unknown.
func (k *Rank) received(m *trace.Message) {
	if m.Size >= anySize || !named(m) {
		k.pattern(m)
	}
	if named(m) {
		k.message(evRecv, sized(m))
		return
	}
	k.parameter(unknownParameter, m.Request)
}

// named reports whether the receive m specifies both a source and a tag.
func named(m *trace.Message) bool { return m.Peer != trace.Any && m.Tag != trace.Any }

// sized returns a copy of m, with size 0 if the size is unknown.
func sized(m *trace.Message) *trace.Message {
	n := *m
	if n.Size >= anySize {
		n.Size = 0
	}
	return &n
}

// parameter writes a parameter event, see endedParameter and unknownParameter.
func (k *Rank) parameter(id, value uint64) {
	k.fields = appendInt(appendInt(k.fields[:0], id), value)
	k.b = appendRecord(k.b[:0], evParameter, k.fields)
	k.emit(k.b)
}

// wait writes a call of MPI_Waitall. See WriteAt for came.
func (k *Rank) wait(requests []uint64, end int64, came []trace.Message) {
	k.call(inWaitall, end, func() {
		for _, id := range requests {
			s, known := k.open[id]
			delete(k.open, id)
			switch {
			case !known || s.computes:
				k.parameter(endedParameter, id)
			case s.oneSided:
				k.fields = appendInt(appendInt(k.fields[:0], window), id)
				k.b = appendRecord(k.b[:0], evRmaComplete, k.fields)
				k.emit(k.b)
			case !s.message.Receive:
				k.single(evIsendComplete, id)
			default:
				var m *trace.Message
				if m, came = take(came, &s.message); m == nil && named(&s.message) {
					m = sized(&s.message)
				}
				if m == nil {
					k.parameter(endedParameter, id)
					continue
				}
				m.Request = id
				k.message(evIrecv, m)
			}
		}
	})
}

// take returns the first message in came that the receive posted matches, and the remaining
// messages. If none matches, it returns nil and came.
func take(came []trace.Message, posted *trace.Message) (*trace.Message, []trace.Message) {
	for i := range came {
		m := came[i]
		if m.Group != posted.Group || m.Options.Context != posted.Options.Context ||
			posted.Peer != trace.Any && posted.Peer != m.Peer || posted.Tag != trace.Any && posted.Tag != m.Tag {
			continue
		}
		copy(came[1:i+1], came[:i])
		return &m, came[1:]
	}
	return nil, came
}

// collective writes the call of a collective.
func (k *Rank) collective(o *trace.Operation, end int64) {
	region := regionOf(o.Kind, o.Uneven)
	if region < 0 || o.Group < 0 {
		k.fail("%s with blocks that differ", o.Kind)
		return
	}
	me, member := k.w.place(o.Group, k.rank)
	if !member {
		k.fail("%s of communicator %d, which the rank is not in", o.Kind, o.Group)
		return
	}
	n := int64(k.w.size(o.Group))
	k.call(region, end, func() {
		k.collectiveBegin()
		root := ^uint32(0)
		if rooted(o.Kind) {
			root = uint32(o.Root)
		}
		sent, received := moved(o, n, int64(me) == int64(o.Root))
		if operandSize(o.Kind, sent, received, int(n)) != o.Size {
			k.attribute(atOperand, uint64(o.Size))
		}
		if o.Blocks != nil {
			k.attribute(atBlocks, uint64(len(o.Blocks)))
			for i, size := range o.Blocks {
				k.attribute(atBlock0+uint64(i), uint64(size))
			}
			k.w.hasBlocks(len(o.Blocks))
		}
		k.collectiveEnd(region, o.Group, root, sent, received)
	})
}

func (k *Rank) collectiveBegin() {
	k.b = appendRecord(k.b[:0], evCollectiveBegin, nil)
	k.emit(k.b)
}

// collectiveEnd writes the event at the end of a collective. region is the region ID of the
// collective.
func (k *Rank) collectiveEnd(region int, group int32, root uint32, sent, received int64) {
	f := append(k.fields[:0], mpiCollectives[region-inCollective].op)
	f = appendInt(f, commOf(k.group(group), 0))
	f = appendInt32(f, root)
	f = appendInt(f, uint64(sent))
	k.fields = appendInt(f, uint64(received))
	k.b = appendRecord(k.b[:0], evCollectiveEnd, k.fields)
	k.emit(k.b)
}

// rooted reports whether a collective has a root.
func rooted(kind trace.CollectiveKind) bool {
	switch kind {
	case trace.Broadcast, trace.Gather, trace.Scatter, trace.Reduce:
		return true
	}
	return false
}

// moved returns the bytes that a rank sends and receives in a collective of n ranks. As in Score-P,
// they include the data that the rank sends to itself.
func moved(o *trace.Operation, n int64, root bool) (sent, received int64) {
	one, all := o.Size, o.Size*n
	if o.Blocks != nil {
		all = 0
		for _, size := range o.Blocks {
			all += size
		}
	}
	switch o.Kind {
	case trace.Barrier:
		return 0, 0
	case trace.Broadcast, trace.Scatter:
		if root {
			return all, one
		}
		return 0, one
	case trace.Gather, trace.Reduce:
		if root {
			return one, all
		}
		return one, 0
	case trace.Scan, trace.Exscan:
		return one, one
	}
	return all, all
}
