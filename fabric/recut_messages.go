package fabric

import (
	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
	"fabricast/internal/cluster"
	"fabricast/internal/snapshot"
)

// If cells move between processes, the host that created a message may be in another process than
// the block that the message's ID names. The ID is still returned to that block when the message is
// released. Several processes may have copies of a message: the copy in the sender's process has
// its position in queues, and the copy in the destination's process has the number of packets
// received.

// numberBirths makes a block count, for each message index, how often it has been assigned. This
// count is the birth of the message.
func numberBirths(n *Network, b *Block, births []uint32) {
	if n.births == nil {
		n.births = make([]core.Array[uint32], len(n.parts.cuts)-1)
	}
	n.births[b.nics.Index] = core.ArrayOf(births)
	if n.here(b.nics.Index) {
		b.nics.Messages.Births = n.births[b.nics.Index]
	}
}

// birthOf returns a pointer to the birth of a message as this process knows it, or nil if births
// are not counted.
func (a *across) birthOf(id model.MsgID) *uint32 {
	n := a.net
	if n.births == nil {
		return nil
	}
	owner, index := n.blocks[a.first].nics.Messages.Owner(id)
	return n.births[owner].At(index)
}

// shareLive returns, by block and index, the births of all messages that have not been released.
func (a *across) shareLive() [][]uint32 {
	live := make([][]uint32, len(a.net.blocks))
	var own []byte
	for _, b := range a.net.Blocks() {
		live[b.nics.Index] = b.nics.Messages.Live()
		own = appendRaw(own, []uint32{uint32(len(live[b.nics.Index]))})
		own = appendRaw(own, live[b.nics.Index])
	}
	to := make([][]byte, a.group.Size())
	for p := range to {
		if p != a.group.Rank() {
			to[p] = own
		}
	}
	for p, data := range cluster.Ship(a.group, to) {
		if p == a.group.Rank() {
			continue
		}
		r := reader{data}
		for i, of := range a.process {
			if int(of) == p {
				live[i] = readRaw[uint32](&r, nil, one[uint32](&r))
			}
		}
	}
	return live
}

// dropOld removes the copies of other processes' messages that have been released.
func (a *across) dropOld(live [][]uint32) {
	t := &a.net.blocks[a.first].nics.Messages
	for block, c := range a.copies {
		if a.net.here(block) {
			continue
		}
		last := uint32(0)
		for index := uint32(1); index <= c.messages; index++ {
			id := model.MsgID(uint32(block)<<t.IndexBits | index)
			if a.valid(live, id) {
				last = index
				continue
			}
			*t.At(id), *a.birthOf(id) = model.Message{}, 0
		}
		a.copies[block].messages = last
		a.copies[block].extras = min(c.extras, last)
	}
}

// valid reports whether this process has the message to which the ID currently refers.
func (a *across) valid(live [][]uint32, id model.MsgID) bool {
	owner, index := a.net.blocks[a.first].nics.Messages.Owner(id)
	return index < uint32(len(live[owner])) && live[owner][index] != 0 &&
		*a.birthOf(id) == live[owner][index]
}

// movedMessage is a message that one process passes to another.
type movedMessage struct {
	message model.Message
	id      model.MsgID
	_       uint32
}

// messages visits the messages that a process knows, to pass them to a process that gets routers.
func (r *relocation) messages(v *snapshot.Visitor, from int) {
	n := r.cells.net
	t := &n.blocks[r.a.first].nics.Messages
	var list []movedMessage
	var extras []model.Extra // Extras of those messages that have one
	if !v.Restores() {
		for block := range r.live {
			for index := range r.live[block] {
				id := model.MsgID(uint32(block)<<t.IndexBits | uint32(index))
				if !r.a.valid(r.live, id) {
					continue
				}
				list = append(list, movedMessage{message: *t.At(id), id: id})
				if t.At(id).Flags&model.HasExtra != 0 {
					extras = append(extras, *t.Extra(id))
				}
			}
		}
	}
	snapshot.List(v, &list)
	snapshot.List(v, &extras)
	if !v.Restores() {
		return
	}
	for i := range list {
		var x *model.Extra
		if list[i].message.Flags&model.HasExtra != 0 {
			x, extras = &extras[0], extras[1:]
		}
		r.take(from, list[i].id, &list[i].message, x)
	}
}

// take updates a message from the copy of process `from`, where that copy has newer data. x may be
// nil.
func (r *relocation) take(from int, id model.MsgID, m *model.Message, x *model.Extra) {
	t := &r.cells.net.blocks[r.a.first].nics.Messages
	own := t.At(id)
	owner, index := t.Owner(id)
	next, known := own.Next, r.a.valid(r.live, id)
	sends, gets := r.was(m.Src) == from, r.was(m.Dst) == from
	switch {
	case !known || sends && gets:
	case own.Left == model.Unposted && (m.Left != model.Unposted || sends):
	case gets && m.Left != model.Unposted:
		if m.Arriving() {
			m.Next = next // position in the queue of its source
		}
	case sends && own.Arriving():
		own.Next = m.Next
		return
	default:
		return
	}
	*own, *r.a.birthOf(id) = *m, r.live[owner][index]
	if x != nil {
		*t.Extra(id) = *x
	}
	if r.cells.net.here(int(owner)) {
		return
	}
	r.a.copied(id, x != nil)
}

// was returns the process that had the host of a NIC.
func (r *relocation) was(nic int32) int {
	l := r.cells.net.layout
	router := l.Hosts[int(nic)/l.Spec.Graph.NICsPerHost]
	return int(r.a.process[blockFrom(r.before, router)])
}
