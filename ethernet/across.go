package ethernet

import (
	"errors"

	"fabricast/engine"
	"fabricast/fabric"
	"fabricast/internal/cluster"
	"fabricast/internal/snapshot"
)

// across connects the blocks of this process with those of the others that share a run. Every process
// has all blocks, but those of others only hold what they have sent to this one, and the sums that
// Share brings. All that blocks send is in their boxes, so that boxes are what goes to other processes.
type across struct {
	net        *Network
	group      cluster.Group
	first, end int    // blocks of this process: first to end-1
	round      uint64 // the last round that was exchanged
	control    *cluster.Control
	agreed     []int64 // buffer for values that the processes agree on
}

// blocksOf returns the blocks of a process, first to end-1.
func blocksOf(process, processes, blocks int) (first, end int) {
	return process * blocks / processes, (process + 1) * blocks / processes
}

// blocksOf returns the blocks of a process.
func (a *across) blocksOf(process int) []*Block {
	first, end := blocksOf(process, a.group.Size(), len(a.net.blocks))
	return a.net.blocks[first:end]
}

// newAcross returns nil for one process.
func newAcross(n *Network, group cluster.Group) *across {
	if !cluster.Several(group) {
		return nil
	}
	first, end := blocksOf(group.Rank(), group.Size(), len(n.blocks))
	return &across{net: n, group: group, first: first, end: end, control: cluster.NewControl(group)}
}

// Numbers returns the number of the first block of Blocks, and that of all blocks in all processes.
func (n *Network) Numbers() (first, all int) {
	if n.across != nil {
		first = n.across.first
	}
	return first, len(n.blocks)
}

// here reports whether this process simulates a router.
func (n *Network) here(router int32) bool {
	block := int(n.block[router])
	return n.across == nil || n.across.first <= block && block < n.across.end
}

// Group returns the processes that share the run; nil if there is only one.
func (n *Network) Group() cluster.Group {
	if n.across == nil {
		return nil
	}
	return n.across.group
}

// Control returns the carrier of control messages, which travel with packets; nil in one process.
func (n *Network) Control() *cluster.Control {
	if n.across == nil {
		return nil
	}
	return n.across.control
}

// Joint returns what connects the engine with the other processes; nil if there are none.
func (n *Network) Joint() engine.Processes {
	if n.across == nil {
		return nil
	}
	return joint{n.across}
}

// joint implements engine.Processes.
type joint struct{ *across }

// Least implements engine.Processes.
func (j joint) Least(values []int64) { j.group.Least(values) }

// mostSwapped is the largest number of processes that agree by a message from each to each. More of
// them need fewer messages by a reduction.
const mostSwapped = 8

// Agree implements engine.Processes.
func (j joint) Agree(values []int64) {
	a := j.across
	round := a.net.blocks[a.first].round
	begins := round != a.round
	if begins {
		a.round = round
		a.emptyOthers()
	}
	sent := begins && a.sent()
	if a.group.Size() <= mostSwapped {
		a.swap(values, sent)
		return
	}
	anything := int64(0)
	if sent {
		anything = -1
	}
	a.agreed = append(append(a.agreed[:0], values...), anything)
	a.group.Least(a.agreed)
	copy(values, a.agreed)
	if a.agreed[len(values)] == 0 {
		return
	}
	for p, data := range a.group.Exchange(a.pack(nil, begins)) {
		a.unpack(p, data, nil)
	}
}

// swap implements Agree by one message from each process to each other.
func (a *across) swap(values []int64, sent bool) {
	others := make([]int64, len(values))
	for p, data := range a.group.Swap(a.pack(values, sent)) {
		if p == a.group.Rank() {
			continue
		}
		a.unpack(p, data, others)
		for i, v := range others {
			values[i] = min(values[i], v)
		}
	}
}

// emptyOthers empties the boxes of other processes' blocks for what they have sent in this round.
func (a *across) emptyOthers() {
	for i, b := range a.net.blocks {
		if i >= a.first && i < a.end {
			continue
		}
		b.round = a.round
		for to := a.first; to < a.end; to++ {
			b.outgoing(int32(to)).empty()
		}
	}
}

// sent reports whether this process has something for others.
func (a *across) sent() bool {
	if a.control.Pending() {
		return true
	}
	for _, b := range a.net.Blocks() {
		for to := range a.net.blocks {
			if (to < a.first || to >= a.end) && b.outgoing(int32(to)).filled() {
				return true
			}
		}
	}
	return false
}

// pack returns the message to each other process: the values on which all agree and, if sent says so,
// what its blocks were sent in this round.
func (a *across) pack(values []int64, sent bool) [][]byte {
	out := make([][]byte, a.group.Size())
	var messages [][]byte
	if sent {
		messages = a.control.Take()
	}
	for p := range out {
		if p == a.group.Rank() {
			continue
		}
		out[p] = snapshot.Pack(func(v *snapshot.Visitor) {
			snapshot.Values(v, values)
			if v.Flag(sent) {
				a.packSent(v, p, messages[p])
			}
		})
	}
	return out
}

// packSent writes control messages, progress, and the boxes that are filled, each after its blocks.
func (a *across) packSent(v *snapshot.Visitor, process int, messages []byte) {
	snapshot.List(v, &messages)
	var progress fabric.EndpointProgress
	if c := contentsOf(a.net.blocks[a.first]); c != nil {
		progress = c.Progress()
	}
	snapshot.Value(v, &progress)
	for _, b := range a.net.Blocks() {
		for _, to := range a.blocksOf(process) {
			if x := b.outgoing(to.index); x.filled() {
				v.Flag(true)
				between := [2]int32{b.index, to.index}
				snapshot.Value(v, &between)
				takeContents(v, b, x)
				x.state(v)
			}
		}
	}
	v.Flag(false)
}

// unpack reads the message of another process, and fills in its values.
func (a *across) unpack(process int, data []byte, values []int64) {
	if process == a.group.Rank() || len(data) == 0 {
		return
	}
	err := snapshot.Unpack(data, func(v *snapshot.Visitor) {
		snapshot.Values(v, values)
		if v.Flag(false) {
			a.unpackSent(v, process)
		}
	})
	if err != nil {
		panic(err)
	}
}

func (a *across) unpackSent(v *snapshot.Visitor, process int) {
	var messages []byte
	var progress fabric.EndpointProgress
	snapshot.List(v, &messages)
	snapshot.Value(v, &progress)
	a.control.Deliver(process, messages)
	if c := contentsOf(a.net.blocks[a.first]); c != nil {
		c.ProgressOf(process, progress)
	}
	for v.Flag(false) {
		var between [2]int32
		snapshot.Value(v, &between)
		x := a.net.blocks[between[0]].outgoing(between[1])
		kept := keepContents(v, process, a.net.blocks[between[1]])
		x.state(v)
		for _, k := range kept {
			x.messages[k.message].message.Payload = k.handle
		}
	}
}

// contentsOf returns the endpoint of a block, if its messages may have contents.
func contentsOf(b *Block) fabric.Contents {
	c, _ := b.endpoint.(fabric.Contents)
	return c
}

// takeContents takes the contents of the messages in a box from the endpoint of their sender, and
// writes them.
func takeContents(v *snapshot.Visitor, from *Block, x *box) {
	c := contentsOf(from)
	for i := range x.messages {
		if c == nil {
			break
		}
		m := &x.messages[i].message
		body, some := c.TakeContents(m)
		if !some {
			continue
		}
		m.Payload = 0
		v.Flag(true)
		head := contentsHead{int64(i), body.Mark, body.Label}
		snapshot.Value(v, &head)
		snapshot.List(v, &body.Data)
	}
	v.Flag(false)
}

// contentsHead is what precedes the contents of a message: its place in the box, and what endpoints
// say of it.
type contentsHead struct {
	message     int64
	mark, label uint64
}

// keptContents is the place of a message in a box, and the handle of its contents.
type keptContents struct {
	message int64
	handle  uint32
}

// keepContents reads what takeContents has written, and gives it to the endpoint of the receiver.
func keepContents(v *snapshot.Visitor, process int, to *Block) (list []keptContents) {
	for v.Flag(false) {
		var head contentsHead
		var data []byte
		snapshot.Value(v, &head)
		snapshot.List(v, &data)
		handle := contentsOf(to).KeepContents(process, fabric.Body{Data: data, Mark: head.mark, Label: head.label})
		list = append(list, keptContents{head.message, handle})
	}
	return list
}

var errElsewhere = errors.New("another process has found its part of the network broken")

// agreeOn returns an error in all processes if one has one: its own, or errElsewhere.
func (n *Network) agreeOn(err error) error {
	if n.across != nil && cluster.Any(n.across.group, err != nil) && err == nil {
		return errElsewhere
	}
	return err
}
