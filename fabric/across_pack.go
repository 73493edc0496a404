package fabric

import (
	"unsafe"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
	"fabricast/internal/cluster"
)

// The data that one process sends to another in a window is one byte string. It uses the memory
// layout of the records, since all processes run the same program on the same kind of machine:
//
//	progress  progressHead
//	control   number of bytes, control messages
//	boxes     number, then for each: boxHead, packets, credits, notices about streams, released messages
//	contents  number, then for each: contentHead, bytes
//	records   number, then for each: recordHead, Message, and Extra if it has one
//	divisions if latencies are divided: number, dividedMessages
//	queues    the publications of packPublished, at the very end
//
// The record of a message is sent along with its first packet to a process. The process of the
// message's sender always has the record.

// progressHead is the progress of a process, for progress reports in other processes.
type progressHead struct {
	packets, delivered, hops uint64
	endpoints                EndpointProgress
}

// progress returns the progress of this process.
func (a *across) progress() (head progressHead) {
	for _, b := range a.net.blocks[a.first:a.end] {
		head.packets += b.nics.Counters.PublishedPackets.Load()
		head.delivered += b.nics.Counters.PublishedDelivered.Load()
		head.hops += b.nics.Counters.PublishedHops.Load()
	}
	if c := a.keeper(); c != nil {
		head.endpoints = c.Progress()
	}
	return head
}

// keeper returns the endpoint that represents this process, or nil if no endpoint implements
// Contents.
func (a *across) keeper() Contents {
	c, _ := a.net.blocks[a.first].nics.Endpoint.(Contents)
	if cells := a.net.cells; cells.move {
		first, _ := cells.of(a.net.blocks[a.first])
		c, _ = cells.endpoints[first].(Contents)
	}
	return c
}

// keeperOf returns the endpoint that stores the contents of messages of a host of this process.
func (a *across) keeperOf(host int32) Contents {
	e := a.net.blocks[a.net.blockOf(a.net.layout.Hosts[host])].nics.Endpoint
	if cells := a.net.cells; cells.move {
		e = cells.endpoints[cells.at(host)]
	}
	c, _ := e.(Contents)
	return c
}

// progressOf stores the progress of another process.
func (a *across) progressOf(process int, head progressHead) {
	first, _ := blocksOf(process, a.group.Size(), len(a.process))
	c := &a.net.blocks[first].nics.Counters
	c.PublishedPackets.Store(head.packets)
	c.PublishedDelivered.Store(head.delivered)
	c.PublishedHops.Store(head.hops)
	if c := a.keeper(); c != nil {
		c.ProgressOf(process, head.endpoints)
	}
}

// boxHead is the header of a box.
type boxHead struct {
	from, to                   uint32 // sending and receiving block
	packets, credits, released uint32
	riders, feedback           uint32
	arrivals, departures       uint32
	over                       [core.SizeClasses]uint32
	first                      int64
}

// contentHead is the header of the contents of a message.
type contentHead struct {
	mark, label uint64
	id          model.MsgID
	size        uint32
}

// pack appends the data that blocks of this process sent to those of process p in their last round,
// the progress of this process, control messages, and publications. If there is nothing but
// progress, it appends nothing.
func (a *across) pack(out []byte, p int, messages [][]byte, published []byte) []byte {
	begin := len(out)
	out = appendRaw(out, []progressHead{a.progress()})
	out = appendRaw(out, []uint32{uint32(len(messages[p]))})
	out = append(out, messages[p]...)
	out, some := a.packSent(out, p)
	if !some && len(messages[p]) == 0 && published == nil {
		return out[:begin]
	}
	return append(out, published...)
}

// packSent appends the data that blocks of this process sent to those of process p in their last
// round, and reports whether there is any.
func (a *across) packSent(out []byte, p int) (with []byte, some bool) {
	out, boxes := reserveCount(out)
	for from := a.first; from < a.end; from++ {
		b := a.net.blocks[from]
		for to, of := range a.process {
			if x := b.nics.Mail.To(uint32(to)); int(of) == p && x.Filled() {
				out = packBox(out, uint32(from), uint32(to), x)
				boxes.add(out)
			}
		}
	}
	out, contents := reserveCount(out)
	for from := a.first; from < a.end; from++ {
		for _, c := range a.net.blocks[from].nics.Mail.Contents {
			if int(c.To) == p {
				var some bool
				if out, some = a.packContents(out, from, c.ID); some {
					contents.add(out)
				}
			}
		}
	}
	out, records := reserveCount(out)
	out = a.packRecords(out, p, records)
	if a.net.divisions != nil {
		out = a.packDivisions(out, p)
	}
	return out, boxes.n+contents.n > 0
}

// packDivisions appends the divisions of the latencies of messages whose last packet goes to process p.
func (a *across) packDivisions(out []byte, p int) []byte {
	out, c := reserveCount(out)
	for from := a.first; from < a.end; from++ {
		b := a.net.blocks[from]
		for to, of := range a.process {
			if int(of) != p {
				continue
			}
			for id := range b.nics.Mail.To(uint32(to)).LastPackets() {
				d := b.nics.Messages.Division(id)
				out = appendRaw(out, []dividedMessage{{id: id, division: *d}})
				d.Begun = false // the other process goes on with it
				c.add(out)
			}
		}
	}
	return out
}

// dividedMessage is the division of a message's latency as far as it is known.
type dividedMessage struct {
	id       model.MsgID
	_        uint32
	division core.Division
}

// count is a counter stored in a buffer. It is incremented as items are appended.
type count struct {
	at int
	n  uint32
}

func reserveCount(out []byte) ([]byte, *count) {
	c := &count{at: len(out)}
	return appendRaw(out, []uint32{0}), c
}

func (c *count) add(out []byte) {
	c.n++
	copy(out[c.at:], cluster.Bytes([]uint32{c.n}))
}

func packBox(out []byte, from, to uint32, x *core.Box) []byte {
	head := boxHead{
		from: from, to: to, first: x.First, over: x.Over,
		packets: uint32(len(x.Packets)), credits: uint32(len(x.Credits)), released: uint32(len(x.Released)),
		riders: uint32(len(x.Riders)), feedback: uint32(len(x.Feedback)),
		arrivals: uint32(len(x.Arrivals)), departures: uint32(len(x.Departures)),
	}
	out = appendRaw(out, []boxHead{head})
	out = appendRaw(out, x.Packets)
	out = appendRaw(out, x.Credits)
	out = appendRaw(out, x.Arrivals)
	out = appendRaw(out, x.Departures)
	out = appendRaw(out, x.Released)
	out = appendRaw(out, x.Riders)
	return appendRaw(out, x.Feedback)
}

// packContents appends the contents of a message of a block, and removes them from the endpoint. It
// reports whether there are any.
func (a *across) packContents(out []byte, block int, id model.MsgID) (with []byte, some bool) {
	b := a.net.blocks[block]
	m := b.Message(id)
	body, ok := a.keeperOf(b.nics.Send.HostOf(m.Src)).TakeContents(m)
	if !ok {
		return out, false
	}
	m.Payload = 0
	head := contentHead{mark: body.Mark, label: body.Label, id: id, size: uint32(len(body.Data))}
	out = appendRaw(out, []contentHead{head})
	return append(out, body.Data...), true
}

// packRecords appends the records of the messages whose packets go to process p.
func (a *across) packRecords(out []byte, p int, c *count) []byte {
	for from := a.first; from < a.end; from++ {
		b := a.net.blocks[from]
		for to, of := range a.process {
			if int(of) != p {
				continue
			}
			x := b.nics.Mail.To(uint32(to))
			for i := range x.Packets {
				out = a.packRecord(out, p, x.Packets[i].Packet.Msg, c)
			}
			for i := range x.Arrivals {
				if x.Arrivals[i].Fewer == 0 {
					out = a.packRecord(out, p, x.Arrivals[i].Packet.Msg, c)
				}
			}
		}
	}
	return out
}

// packRecord appends the record of a message, unless process p is known to have it.
func (a *across) packRecord(out []byte, p int, id model.MsgID, c *count) []byte {
	if a.has(p, id) || !a.forgotten(p, id) {
		return out
	}
	messages := &a.net.blocks[a.first].nics.Messages
	m, head := messages.At(id), recordHead{id: id}
	if birth := a.birthOf(id); birth != nil {
		head.birth = *birth
	}
	out = appendRaw(out, []recordHead{head})
	out = appendRaw(out, []model.Message{*m})
	if m.Flags&model.HasExtra != 0 {
		out = appendRaw(out, []model.Extra{*messages.Extra(id)})
	}
	c.add(out)
	return out
}

// recordHead is the header of a message's record.
type recordHead struct {
	id    model.MsgID
	birth uint32 // see core.MessageTable.Births; 0 if births are not counted
}

// has reports whether process p created a message, and therefore has its record. If cells move
// between processes, p's record may predate the posting of the message, so has returns false.
func (a *across) has(p int, id model.MsgID) bool {
	owner, _ := a.net.blocks[a.first].nics.Messages.Owner(id)
	return a.net.births == nil && int(a.process[owner]) == p
}

// forgotten reports whether process p may lack the record of a message, and remembers that it has
// the record from now on.
func (a *across) forgotten(p int, id model.MsgID) bool {
	post := a.net.blocks[a.first].nics.Messages.At(id).Post
	k := &a.known[p][uint32(id)*2654435761>>22&uint32(len(a.known[p])-1)]
	if k.id == uint32(id) && k.post == post {
		return false
	}
	*k = knownRecord{uint32(id), post}
	return true
}

// unpack processes the data that another process sent in a round.
func (a *across) unpack(data []byte, round uint64, process int) {
	r := reader{data}
	a.progressOf(process, one[progressHead](&r))
	a.control.Deliver(process, r.next(int(one[uint32](&r))))
	a.unpackSent(&r, round)
	if len(r.rest) > 0 {
		a.unpackPublished(&r)
	}
}

// unpackSent reads the data appended by packSent in another process. Afterwards, the boxes of that
// process's blocks hold what they sent in the given round.
func (a *across) unpackSent(r *reader, round uint64) {
	for range one[uint32](r) {
		head := one[boxHead](r)
		x := &a.net.blocks[head.from].nics.Mail.Boxes[int(head.to)-a.first][round&1]
		x.Packets = readRaw(r, x.Packets[:0], head.packets)
		x.Credits = readRaw(r, x.Credits[:0], head.credits)
		x.Arrivals = readRaw(r, x.Arrivals[:0], head.arrivals)
		x.Departures = readRaw(r, x.Departures[:0], head.departures)
		x.Released = readRaw(r, x.Released[:0], head.released)
		x.Riders = readRaw(r, x.Riders[:0], head.riders)
		x.Feedback = readRaw(r, x.Feedback[:0], head.feedback)
		x.Over, x.First = head.over, head.first
		a.filled[round&1] = append(a.filled[round&1], x)
	}
	for range one[uint32](r) {
		a.unpackContents(r)
	}
	for range one[uint32](r) {
		a.unpackRecord(r)
	}
	if a.net.divisions == nil {
		return
	}
	for range one[uint32](r) {
		d := one[dividedMessage](r)
		*a.net.blocks[a.first].nics.Messages.Division(d.id) = d.division
	}
}

// unpackContents reads and stores the contents of a message.
func (a *across) unpackContents(r *reader) {
	head := one[contentHead](r)
	owner, _ := a.net.blocks[a.first].nics.Messages.Owner(head.id)
	a.contents[head.id] = a.keeper().KeepContents(
		int(a.process[owner]), Body{r.next(int(head.size)), head.mark, head.label},
	)
}

// unpackRecord reads the record of a message, and stores it unless this process has it already.
func (a *across) unpackRecord(r *reader) {
	head, m := one[recordHead](r), one[model.Message](r)
	id := head.id
	var x model.Extra
	if m.Flags&model.HasExtra != 0 {
		x = one[model.Extra](r)
	}
	messages := &a.net.blocks[a.first].nics.Messages
	a.copied(id, m.Flags&model.HasExtra != 0)
	own := messages.At(id)
	// a copy restored from a file may be older than the posting of its message
	known := own.Left != model.Unposted
	if birth := a.birthOf(id); birth != nil {
		known = known && *birth == head.birth
		*birth = head.birth
	}
	if known && own.Src == m.Src && own.Dst == m.Dst && own.Post == m.Post && own.Sent == m.Sent &&
		own.Size == m.Size {
		return
	}
	*own = m
	if m.Flags&model.HasExtra != 0 {
		*messages.Extra(id) = x
	}
	if handle, ok := a.contents[id]; ok {
		own.Payload = handle
		delete(a.contents, id)
	}
}

func appendRaw[T any](out []byte, s []T) []byte { return append(out, cluster.Bytes(s)...) }

// reader reads the data appended by pack.
type reader struct{ rest []byte }

func (r *reader) next(n int) []byte {
	data := r.rest[:n]
	r.rest = r.rest[n:]
	return data
}

// readRaw reads n values and appends them to a slice.
func readRaw[T any](r *reader, to []T, n uint32) []T {
	var t T
	size := int(unsafe.Sizeof(t))
	data := r.next(int(n) * size)
	for range n {
		to = append(to, t)
	}
	copy(cluster.Bytes(to[len(to)-int(n):]), data)
	return to
}

// one reads the next value.
func one[T any](r *reader) T {
	var t [1]T
	copy(cluster.Bytes(t[:]), r.next(int(unsafe.Sizeof(t))))
	return t[0]
}
