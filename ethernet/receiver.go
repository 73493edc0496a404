package ethernet

import (
	"fabricast/fabric"
)

// receiver is the state of a flow where it ends.
type receiver struct {
	receiverState
	messages ring[expected] // those of which packets are missing, and some that follow
	arrived  bitmap         // first is the first packet that is missing
}

// receiverState is the part of a receiver that has no lists.
type receiverState struct {
	src, nic int32
	flow     uint32 // number at the sender's NIC
	index    uint32 // in the list of the block

	end      uint32 // first packet after those of all messages
	heard    uint32 // first packet after those of messages of which some packet has come
	beyond   uint32 // packets that have arrived after one that is missing
	received uint64 // bytes on the wire that have arrived, each packet once
	since    int64  // bytes on the wire since the last acknowledgement
	asked    bool   // an acknowledgement is due when no packet is missing
	began    bool   // some packet has arrived

	notified int64  // when the last congestion notification was sent (ps)
	backTo   uint32 // first packet that the sender was last told to go back to
	backAt   int64  // when (ps)

	target, granted int64 // credit asked for, and granted (quanta)
	mostCredit      int64 // bytes that may be granted in advance
	active, idle    bool  // it is in that list of its NIC
	entropy         uint16
	last            trail // of the last packet with payload, or that asked for credit
}

// expected is a message that a flow receives.
type expected struct {
	id   fabric.MsgID
	end  uint32 // first packet after it
	left uint32 // packets that are missing
}

// never is a time (ps) long before any event.
const never = -1 << 62

// incoming returns the flow with a number that ends at a NIC, and makes it if there is none yet.
func (b *Block) incoming(key flowKey) *receiver {
	if index, found := b.income[key]; found {
		return b.receivers[index]
	}
	r := &receiver{receiverState: receiverState{
		src: key.src, nic: key.dst, flow: key.pair, index: uint32(len(b.receivers)),
		notified: never, backAt: never, backTo: ^uint32(0),
	}}
	if b.net.needs.Credit {
		path := b.net.pathOf(key.src, key.dst)
		r.mostCredit = b.net.initialCredit(path.BDP())
	}
	b.receivers = append(b.receivers, r)
	b.income[key] = r.index
	return r
}

// expect records a message whose packets will come. The pair of the key is the number of the flow.
func (b *Block) expect(key flowKey, id fabric.MsgID) {
	r := b.incoming(key)
	count := uint32(b.net.Packet.Count(b.Message(id).Size))
	r.end += count
	r.messages.push(expected{id, r.end, count})
}

// done reports whether all has arrived of which the receiver knows. Of messages that have only been
// posted it does not know, because the news of those comes at the end of a window.
func (r *receiver) done() bool { return r.heard > 0 && r.arrived.first == r.heard }

// messageOf returns the message of a packet that has not arrived before.
func (r *receiver) messageOf(psn uint32) *expected {
	low, high := uint32(0), r.messages.count-1
	for low < high {
		middle := (low + high) / 2
		if r.messages.at(middle).end <= psn {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return r.messages.at(low)
}

// receiveData takes a packet with payload, or one that has lost it.
func (b *Block) receiveData(k *packet) {
	r := b.incoming(flowKey{k.src, k.dst, k.flow})
	r.last = b.cause
	known := k.psn < r.arrived.first || r.arrived.has(k.psn)
	if !known && b.net.needs.Credit && k.psn >= r.heard {
		r.heard = r.messageOf(k.psn).end
	}
	switch {
	case k.flags&cut != 0 && known:
		b.acknowledge(r, k, false)
	case k.flags&cut != 0:
		b.wants(r, int64(k.wanted))
		if b.net.NIC.Retransmission == GoBackN {
			b.sendBack(r, k)
		} else {
			b.refuse(r, k)
		}
		if b.net.needs.Credit {
			b.enlist(r)
		}
	case known:
		b.counts.Duplicates++
		b.wants(r, int64(k.wanted))
		b.notify(r, k)
		b.acknowledge(r, k, k.flags&marked != 0)
	default:
		b.wants(r, int64(k.wanted))
		b.notify(r, k)
		b.accept(r, k)
	}
}

// accept takes a packet that has not arrived before.
func (b *Block) accept(r *receiver, k *packet) {
	inOrder := k.psn == r.arrived.first
	if !inOrder {
		b.counts.OutOfOrder++
		if b.net.NIC.Retransmission == GoBackN {
			b.counts.Discarded++
			b.discards(r, k)
			b.sendBack(r, k)
			return
		}
	}
	b.counts.Delivered++
	b.counts.Latency += b.now - k.sent
	r.received += uint64(k.size)
	r.since += int64(k.size)
	force := !r.began || k.flags&answer != 0
	r.began = true
	r.asked = r.asked || k.flags&answer != 0
	r.arrived.set(k.psn)
	if inOrder {
		r.beyond -= r.arrived.skip() - 1
		if r.beyond == 0 && r.asked {
			force, r.asked = true, false
		}
	} else {
		r.beyond++
	}
	b.deliver(r, k)
	if force || k.flags&marked != 0 || r.since >= b.net.NIC.AckEvery || b.net.NIC.Timeout < 0 {
		b.acknowledge(r, k, k.flags&(marked|answer) != 0)
	}
}

// deliver counts a packet for its message, and delivers the message if it is complete.
func (b *Block) deliver(r *receiver, k *packet) {
	m := r.messageOf(k.psn)
	m.left--
	if m.left > 0 {
		return
	}
	message := b.Message(m.id)
	b.counts.Bytes += uint64(message.Size)
	b.delivers(r, k, message)
	b.endpoint.Delivered(r.nic/int32(b.net.Graph.NICsPerHost), m.id, b.now)
	for r.messages.count > 0 && r.messages.at(0).left == 0 {
		r.messages.pop()
	}
}

// sackBits is the number of packets of which an acknowledgement tells.
const sackBits = 64

// acknowledge sends an acknowledgement of what has arrived, caused by a packet. It tells of the
// packets from that one on, or otherwise up to it.
func (b *Block) acknowledge(r *receiver, k *packet, from bool) {
	base := k.psn
	if !from {
		base = r.arrived.first + 1
		if k.psn >= sackBits-1 {
			base = max(base, k.psn-(sackBits-1))
		}
	}
	r.since = 0
	id, a := b.packets.take()
	*a = packet{
		src: r.nic, dst: r.src, flow: r.flow, kind: ack, size: uint32(b.net.Packet.Control),
		psn: k.psn, upto: r.arrived.first, base: base, wanted: r.arrived.from(base), received: r.received,
		entropy: k.entropy, times: k.times, sent: k.sent, flags: k.flags & marked,
	}
	b.keepHops(a, k)
	b.about(id, &b.cause)
	b.counts.Acks++
	b.queueControl(r.nic, id)
}

// keepHops passes what switches have written into a packet on to its acknowledgement.
func (b *Block) keepHops(a, k *packet) {
	if k.hopsInfo == 0 {
		return
	}
	place := b.telemetry.take()
	b.telemetry.list[place] = b.telemetry.list[k.hopsInfo]
	a.hopsInfo = place
}

// refuse tells the sender that a packet was cut.
func (b *Block) refuse(r *receiver, k *packet) {
	id, a := b.packets.take()
	*a = packet{
		src: r.nic, dst: r.src, flow: r.flow, kind: nack, size: uint32(b.net.Packet.Control),
		psn: k.psn, upto: r.arrived.first, received: r.received,
		entropy: k.entropy, times: k.times, sent: k.sent, flags: k.flags & (marked | ofLastHop),
	}
	b.about(id, &b.cause)
	b.counts.Nacks++
	b.queueControl(r.nic, id)
}

// sendBack tells the sender to go back to the first packet that is missing, unless it has been told
// a short time ago.
func (b *Block) sendBack(r *receiver, k *packet) {
	if r.backTo == r.arrived.first && b.now-r.backAt < b.net.NIC.NackEvery {
		return
	}
	r.backTo, r.backAt = r.arrived.first, b.now
	b.refuse(r, k)
}

// notify sends a congestion notification for a marked packet, if the congestion control uses them
// and none was sent a short time ago.
func (b *Block) notify(r *receiver, k *packet) {
	every := b.net.needs.Notify
	if every == 0 || k.flags&marked == 0 || b.now-r.notified < every {
		return
	}
	r.notified = b.now
	id, a := b.packets.take()
	*a = packet{
		src: r.nic, dst: r.src, flow: r.flow, kind: notification, size: uint32(b.net.Packet.Control),
		entropy: k.entropy,
	}
	b.about(id, &b.cause)
	b.counts.Notifications++
	b.queueControl(r.nic, id)
}

// receiveRequest takes a packet that asks for credit.
func (b *Block) receiveRequest(k *packet) {
	r := b.incoming(flowKey{k.src, k.dst, k.flow})
	r.last = b.cause
	r.target = max(r.target, int64(k.wanted))
	b.enlist(r)
}
