package ethernet

import (
	"fabricast/fabric"
	"fabricast/internal/units"
)

// nic is the sending side of a NIC, and the credit that it grants as a receiver.
type nic struct {
	control  fifo    // packets without payload that wait
	ready    []ready // by class
	rounds   rounds
	posted   ring[fabric.MsgID] // messages that are posted later
	pairs    uint32             // messages posted so far
	flows    []uint32           // all flows that start here, by their numbers
	followed []uint32           // those of them that are followed, see Following
	sending  uint32             // packet that is being sent; 0: none
	turn     int                // packets sent while both kinds waited
	use      fabric.PortUse
	grants   grants
	rate     units.Rate // of its link; 0: that of its class
	down     bool       // its link, in the direction from it
}

// ready holds the flows of a class that want to send, as indexes of senders, in turn.
type ready struct {
	ring[uint32]
	paused bool // by the switch
}

// sends reports whether a class that is not paused has flows.
func (n *nic) sends() bool {
	for i := range n.ready {
		if r := &n.ready[i]; r.count > 0 && !r.paused {
			return true
		}
	}
	return false
}

// wanting returns the number of flows that want to send.
func (n *nic) wanting() (count uint32) {
	for i := range n.ready {
		count += n.ready[i].count
	}
	return count
}

// queueControl queues a packet without payload at its NIC.
func (b *Block) queueControl(from int32, id uint32) {
	b.changesNIC(from)
	b.net.nics[from].control.push(&b.packets, id)
	b.start(from)
}

// start makes a NIC that sends nothing send its next packet.
func (b *Block) start(at int32) {
	n := &b.net.nics[at]
	if n.sending != 0 || n.down {
		return
	}
	b.changesNIC(at)
	control := !n.control.empty()
	if control && b.net.NIC.DataRatio > 0 && n.sends() {
		n.turn++
		if n.turn >= b.net.NIC.DataRatio {
			n.turn = 0
			control = false
		}
	}
	if control || !b.startData(at, n) {
		if !n.control.empty() {
			b.launch(at, n, n.control.pop(&b.packets))
		}
	}
}

// startData sends a packet of the next flow that may send. It reports whether there was one.
func (b *Block) startData(at int32, n *nic) bool {
	var sizes [MostClasses]int64
	class := -1
	for i := range n.ready {
		if sizes[i] = b.firstSize(&n.ready[i]); sizes[i] > 0 {
			class = i
		}
	}
	if class < 0 {
		return false
	}
	if len(n.ready) > 1 {
		class = b.net.choose(&n.rounds, &sizes)
	}
	f := b.senders[n.ready[class].pop()]
	f.ready = false
	b.launch(at, n, b.nextPacket(f))
	b.offer(f)
	if n.ready[class].count == 0 {
		n.rounds.deficits[class] = 0
	}
	return true
}

// firstSize returns the size of the packet (bytes) that a class sends next, after flows that may not
// send have left its list; 0: there is none, or the class is paused.
func (b *Block) firstSize(r *ready) int64 {
	if r.paused {
		return 0
	}
	for ; r.count > 0; r.pop() {
		f := b.senders[*r.at(0)]
		if b.maySend(f) {
			return f.nextSize(b.net)
		}
		f.ready = false
		b.holds(f)
	}
	return 0
}

// launch puts a packet on the link of a NIC.
func (b *Block) launch(at int32, n *nic, id uint32) {
	k := &b.packets.list[id]
	if k.kind == data {
		k.sent = b.now
	}
	n.sending = id
	b.begins(int64(len(b.net.ports))+int64(at), int64(k.size))
	n.use.Packets++
	n.use.Bytes += uint64(k.size)
	in := b.net.Graph.NICPort[at]
	link := b.net.Graph.Ports[in].Link
	rate := n.rate
	if rate == 0 {
		rate = b.net.bandwidth(link)
	}
	end := b.now + takes(int64(k.size), rate)
	b.launches(at, id, end)
	b.push(end, sentEvent, uint64(at), 0)
	b.toSwitch(in, id, end+int64(b.net.Links[link].Latency)+b.net.Switch.Latency)
}

// sent ends the sending of a packet.
func (b *Block) sent(at int32) {
	b.net.nics[at].sending = 0
	b.start(at)
}

// pauseNIC pauses the packets with payload of a class of a NIC, or lets them go on.
func (b *Block) pauseNIC(at int32, frame uint32) {
	class, pause := paused(frame)
	b.changesNIC(at)
	b.net.nics[at].ready[class].paused = pause
	b.start(at)
}

// receive takes a packet that has arrived at its NIC.
func (b *Block) receive(id uint32) {
	k := b.packets.list[id]
	if out := b.net.Graph.NICPort[k.dst]; len(b.net.Changes) > 0 && b.lostOnLink(out, &k, b.now) {
		b.loseOn(out, id)
		return
	}
	if b.follows {
		b.cause = *b.trailOf(id)
	}
	switch k.kind {
	case data:
		b.receiveData(&k)
	case request:
		b.receiveRequest(&k)
	default:
		f := b.senders[b.net.nics[k.dst].flows[k.flow]]
		switch k.kind {
		case ack:
			b.acknowledged(f, &k)
		case nack:
			b.refused(f, &k)
		case pull:
			b.granted(f, &k)
		case notification:
			b.notified(f)
		}
	}
	b.drop(id)
}
