package ethernet

import "fabricast/internal/units"

// ingress holds what is in a switch of a class of what came in through one of its ports, if ports
// share a buffer.
type ingress struct {
	bytes    int64 // in the reserve of the port and the shared part
	headroom int64
	pausing  bool  // the sender has been told to pause
	since    int64 // when (ps)
	why      pausedFor
}

// shared returns how many bytes of the shared part an ingress port has.
func (i *ingress) shared(s *Shared) int64 { return max(0, i.bytes-s.Reserve) }

// threshold returns how many bytes of the shared part an ingress port of a router may have of a class.
func (b *Block) threshold(router int32, class uint8) int64 {
	free := max(0, b.net.sharedPart[router]-b.net.sharedUsed[router])
	return units.MulDiv(free, int64(b.net.classes[class].Alpha), int64(units.Whole))
}

// fullQueue reports whether the queue of a packet has no room for it at a port.
func (b *Block) fullQueue(out int32, p *port, k *packet) bool {
	most := b.net.limitsOf(out).classes[k.class].Queue
	return most > 0 && p.queues[k.class].bytes+int64(k.size) > most
}

// admits reports whether a packet with payload fits into the buffers of its switch.
func (b *Block) admits(router, out int32, p *port, k *packet) bool {
	w := &b.net.Switch
	if b.fullQueue(out, p, k) {
		return false
	}
	if w.Shared == nil {
		return true
	}
	in, size := b.accountOf(k), int64(k.size)
	if in.bytes+size <= w.Shared.Reserve || in.bytes+size-w.Shared.Reserve <= b.threshold(router, k.class) {
		return true
	}
	return in.headroom+size <= b.net.headroom[k.ingress]
}

// charge accounts for a packet that is queued at a port, and pauses its sender if it has to.
func (b *Block) charge(router, out int32, k *packet) {
	s := b.net.Switch.Shared
	if s == nil {
		return
	}
	in, size := b.accountOf(k), int64(k.size)
	if after := in.bytes + size - s.Reserve; after > 0 && after > b.threshold(router, k.class) {
		in.headroom += size
	} else {
		before := in.shared(s)
		in.bytes += size
		b.net.sharedUsed[router] += in.shared(s) - before
	}
	if s.Pauses && !in.pausing && (in.headroom > 0 || in.shared(s) > 0 && in.shared(s) >= b.threshold(router, k.class)) {
		in.pausing, in.since = true, b.now
		b.because(in, k, out)
		b.byClass[k.class].Pauses++
		b.tell(k, true)
	}
}

// refund accounts for a packet that has left its switch by the port out, and lets its sender resume if it may.
func (b *Block) refund(router, out int32, k *packet) {
	s := b.net.Switch.Shared
	if s == nil {
		return
	}
	in := b.accountOf(k)
	fromHeadroom := min(in.headroom, int64(k.size))
	before := in.shared(s)
	in.headroom -= fromHeadroom
	in.bytes -= int64(k.size) - fromHeadroom
	b.net.sharedUsed[router] += in.shared(s) - before
	if !in.pausing || in.headroom > 0 {
		return
	}
	if used := in.shared(s); used == 0 || used+s.Resume <= b.threshold(router, k.class) {
		in.pausing = false
		b.pausedUntil(in, k.ingress, k.class)
		b.resumes(in, out, k)
		b.byClass[k.class].Paused += b.now - in.since
		b.tell(k, false)
	}
}

// accountOf returns the account of the class and the ingress port of a packet.
func (b *Block) accountOf(k *packet) *ingress { return &b.net.ports[k.ingress].in[k.class] }

// What a pause frame tells: its number, a class, and whether that is paused.
const (
	pauseClass  = 1 // bits before that of the class
	pauseNumber = 4 // and of the number, by which frames keep their order
)

// paused returns the class of a pause frame, and whether it is to be paused.
func paused(frame uint32) (class uint8, pause bool) {
	return uint8(frame>>pauseClass) & (MostClasses - 1), frame&1 != 0
}

// tell sends a pause frame for the class of a packet, or one that ends a pause, to what sends to the
// port through which it came.
func (b *Block) tell(k *packet, pause bool) {
	g, port := b.net.Graph, &b.net.ports[k.ingress]
	here := &g.Ports[k.ingress]
	at := b.now + b.frameTakes(k.ingress)
	port.told++
	value := port.told<<pauseNumber | uint32(k.class)<<pauseClass
	if pause {
		value |= 1
	}
	if here.NIC >= 0 {
		b.push(at, nicPausedEvent, uint64(here.NIC), value)
		return
	}
	if to := b.net.block[g.Ports[here.Peer].Router]; to != b.index {
		b.sendPause(to, here.Peer, at, value)
		return
	}
	b.push(at, portPausedEvent, uint64(here.Peer), value)
}

// frameTakes returns how long (ps) a pause frame takes from a switch to what sends to one of its ports.
func (b *Block) frameTakes(in int32) int64 {
	link := b.net.Graph.Ports[in].Link
	return takes(b.net.Packet.Control, b.net.bandwidth(link)) + int64(b.net.Links[link].Latency)
}

// pausePort pauses a class of a port, or lets it go on.
func (b *Block) pausePort(out int32, frame uint32) {
	p := &b.net.ports[out]
	b.changesPort(p)
	class, pause := paused(frame)
	p.queues[class].paused = pause
	b.serve(out, p)
}
