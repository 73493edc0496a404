package fabric

import (
	"fmt"

	"fabricast/engine"
	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/internal/switched"
	"fabricast/fabric/model"
	"fabricast/internal/cluster"
)

// across connects the blocks of this process with those of the other processes of a run. Every
// process has a Block for each block of the network. The blocks of other processes only hold the
// data they send to this process, copies of their messages, and sums for statistics.
type across struct {
	group      cluster.Group
	net        *Network
	first, end int     // blocks of this process: first to end-1
	process    []int32 // by block: its process
	round      uint64  // the last round that was exchanged
	// boxes of other processes' blocks that have been filled, by round modulo 2
	filled [2][]*core.Box
	// by process: messages whose records this process has sent to it
	known [][]knownRecord
	// by message: Payload of contents received before the first packet of the message
	contents map[model.MsgID]uint32
	control  *cluster.Control
	out      [][]byte  // by process: buffer for the data to be sent
	agreed   []int64   // buffer for values that the processes agree on
	near     *vicinity // nil if all processes synchronize with each other
	use      *otherUse // traffic sent by the ports and NICs of other processes; nil before ShareUse
	waits    map[uint32]waitRecord
	// by block: the copies of its messages in this process
	copies []copies
	// by block and message: hashes of copies restored from a file (see printOf)
	restored [][]uint64
}

// copies says up to which index this process has copies of the messages of another process's block.
type copies struct{ messages, extras uint32 } // highest index of any copied message, and of any copied Extra

// knownRecord identifies a message whose record another process has. Besides the ID it holds the
// time of posting, because a message that reuses an ID is posted later.
type knownRecord struct {
	id   uint32
	post int64 // when the message was posted (ps)
}

// knownRecords is the number of messages remembered per process, a power of two. The record of a
// forgotten message is sent again.
const knownRecords = 1 << 10

// Contents is an Endpoint whose messages may have contents (Message.Payload) that must be
// transferred along with them to another process.
type Contents interface {
	// TakeContents removes the contents of a message and returns them. It returns false if the
	// message's Payload can be transferred as it is.
	TakeContents(m *model.Message) (body Body, ok bool)
	// KeepContents stores contents received from another process, and returns the message's Payload
	// in this process. The body's Data is valid only during the call.
	KeepContents(process int, body Body) uint32
	// Progress returns the progress of this process. ProgressOf stores the progress of another
	// process.
	Progress() EndpointProgress
	ProgressOf(process int, p EndpointProgress)
}

// Body is the contents of a message transferred to another process: bytes, and two words that only
// endpoints interpret.
type Body struct {
	Data        []byte
	Mark, Label uint64
}

// Control returns the channel for control messages, which travel together with the packets sent to
// other processes. It returns nil if there is only one process.
func (n *Network) Control() *cluster.Control {
	if n.across == nil {
		return nil
	}
	return n.across.control
}

// EndpointProgress is the progress of the endpoints of a process.
type EndpointProgress struct {
	Arrived  int64 // received messages
	Finished int64 // ranks whose program has ended
}

// NewAcross builds the network of a Spec for a run that the processes of a group share. blocks is
// the total number of blocks of all processes; each process has at least one. This process
// simulates the blocks returned by Blocks. NewAcross returns the same errors as New, and an error
// if there are fewer routers than processes.
func NewAcross(spec model.Spec, blocks int, group cluster.Group) (*Network, error) {
	if !cluster.Several(group) {
		return New(spec, blocks)
	}
	if spec.Graph.Routers < group.Size() {
		return nil, fmt.Errorf(
			"%d processes share a network of %d routers: at most one process a router is of use",
			group.Size(), spec.Graph.Routers,
		)
	}
	return build(spec, max(blocks, group.Size()), switched.Needed(&spec), group)
}

// newAcross divides the blocks of a network among the processes. It returns nil if there is only
// one process.
func newAcross(n *Network, blocks int, group cluster.Group) *across {
	if !cluster.Several(group) {
		return nil
	}
	size := group.Size()
	first, end := blocksOf(group.Rank(), size, blocks)
	a := &across{
		group: group, net: n, first: first, end: end,
		process: make([]int32, blocks), known: make([][]knownRecord, size),
		contents: make(map[model.MsgID]uint32), out: make([][]byte, size), copies: make([]copies, blocks),
		control: cluster.NewControl(group),
	}
	for p := range size {
		first, end := blocksOf(p, size, blocks)
		for b := first; b < end; b++ {
			a.process[b] = int32(p)
		}
		a.known[p] = make([]knownRecord, knownRecords)
	}
	return a
}

// blocksOf returns the blocks of a process, first to end-1.
func blocksOf(process, processes, blocks int) (first, end int) {
	return process * blocks / processes, (process + 1) * blocks / processes
}

// blocksOf returns the blocks of a process, first to end-1. For a process equal to the number of
// processes, it returns an empty range.
func (a *across) blocksOf(process int) (first, end int) {
	return blocksOf(process, a.group.Size(), len(a.process))
}

// copied records that this process has a copy of a message, and of its Extra if extra is set.
func (a *across) copied(id model.MsgID, extra bool) {
	owner, index := a.net.blocks[a.first].nics.Messages.Owner(id)
	c := &a.copies[owner]
	c.messages = max(c.messages, index)
	if extra {
		c.extras = max(c.extras, index)
	}
}

// here reports whether this process simulates the given block.
func (n *Network) here(block int) bool {
	return n.across == nil || n.across.first <= block && block < n.across.end
}

// newElsewhere returns the representation of a block that another process simulates.
func (n *Network) newElsewhere(index int) *Block {
	b := &Block{net: n, nics: &nic.NICs{}}
	b.saver.of = b
	b.arena.Growing = true
	b.place(index, n.across.end-n.across.first)
	b.nics.Mail.Base = n.across.first
	return b
}

// takeAlong records that the contents of a message must be transferred, if its destination is in
// another process. Block.Post calls it.
func (b *Block) takeAlong(id model.MsgID, m *model.Message) {
	a := b.net.across
	if a == nil {
		return
	}
	to := a.process[b.net.blockOf(b.nics.Hosts[b.nics.Send.HostOf(m.Dst)])]
	if int(to) != a.group.Rank() {
		b.nics.Mail.Contents = append(b.nics.Mail.Contents, core.ContentMail{ID: id, To: to})
	}
}

// Joint is the part of a network that this process simulates, in the form in which the engine
// connects it with the other processes.
type Joint struct{ net *Network }

// Joint returns this process's part of a network that several processes share.
func (n *Network) Joint() engine.Processes { return Joint{n} }

// Least implements engine.Processes.
func (j Joint) Least(values []int64) { j.net.across.group.Least(values) }

// mostSwapped is the maximum number of processes that exchange the values they have to agree on
// directly, within the message of a window. Larger groups use a reduction first, which needs fewer
// messages.
const mostSwapped = 8

// Agree implements engine.Processes.
func (j Joint) Agree(values []int64) {
	a := j.net.across
	sent := a.sent()
	if a.group.Size() <= mostSwapped {
		a.swap(values, sent)
		return
	}
	a.agreed = append(a.agreed[:0], values...)
	anything := int64(0)
	if sent {
		anything = -1
	}
	a.agreed = append(a.agreed, anything)
	a.group.Least(a.agreed)
	copy(values, a.agreed)
	if round, begins := a.begin(); begins && a.agreed[len(values)] < 0 {
		a.fill(nil, true)
		a.spread(a.group.Exchange(a.out), round, 0)
	}
}

// swap implements Agree by one message from each process to every other.
func (a *across) swap(values []int64, sent bool) {
	round, _ := a.begin()
	a.fill(values, sent)
	from := a.group.Swap(a.out)
	for p, data := range from {
		if p == a.group.Rank() {
			continue
		}
		r := reader{data}
		for i := range values {
			values[i] = min(values[i], one[int64](&r))
		}
	}
	a.spread(from, round, len(values)*8)
}

// sent reports whether blocks of this process have sent anything to other processes in their last
// round, if that round has not been exchanged yet.
func (a *across) sent() bool {
	n := a.net
	own := n.blocks[a.first:a.end]
	if own[0].nics.Mail.Round == a.round {
		return false
	}
	if a.publishes() || a.control.Pending() {
		return true
	}
	for _, b := range own {
		if len(b.nics.Mail.Contents) > 0 {
			return true
		}
		for to := range n.blocks {
			if !n.here(to) && b.nics.Mail.To(uint32(to)).Filled() {
				return true
			}
		}
	}
	return false
}

// begin returns the blocks' last round. If nothing of that round has been exchanged yet, begin
// empties the boxes of other processes' blocks for it, and begins is true.
func (a *across) begin() (round uint64, begins bool) {
	round = a.net.blocks[a.first].nics.Mail.Round
	if round == a.round {
		return round, false
	}
	a.round = round
	a.emptyFilled(round)
	return round, true
}

// fill builds the messages to the other processes. They contain values and, if sent is true, the
// data that blocks have sent.
func (a *across) fill(values []int64, sent bool) {
	var messages [][]byte
	if sent {
		messages = a.control.Take()
	}
	var published []byte
	if sent && a.publishes() {
		published = a.packPublished(nil)
	}
	for p := range a.out {
		a.out[p] = a.out[p][:0]
		if p == a.group.Rank() {
			continue
		}
		a.out[p] = appendRaw(a.out[p], values)
		if sent {
			a.out[p] = a.pack(a.out[p], p, messages, published)
		}
	}
	if sent {
		for _, b := range a.net.blocks[a.first:a.end] {
			b.nics.Mail.Contents = b.nics.Mail.Contents[:0]
		}
	}
}

// spread unpacks the messages of the other processes, starting at byte `first` of each.
func (a *across) spread(from [][]byte, round uint64, first int) {
	for p, data := range from {
		if p != a.group.Rank() && len(data) > first {
			a.unpack(data[first:], round, p)
		}
	}
}
