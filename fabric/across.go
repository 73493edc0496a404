package fabric

import (
	"fmt"

	"fabricast/fabric/internal/core"
	"fabricast/fabric/internal/nic"
	"fabricast/fabric/internal/switched"
	"fabricast/fabric/model"
	"fabricast/internal/cluster"
)

// across joins the blocks of this process to those of the other processes of a run. Every process
// has all blocks of the network. Those of others only hold what they send to this process, copies
// of their messages, and sums for statistics.
type across struct {
	group      cluster.Group
	net        *Network
	first, end int     // blocks of this process
	process    []int32 // by block
	round      uint64  // that was carried last
	// boxes of other processes' blocks that were filled, by round modulo 2
	filled [2][]*core.Box
	// by process: messages whose records it has got from this process
	known [][]knownRecord
	// contents that have come before the first packets of their messages, by message
	contents map[model.MsgID]uint32
	control  *cluster.Control
	out      [][]byte  // by process: buffers
	agreed   []int64   // a buffer
	near     *vicinity // nil if all processes wait for each other
	use      *otherUse // what the ports and NICs of others have sent; nil before ShareUse
	waits    map[uint32]waitRecord
	// by block: what this process has copies of
	copies []copies
	// by block and message: prints of copies that have come from a file, see printOf
	restored [][]uint64
}

// copies is how much of the messages of a block of another process this one has copies of.
type copies struct{ messages, extras uint32 } // the highest index of one

// knownRecord is a message whose record another process has. A record is known by its ID and its
// post: a message that gets the ID of an earlier one is posted later.
type knownRecord struct {
	id   uint32
	post int64 // ps
}

// knownRecords is the number of messages that are remembered for each process; a power of two. A
// message that has been forgotten is sent once more.
const knownRecords = 1 << 10

// Contents is an Endpoint of which messages have contents (Message.Payload) that must go with them
// to another process.
type Contents interface {
	// TakeContents removes the contents of a message and returns them. It returns false if the
	// message's Payload is to go there as it is.
	TakeContents(m *model.Message) (body Body, ok bool)
	// KeepContents stores contents that have come from another process, and returns the message's
	// Payload in this one. The body's Data is valid during the call only.
	KeepContents(process int, body Body) uint32
	// Progress returns how far this process has got, and ProgressOf stores how far another one has.
	Progress() EndpointProgress
	ProgressOf(process int, p EndpointProgress)
}

// Body is the contents of a message that go to another process: bytes, and two words that mean
// something to endpoints only.
type Body struct {
	Data        []byte
	Mark, Label uint64
}

// Control carries control messages together with what blocks send to other processes; nil if there is
// one process.
func (n *Network) Control() *cluster.Control {
	if n.across == nil {
		return nil
	}
	return n.across.control
}

// EndpointProgress is how far the endpoints of a process have got.
type EndpointProgress struct {
	Arrived  int64 // messages
	Finished int64 // ranks whose program has ended
}

// NewAcross builds the network of a Spec for a run over the processes of a group, with the given
// number of blocks in all of them together, at least one in each. This process simulates the blocks
// that Blocks returns. It returns an error if New would, or if there are fewer routers than processes.
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

// newAcross divides the blocks of a network among the processes. It returns nil if there is one
// process.
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

// blocksOf returns the blocks of a process: first to end-1.
func blocksOf(process, processes, blocks int) (first, end int) {
	return process * blocks / processes, (process + 1) * blocks / processes
}

// blocksOf returns the blocks of a process: first to end-1. Process number Size would have none.
func (a *across) blocksOf(process int) (first, end int) {
	return blocksOf(process, a.group.Size(), len(a.process))
}

// copied notes that this process has a copy of a message.
func (a *across) copied(id model.MsgID, extra bool) {
	owner, index := a.net.blocks[a.first].nics.Messages.Owner(id)
	c := &a.copies[owner]
	c.messages = max(c.messages, index)
	if extra {
		c.extras = max(c.extras, index)
	}
}

// here reports whether this process simulates a block.
func (n *Network) here(block int) bool {
	return n.across == nil || n.across.first <= block && block < n.across.end
}

// newElsewhere returns a block that another process simulates.
func (n *Network) newElsewhere(index int) *Block {
	b := &Block{net: n, nics: &nic.NICs{}}
	b.saver.of = b
	b.arena.Growing = true
	b.place(index, n.across.end-n.across.first)
	b.nics.Mail.Base = n.across.first
	return b
}

// takeAlong notes that a message's contents must go to another process, if that is where its
// destination is. Block.Post calls it.
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

// Joint is the part of a network that a process simulates, as the engine joins it to the others.
type Joint struct{ net *Network }

// Joint returns the part of this process. The network has several.
func (n *Network) Joint() Joint { return Joint{n} }

// Least implements engine.Processes.
func (j Joint) Least(values []int64) { j.net.across.group.Least(values) }

// mostSwapped is how many processes tell one another directly, in the message of a window, what they
// have to agree on. More of them reduce it first, which takes fewer messages.
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

// swap does what Agree does by one message from each process to each other.
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
// round that has not been carried.
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

// begin returns the blocks' last round. If nothing has been carried of it yet, it empties the boxes of
// other processes' blocks for it, and begins is true.
func (a *across) begin() (round uint64, begins bool) {
	round = a.net.blocks[a.first].nics.Mail.Round
	if round == a.round {
		return round, false
	}
	a.round = round
	for _, x := range a.filled[round&1] {
		x.Empty()
	}
	a.filled[round&1] = a.filled[round&1][:0]
	return round, true
}

// fill makes the messages for the other processes: values, and if sent is true what blocks have sent.
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

// spread takes in what the other processes have sent, from a byte of each message on.
func (a *across) spread(from [][]byte, round uint64, first int) {
	for p, data := range from {
		if p != a.group.Rank() && len(data) > first {
			a.unpack(data[first:], round, p)
		}
	}
}
