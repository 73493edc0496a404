package fabric

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/maphash"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/model"
	"fabricast/internal/cluster"
	"fabricast/internal/snapshot"
)

// The state of a network in a file is a sequence of sections (snapshot.Section), written by the
// processes that saved it, one after the other. For each of its blocks, a process writes the
// messages, all other state, the state of an observation, and, if routers publish their queues, the
// published lengths. It then writes the messages of other processes' blocks that have reached its
// hosts. A last section holds the caller's own additions.
//
// Nothing in the state depends on how blocks were divided among processes, so it can be restored
// with any division. Every process restores the messages of all blocks, since it cannot know which
// of them its packets belong to. It also restores all published lengths, since it cannot know whose
// queues its routers will read.

// Sections saves and restores the state of a network in a file.
type Sections struct{ net *Network }

// SectionsOf returns the Sections of a network.
func SectionsOf(n *Network) Sections { return Sections{n} }

// ScheduleEvents schedules the events and epochs of the network's doors after Restore, if the state was saved
// before all of them in a network that had none.
func (s Sections) ScheduleEvents() {
	for _, b := range s.net.Blocks() {
		b.general.Doors.ScheduleEvents()
	}
}

// Save writes the sections of this process. more visits the caller's own additions.
func (s Sections) Save(v *snapshot.Visitor, more func(*snapshot.Visitor)) {
	n := s.net
	for _, b := range n.Blocks() {
		snapshot.Section(v, b.nics.Messages.State)
		snapshot.Section(v, b.rest)
		snapshot.Section(v, b.observed)
		publishedOf(n, v, b)
	}
	snapshot.Section(v, func(v *snapshot.Visitor) {
		var own arrivals
		if n.across != nil {
			own = n.across.arrivals()
		}
		own.divided = dividedOf(n)
		own.state(v)
	})
	snapshot.Section(v, more)
}

// Restore reads the sections of the given number of processes, and restores the blocks of this
// process. more restores the additions of each process. observed says that the saved observation is
// resumed; otherwise there is a different observation or none. No block may have run yet.
func (s Sections) Restore(
	v *snapshot.Visitor, processes int, observed bool, more func(*snapshot.Visitor),
) {
	n := s.net
	var all []arrivals
	tables := make([]core.MessageTable, len(n.blocks))
	for p := range processes {
		first, end := blocksOf(p, processes, len(n.blocks))
		for i := first; i < end; i++ {
			snapshot.Section(v, func(v *snapshot.Visitor) { tables[i] = restoreMessages(n, v, i) })
			if n.here(i) {
				snapshot.Section(v, n.blocks[i].rest)
			} else {
				snapshot.Skip(v)
			}
			if n.here(i) && observed {
				snapshot.Section(v, n.blocks[i].observed)
			} else {
				snapshot.Skip(v)
			}
			if n.here(i) && !observed && v.Err() == nil {
				forgetObservation(n.blocks[i])
			}
			publishedOf(n, v, n.blocks[i])
		}
		var of arrivals
		snapshot.Section(v, of.state)
		all = append(all, of)
		snapshot.Section(v, more)
	}
	if v.Err() != nil {
		return
	}
	for i := range all {
		if !all[i].put(tables) {
			v.Fail(model.ErrTooMany)
		}
		putDivided(n, all[i].divided)
	}
	if n.across != nil {
		n.across.noteRestored(tables)
	}
}

// Cut returns a hash of the assignment of routers to blocks.
func (s Sections) Cut() string {
	n := s.net
	hash := sha256.New()
	_, _ = hash.Write(cluster.Bytes(n.parts.order))
	_, _ = hash.Write(cluster.Bytes(n.parts.cuts))
	return hex.EncodeToString(hash.Sum(nil)[:8])
}

// restoreMessages restores the messages of a block, and returns their table.
func restoreMessages(n *Network, v *snapshot.Visitor, block int) core.MessageTable {
	if n.here(block) {
		t := &n.blocks[block].nics.Messages
		t.State(v)
		return *t
	}
	t := n.messageTable(block)
	t.State(v)
	return t
}

// arrivals holds the messages from other processes of which hosts of this process have received
// packets. The copies show what this process knows of the messages.
type arrivals struct {
	ids      []model.MsgID
	messages []model.Message
	extras   []model.Extra // zero if a message has no Extra
	early    []earlyContents
	divided  []dividedMessage // messages whose latencies this process divides
}

// earlyContents is the Payload of a message of which only the contents have been received.
type earlyContents struct {
	ID      model.MsgID
	Payload uint32
}

func (s *arrivals) state(v *snapshot.Visitor) {
	snapshot.List(v, &s.ids)
	snapshot.List(v, &s.messages)
	snapshot.List(v, &s.extras)
	snapshot.List(v, &s.early)
	snapshot.List(v, &s.divided)
}

// dividedOf returns the divisions of latencies that this process has begun or has got from another.
func dividedOf(n *Network) (list []dividedMessage) {
	bits := n.Blocks()[0].nics.Messages.IndexBits
	for block := range n.divisions {
		for index := range lastMessage(n, block) + 1 {
			if d := n.divisions[block][index]; d.Begun {
				list = append(list, dividedMessage{id: model.MsgID(uint32(block)<<bits | index), division: d})
			}
		}
	}
	return list
}

// lastMessage returns the highest index of a block's messages that this process knows.
func lastMessage(n *Network, block int) uint32 {
	if n.here(block) {
		return n.blocks[block].nics.Messages.Used
	}
	return n.across.copies[block].messages
}

// putDivided restores those of the divisions with which a block of this process goes on. A MsgID can be
// that of several divisions: a message's block uses it again after the message has been delivered.
func putDivided(n *Network, list []dividedMessage) {
	if n.divisions == nil {
		return
	}
	for _, x := range list {
		block, index := n.Blocks()[0].nics.Messages.Owner(x.id)
		known := int(block) < len(n.divisions) && int(index) < len(n.divisions[block])
		if at := int(x.division.Block); known && at < len(n.blocks) && n.here(at) {
			n.divisions[block][index] = x.division
		}
	}
}

// arrivals returns the arrivals of this process. It excludes copies that are unchanged since they
// were restored from a file: either nothing has been received since, or their owner knows of it.
func (a *across) arrivals() (list arrivals) {
	for block, c := range a.copies {
		if a.net.here(block) {
			continue
		}
		t := a.net.messageTable(block)
		for index := uint32(1); index <= c.messages; index++ {
			id := model.MsgID(uint32(block)<<t.IndexBits | index)
			m := t.At(id)
			if *m == (model.Message{}) || !a.arrivesHere(m) || a.unchanged(&t, id) {
				continue
			}
			var x model.Extra
			if m.Flags&model.HasExtra != 0 {
				x = *t.Extra(id)
			}
			list.ids = append(list.ids, id)
			list.messages, list.extras = append(list.messages, *m), append(list.extras, x)
		}
	}
	for id, payload := range a.contents {
		list.early = append(list.early, earlyContents{id, payload})
	}
	return list
}

// arrivesHere reports whether the destination of a message is a host of this process.
func (a *across) arrivesHere(m *model.Message) bool {
	host := m.Dst / int32(a.net.layout.Spec.Graph.NICsPerHost)
	return a.net.routerHere(a.net.layout.Hosts[host])
}

// unchanged reports whether a copy still equals the one restored from a file.
func (a *across) unchanged(t *core.MessageTable, id model.MsgID) bool {
	_, index := t.Owner(id)
	if a.restored == nil || index >= uint32(len(a.restored[t.Block])) {
		return false
	}
	return a.restored[t.Block][index] == printOf(t, id)
}

var printSeed = maphash.MakeSeed()

// printOf returns a hash of a message.
func printOf(t *core.MessageTable, id model.MsgID) uint64 {
	var h maphash.Hash
	h.SetSeed(printSeed)
	m := t.At(id)
	_, _ = h.Write(cluster.Bytes([]model.Message{*m}))
	if m.Flags&model.HasExtra != 0 {
		_, _ = h.Write(cluster.Bytes([]model.Extra{*t.Extra(id)}))
	}
	return h.Sum64()
}

// noteRestored records the hashes of the copies of messages restored from a file.
func (a *across) noteRestored(tables []core.MessageTable) {
	a.restored = make([][]uint64, len(tables))
	for block := range tables {
		if a.net.here(block) {
			continue
		}
		t := &tables[block]
		a.copies[block] = copies{t.Used, t.ExtraUsed}
		prints := make([]uint64, t.Used+1)
		for index := uint32(1); index <= t.Used; index++ {
			id := model.MsgID(t.Block<<t.IndexBits | index)
			if a.arrivesHere(t.At(id)) {
				prints[index] = printOf(t, id)
			}
		}
		a.restored[block] = prints
	}
}

// put restores the state of the messages at their destinations, also in the processes of their
// owners. It returns false if there is no such message. Until the last packet has been received, a
// message is still linked in the queue of its source.
func (s *arrivals) put(tables []core.MessageTable) bool {
	if len(s.messages) != len(s.ids) || len(s.extras) != len(s.ids) {
		return false
	}
	for i, id := range s.ids {
		block, index := tables[0].Owner(id)
		if int(block) >= len(tables) || index > tables[block].Used {
			return false
		}
		m := tables[block].At(id)
		next := m.Next
		if *m = s.messages[i]; m.Arriving() {
			m.Next = next
		}
		if m.Flags&model.HasExtra == 0 {
			continue
		}
		if index > tables[block].ExtraUsed {
			return false
		}
		*tables[block].Extra(id) = s.extras[i]
	}
	for _, c := range s.early {
		block, index := tables[0].Owner(c.ID)
		if int(block) >= len(tables) || index > tables[block].Used {
			return false
		}
		tables[block].At(c.ID).Payload = c.Payload
	}
	return true
}
