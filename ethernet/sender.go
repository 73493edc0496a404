package ethernet

import (
	"fmt"
	"math"

	"fabricast/ethernet/control"
	"fabricast/fabric"
)

// sender is the state of a flow where it starts.
type sender struct {
	senderState
	path    control.Path
	control []uint64         // state of the congestion control
	choice  []uint64         // state of the choice of paths
	jobs    ring[job]        // messages of which not all packets are acknowledged
	packets ring[sentPacket] // those from una to next
	course  *course          // nil: the flow is not followed
}

// senderState is the part of a sender that has no lists.
type senderState struct {
	nic, dst int32
	pair     uint32
	class    uint8
	number   uint32 // at its NIC
	index    uint32 // in the list of the block
	limits   control.Limits

	current uint32 // place in jobs of the message that the next new packet belongs to
	begun   int64  // bytes of it in packets so far
	backlog int64  // bytes on the wire of packets that have not been sent yet

	una      uint32 // first packet that is not known to have arrived
	next     uint32 // first packet that has not been sent
	end      uint32 // first packet after those of all messages
	flying   int64  // bytes on the wire believed under way
	lost     uint32 // packets to be sent again
	lostFrom uint32 // none of them is before this one
	lostSize int64  // their bytes on the wire
	received uint64 // bytes on the wire that the receiver has told of
	payload  int64  // payload bytes sent at least once
	arrived  int64  // payload bytes before una

	ready  bool  // it is in its NIC's list
	after  int64 // when the rate allows the next packet (ps)
	expiry int64 // not after the timeout of any packet under way (ps); Forever: none is
	asks   uint8 // requests for credit in a row that brought none, up to mostAsks
	gaveUp bool  // it sends no more, see Block.givesUp
	late   uint8 // timeouts in a row, up to mostDoublings: each doubles the next
	alarm  int64 // when the earliest event of its timers is due (ps)
	credit credit
	held   holding

	posted       int64 // payload (bytes)
	began, ended int64 // when the first message was posted, and when the last send was complete (ps)
}

// job is a message that a flow sends.
type job struct {
	request uint32
	end     uint32 // first packet after it
	size    int64
	number  int64 // its number in tables
	rank    int32 // that sends it
	_       int32
}

// sentPacket is what a sender knows of a packet that it has sent.
type sentPacket struct {
	at      int64  // when it was last sent, or found to be lost (ps)
	size    uint32 // bytes on the wire
	entropy uint16
	state   state
	times   uint16 // how often it had been sent before the last time
	late    uint8  // timeouts in a row before it was last sent
}

// mostTimes is how often a packet is sent. Without a limit, senders in step can lose the same packets
// for ever, above all with GoBackN.
const mostTimes = 10_000

type state uint8

const (
	flying  state = iota
	waiting       // to be sent again
	arrived
)

// flowTo returns the flow of a message, and makes it if there is none yet.
func (b *Block) flowTo(key flowKey, class uint8) *sender {
	if index, found := b.outgo[key]; found {
		return b.senders[index]
	}
	n := &b.net.nics[key.src]
	if len(n.flows) >= mostFlows {
		panic(&fabric.LimitError{Reason: "more flows of a NIC than can be numbered"})
	}
	f := b.newSender(key)
	f.senderState = senderState{
		nic: key.src, dst: key.dst, pair: key.pair, class: class, number: uint32(len(n.flows)),
		index: uint32(len(b.senders)), began: b.now, expiry: fabric.Forever, alarm: fabric.Forever,
	}
	b.net.NIC.Control.Start(f.control, &f.path)
	b.net.NIC.Paths.Start(f.choice, b.net.seedOf(key))
	f.limits = b.net.NIC.Control.Limits(f.control, &f.path)
	f.startCredit(b.net)
	n.flows = append(n.flows, f.index)
	b.senders = append(b.senders, f)
	b.outgo[key] = f.index
	return f
}

// newSender returns the sender of a flow with nothing but its constants and memory.
func (b *Block) newSender(key flowKey) *sender {
	words := make([]uint64, b.net.control+b.net.choices)
	return &sender{
		path: b.net.pathOf(key.src, key.dst), control: words[:b.net.control:b.net.control], choice: words[b.net.control:],
	}
}

// Post implements fabric.Transport.
func (b *Block) Post(id fabric.MsgID) {
	m := b.Message(id)
	if n := &b.net.nics[m.Src]; m.Post > b.now || n.posted.count > 0 {
		n.posted.push(id)
		b.push(max(m.Post, b.now), postEvent, uint64(uint32(m.Src)), 0)
		return
	}
	b.post(id, m)
}

// numberOf returns the number of a message in tables.
func (b *Block) numberOf(m *fabric.Message) int64 {
	nics := int32(b.net.Graph.NICsPerHost)
	return fabric.MessageNumber(m.Src/nics, m.Dst/nics, m.Tag, m.Size, m.Sent)
}

// postNext posts the next of the messages that a NIC was given ahead of time.
func (b *Block) postNext(at int32) {
	id := b.net.nics[at].posted.pop()
	b.post(id, b.Message(id))
}

// pairOf returns the queue pair of the next message of a NIC: they take turns. Each class has its own.
func (b *Block) pairOf(m *fabric.Message, class uint8) uint32 {
	n, pairs := &b.net.nics[m.Src], uint32(max(1, b.net.NIC.QueuePairs))
	n.pairs++
	return (n.pairs-1)%pairs + uint32(class)*pairs
}

// post hands a message to its flow.
func (b *Block) post(id fabric.MsgID, m *fabric.Message) {
	class := b.net.classOf(m)
	key := flowKey{m.Src, m.Dst, b.pairOf(m, class)}
	f := b.flowTo(key, class)
	count := b.net.Packet.Count(m.Size)
	if count > math.MaxUint32-int64(f.end) {
		panic(&fabric.LimitError{Reason: "more packets of a flow than can be numbered"})
	}
	f.end += uint32(count)
	f.jobs.push(job{m.Request, f.end, m.Size, b.numberOf(m), m.SrcRank, 0})
	f.backlog += m.Size + count*b.net.Packet.Header
	b.posts(f, m.Size)
	key.pair = f.number
	if to := b.net.block[b.net.nicRouter[m.Dst]]; to != b.index {
		b.announce(to, key, id)
	} else {
		b.expect(key, id)
	}
	b.offer(f)
	b.start(f.nic)
}

// offer puts a flow into its NIC's list if it may send.
func (b *Block) offer(f *sender) {
	if !f.ready && b.maySend(f) {
		f.ready = true
		b.changesNIC(f.nic)
		b.net.nics[f.nic].ready[f.class].push(f.index)
	}
	if b.starves(f) {
		b.insist(f)
	}
	b.setAlarm(f)
	b.holds(f)
}

// maySend reports whether a flow has a packet that may be sent now.
func (b *Block) maySend(f *sender) bool {
	size := f.nextSize(b.net)
	return size > 0 && !f.gaveUp && f.mayFly(size) && f.after <= b.now && (!b.net.needs.Credit || f.credit.left > 0)
}

// mayFly reports whether the window has room for a packet. One packet may always be under way.
func (f *sender) mayFly(size int64) bool { return f.flying+size <= f.limits.Window || f.flying <= 0 }

// nextSize returns the size on the wire of the next packet (bytes); 0: there is none.
func (f *sender) nextSize(l *Network) int64 {
	if f.lost > 0 {
		return int64(f.record(f.firstLost()).size)
	}
	if f.next == f.end {
		return 0
	}
	return l.Packet.Header + min(l.Packet.Payload(), f.jobs.at(f.current).size-f.begun)
}

// record returns what is known of a packet from una to next.
func (f *sender) record(psn uint32) *sentPacket { return f.packets.at(psn - f.una) }

// firstLost returns the first packet to be sent again. There must be one.
func (f *sender) firstLost() uint32 {
	f.lostFrom = max(f.lostFrom, f.una)
	for f.record(f.lostFrom).state != waiting {
		f.lostFrom++
	}
	return f.lostFrom
}

// nextPacket makes the next packet of a flow, which is sent now.
func (b *Block) nextPacket(f *sender) uint32 {
	id, k := b.packets.take()
	*k = packet{src: f.nic, dst: f.dst, flow: f.number, class: f.class}
	var p *sentPacket
	if f.lost > 0 {
		k.psn = f.firstLost()
		p = f.record(k.psn)
		f.lost--
		f.lostSize -= int64(p.size)
		if p.times++; p.times == mostTimes {
			panic(&LossError{fmt.Sprintf("packet %d from NIC %d to NIC %d has been sent %d times and has not "+
				"arrived: senders lose packets in step", k.psn, f.nic, f.dst, mostTimes)})
		}
		k.flags = again | answer
		b.counts.Again++
	} else {
		k.psn = f.next
		p = b.newPacket(f)
	}
	if b.follows {
		t := f.messageOf(k.psn)
		t.since = p.at
		*b.trailOf(id) = t
	}
	p.at, p.state, p.late, p.entropy = b.now, flying, f.late, b.net.NIC.Paths.Next(f.choice, b.now)
	k.size, k.times, k.entropy = p.size, p.times, p.entropy
	f.flying += int64(p.size)
	if b.net.NIC.Timeout > 0 {
		f.expiry = min(f.expiry, b.now+b.timeout(f.late))
	}
	b.byClass[f.class].Packets++
	b.spend(f, k)
	if f.backlog == 0 || b.net.needs.Credit && f.credit.left <= 0 || f.flying+int64(p.size) >= f.limits.Window {
		k.flags |= answer
	}
	b.net.NIC.Control.Sent(f.control, &f.path, b.state(f), int64(p.size))
	f.limits = b.net.NIC.Control.Limits(f.control, &f.path)
	if rate := f.limits.Rate; rate > 0 {
		f.after = max(f.after, b.now) + int64(math.Ceil(float64(p.size)/rate*1e12))
	}
	if s := b.sample(f); s != nil {
		s.Sent += int64(p.size)
		if k.flags&again != 0 {
			s.Again++
		}
	}
	return id
}

// newPacket takes the next new packet of a flow's messages.
func (b *Block) newPacket(f *sender) *sentPacket {
	j := f.jobs.at(f.current)
	size := min(b.net.Packet.Payload(), j.size-f.begun)
	f.begun += size
	f.payload += size
	f.next++
	wire := size + b.net.Packet.Header
	f.backlog -= wire
	if f.next == j.end {
		f.current++
		f.begun = 0
	}
	f.packets.push(sentPacket{size: uint32(wire)})
	return f.packets.at(f.packets.count - 1)
}

// state returns what the congestion control is told of a flow with every event.
func (b *Block) state(f *sender) *control.Now {
	return &control.Now{At: b.now, Flying: f.flying, Next: f.payload}
}

// acknowledged processes an acknowledgement.
func (b *Block) acknowledged(f *sender, k *packet) {
	newly := f.count(k)
	b.advance(f, k.upto)
	for bits, psn := k.wanted, k.base; bits != 0; bits, psn = bits>>1, psn+1 {
		if bits&1 != 0 && psn-f.una < f.packets.count {
			f.settle(f.record(psn))
		}
	}
	b.recalculate(f)
	b.net.NIC.Paths.Acked(f.choice, k.entropy, k.flags&marked != 0, b.now)
	b.net.NIC.Control.Ack(f.control, &f.path, &control.Ack{
		Now: *b.state(f), Sent: k.sent, Bytes: newly, Upto: f.arrived, ECN: k.flags&marked != 0,
		Hops: b.telemetry.of(k.hopsInfo),
	})
	f.stopSpeculating()
	if s := b.sample(f); s != nil && k.flags&marked != 0 {
		s.Marked++
	}
	b.react(f)
}

// count returns the bytes of which a packet of the receiver tells first. They are no longer under
// way.
func (f *sender) count(k *packet) (newly int64) {
	if k.received > f.received {
		newly = int64(k.received - f.received)
		f.received = k.received
		f.flying -= newly
		f.late, f.gaveUp = 0, false
	}
	return newly
}

// settle records that a packet has arrived. What was believed lost is under way no more than what
// the receiver has counted.
func (f *sender) settle(p *sentPacket) {
	if p.state == waiting {
		f.lost--
		f.lostSize -= int64(p.size)
		f.flying += int64(p.size)
	}
	p.state = arrived
}

// advance records that all packets before one have arrived, and completes sends.
func (b *Block) advance(f *sender, upto uint32) {
	for f.una < upto && f.packets.count > 0 {
		p := f.packets.at(0)
		f.settle(p)
		f.arrived += int64(p.size) - b.net.Packet.Header
		f.packets.pop()
		f.una++
	}
	for f.jobs.count > 0 && f.jobs.at(0).end <= f.una {
		j := f.jobs.pop()
		f.current--
		f.ended = b.now
		if j.request != 0 {
			b.endpoint.Fetched(f.nic/int32(b.net.Graph.NICsPerHost), j.request, b.now)
		}
	}
}

// refused processes the report that a packet was cut, or that one is missing and all after it were
// discarded.
func (b *Block) refused(f *sender, k *packet) {
	if b.net.NIC.Retransmission == GoBackN {
		b.goBack(f, k)
		return
	}
	if k.psn-f.una >= f.packets.count {
		return
	}
	p := f.record(k.psn)
	if p.state != flying || p.times != k.times {
		return
	}
	f.lose(k.psn, p, b.now)
	b.recalculate(f)
	b.net.NIC.Control.Nack(f.control, &f.path, &control.Nack{
		Now: *b.state(f), Sent: k.sent, Bytes: int64(p.size), ECN: k.flags&marked != 0,
		Last: k.flags&ofLastHop != 0,
	})
	f.stopSpeculating()
	if k.flags&ofLastHop != 0 {
		b.net.NIC.Paths.Acked(f.choice, k.entropy, k.flags&marked != 0, b.now)
	} else {
		b.net.NIC.Paths.Cut(f.choice, k.entropy, b.now)
	}
	b.react(f)
}

// goBack sends all packets from the one that is missing again.
func (b *Block) goBack(f *sender, k *packet) {
	if k.upto < f.una || k.upto-f.una >= f.packets.count {
		return
	}
	f.count(k)
	b.advance(f, k.upto)
	size := int64(0)
	for psn := f.una; psn < f.next; psn++ {
		if p := f.record(psn); p.state == flying {
			size += int64(p.size)
			f.lose(psn, p, b.now)
		}
	}
	b.recalculate(f)
	b.net.NIC.Control.Nack(f.control, &f.path, &control.Nack{Now: *b.state(f), Sent: k.sent, Bytes: size})
	f.stopSpeculating()
	b.net.NIC.Paths.Cut(f.choice, k.entropy, b.now)
	b.react(f)
}

// lose queues a packet that is under way to be sent again, at a time (ps).
func (f *sender) lose(psn uint32, p *sentPacket, at int64) {
	p.state, p.at = waiting, at
	f.flying -= int64(p.size)
	f.lostSize += int64(p.size)
	f.lostFrom = min(f.lostFrom, psn)
	f.lost++
}

// notified processes a congestion notification packet.
func (b *Block) notified(f *sender) {
	b.net.NIC.Control.Notified(f.control, &f.path, b.state(f))
	b.react(f)
}

// react lets a flow send after something has changed.
func (b *Block) react(f *sender) {
	f.limits = b.net.NIC.Control.Limits(f.control, &f.path)
	if f.jobs.count > 0 || f.ended == b.now {
		b.sample(f)
	}
	b.offer(f)
	b.start(f.nic)
}
