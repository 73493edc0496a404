package ethernet

import "fabricast/fabric"

// nic is the sending side of a NIC, and the credit that it grants as a receiver.
type nic struct {
	control fifo               // packets without payload that wait
	ready   ring[uint32]       // flows that want to send, as indexes of senders, in turn
	posted  ring[fabric.MsgID] // messages that are posted later
	pairs   uint32             // messages posted so far
	flows   []uint32           // all flows that start here, by their numbers
	busy    bool
	paused  bool // by the switch
	turn    int  // packets sent while both kinds waited
	use     fabric.PortUse
	grants  grants
}

// queueControl queues a packet without payload at its NIC.
func (b *Block) queueControl(from int32, id uint32) {
	b.net.nics[from].control.push(&b.packets, id)
	b.start(from)
}

// start makes a NIC that sends nothing send its next packet.
func (b *Block) start(at int32) {
	n := &b.net.nics[at]
	if n.busy {
		return
	}
	control := !n.control.empty()
	if control && n.ready.count > 0 && !n.paused && b.net.NIC.DataRatio > 0 {
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
	if n.paused {
		return false
	}
	for n.ready.count > 0 {
		index := n.ready.pop()
		f := b.senders[index]
		f.ready = false
		if !b.maySend(f) {
			continue
		}
		id := b.nextPacket(f)
		b.launch(at, n, id)
		b.offer(f)
		return true
	}
	return false
}

// launch puts a packet on the link of a NIC.
func (b *Block) launch(at int32, n *nic, id uint32) {
	k := &b.packets.list[id]
	if k.kind == data {
		k.sent = b.now
	}
	n.busy = true
	n.use.Packets++
	n.use.Bytes += uint64(k.size)
	in := b.net.Graph.NICPort[at]
	link := b.net.Graph.Ports[in].Link
	end := b.now + takes(int64(k.size), b.net.bandwidth(link))
	b.push(end, sentEvent, uint64(at), 0)
	b.toSwitch(in, id, end+int64(b.net.Links[link].Latency)+b.net.Switch.Latency)
}

// sent ends the sending of a packet.
func (b *Block) sent(at int32) {
	b.net.nics[at].busy = false
	b.start(at)
}

// pauseNIC pauses the packets with payload of a NIC, or lets it go on.
func (b *Block) pauseNIC(at int32, value uint32) {
	b.net.nics[at].paused = value&1 != 0
	b.start(at)
}

// receive takes a packet that has arrived at its NIC.
func (b *Block) receive(id uint32) {
	k := b.packets.list[id]
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
