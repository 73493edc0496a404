package abstract

import (
	"errors"
	"fmt"

	"fabricast/fabric"
)

// Passage holds the times of one message. All are in ps and not negative.
type Passage struct {
	// Busy is the time from the start during which the sending NIC cannot start another message.
	Busy int64
	// Read is the time from the start until the last byte has been read from memory. The send is
	// then complete.
	Read int64
	// Flight is the time from the start until the first byte reaches the destination NIC. It is at
	// least Spec.Lookahead.
	Flight int64
	// Tail is the time from the first byte's arrival until the last byte is in memory.
	Tail int64
	// Narrow is the time that the message takes on the narrowest link between its NICs, whose ID is
	// Link. Messages between the same two hosts pass that link one after another. 0 means that the
	// link delays no other message.
	Narrow int64
	Link   int32
}

// Spec holds the parameters of a network. They are constant during a run.
type Spec struct {
	Hosts       int // at least 1
	NICsPerHost int // at least 1
	// Lookahead is the minimum Flight of any message (ps), at least 1.
	Lookahead int64
	// Passage returns the times of a message. number is the index of the message at its NIC (modulo
	// 2^32). Passage must depend on its arguments only, and be safe for concurrent use.
	Passage func(m *fabric.Message, number uint32) Passage
	// Hold returns how long (ps) a NIC that receives a message of `size` bytes cannot receive
	// another one. It must be at least the Tail of the message, unless Tail is the same for all
	// messages. Nil means that NICs can receive any number of messages at once.
	Hold func(nic int32, size int64) int64
	// Wire returns the size on the wire, in bytes, of a message of `size` bytes, for statistics.
	Wire func(size int64) int64
}

// Network is a simulated network, divided into blocks.
type Network struct {
	spec   Spec
	blocks []*Block
	share  int32 // number of hosts of each block except the last
}

// New builds the network of a Spec, divided into the given number of blocks, at most one per host.
func New(spec Spec, blocks int) (*Network, error) {
	switch {
	case spec.Hosts < 1 || spec.NICsPerHost < 1:
		return nil, errors.New("an abstract network needs at least one host with one NIC")
	case spec.Lookahead < 1:
		return nil, fmt.Errorf(
			"messages that arrive %d ps after they leave: must be at least 1", spec.Lookahead,
		)
	}
	blocks = max(1, min(blocks, spec.Hosts))
	n := &Network{spec: spec, share: int32((spec.Hosts + blocks - 1) / blocks)}
	for first := int32(0); first < int32(spec.Hosts); first += n.share {
		n.blocks = append(n.blocks, newBlock(n, len(n.blocks), first, min(first+n.share, int32(spec.Hosts))))
	}
	for _, b := range n.blocks {
		b.mail = newMail(len(n.blocks))
	}
	return n, nil
}

// Blocks returns the network's blocks.
func (n *Network) Blocks() []*Block { return n.blocks }

// Close releases the network, which must not be used afterwards.
func (n *Network) Close() { n.blocks = nil }

// blockOf returns the block of a host.
func (n *Network) blockOf(host int32) int { return int(host / n.share) }

// Observe reports the windows of blocks to the sink. It must be called before the first window.
// Nothing else is reported, because there are no links or buffers.
func (n *Network) Observe(o fabric.Observation) {
	for _, b := range n.blocks {
		b.sink = o.Sink
	}
}

// EndObservation does nothing, since there is nothing left to report.
func (n *Network) EndObservation(int64) {}

// Totals returns the sums so far. Fields about packets are 0; Visits is the number of events.
func (n *Network) Totals() fabric.Totals {
	var t fabric.Totals
	for _, b := range n.blocks {
		t.Visits += b.events
		t.Bytes += b.bytes
	}
	return t
}

// Progress returns zero Totals: the network counts no packets while blocks run.
func (n *Network) Progress() fabric.Totals { return fabric.Totals{} }

// Balance returns how evenly events are divided among blocks: the mean number of events of a block
// divided by the largest, or 1 if all are equal.
func (n *Network) Balance() float64 {
	var sum, largest uint64
	for _, b := range n.blocks {
		sum += b.events
		largest = max(largest, b.events)
	}
	if largest == 0 {
		return 1
	}
	return float64(sum) / float64(largest) / float64(len(n.blocks))
}

// Sent returns the number of messages that a NIC, given by its global ID, has sent, and their size
// on the wire.
func (n *Network) Sent(nic int) fabric.PortUse { return n.nic(nic).sent }

// Received returns the number of messages that a NIC, given by its global ID, has received, and
// their size on the wire.
func (n *Network) Received(nic int) fabric.PortUse { return n.nic(nic).received }

func (n *Network) nic(nic int) *nic {
	b := n.blocks[n.blockOf(int32(nic/n.spec.NICsPerHost))]
	return &b.nics[int32(nic)-b.firstNIC]
}

// Verify returns an error if messages were posted and have not arrived. It must be called when no
// event is left.
func (n *Network) Verify() error {
	for _, b := range n.blocks {
		if !b.queue.Empty() {
			return fmt.Errorf("events of block %d are left over", b.index)
		}
	}
	return nil
}

// Deadlock returns nil, since messages never wait for each other in a cycle in this network.
func (n *Network) Deadlock() *fabric.Deadlock { return nil }
