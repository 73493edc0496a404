package ethernet

import "fabricast/internal/units"

// ingress holds what is in a switch of what came in through one of its ports, if ports share a
// buffer.
type ingress struct {
	bytes    int64 // in the reserve of the port and the shared part
	headroom int64
	pausing  bool   // the sender has been told to pause
	since    int64  // when (ps)
	told     uint32 // how often it has been told something
}

// shared returns how many bytes of the shared part an ingress port has.
func (i *ingress) shared(s *Shared) int64 { return max(0, i.bytes-s.Reserve) }

// threshold returns how many bytes of the shared part an ingress port of a router may have.
func (b *Block) threshold(router int32) int64 {
	free := max(0, b.net.sharedPart[router]-b.net.sharedUsed[router])
	return mulDiv(free, int64(b.net.Switch.Shared.Alpha), int64(units.Whole))
}

// admits reports whether a packet with payload fits into the buffers of its switch.
func (b *Block) admits(router int32, p *port, k *packet) bool {
	w := &b.net.Switch
	if w.Queue > 0 && p.bytes+int64(k.size) > w.Queue {
		return false
	}
	if w.Shared == nil {
		return true
	}
	in, size := &b.net.ports[k.ingress].in, int64(k.size)
	if in.bytes+size <= w.Shared.Reserve || in.bytes+size-w.Shared.Reserve <= b.threshold(router) {
		return true
	}
	return in.headroom+size <= b.net.headroom[k.ingress]
}

// charge accounts for a packet that is queued, and pauses its sender if it has to.
func (b *Block) charge(router int32, k *packet) {
	s := b.net.Switch.Shared
	if s == nil {
		return
	}
	in, size := &b.net.ports[k.ingress].in, int64(k.size)
	if after := in.bytes + size - s.Reserve; after > 0 && after > b.threshold(router) {
		in.headroom += size
	} else {
		before := in.shared(s)
		in.bytes += size
		b.net.sharedUsed[router] += in.shared(s) - before
	}
	if s.Pauses && !in.pausing && (in.headroom > 0 || in.shared(s) > 0 && in.shared(s) >= b.threshold(router)) {
		in.pausing, in.since = true, b.now
		b.counts.Pauses++
		b.tell(k.ingress, in, true)
	}
}

// refund accounts for a packet that has left its switch, and lets its sender resume if it may.
func (b *Block) refund(router int32, k *packet) {
	s := b.net.Switch.Shared
	if s == nil {
		return
	}
	in := &b.net.ports[k.ingress].in
	fromHeadroom := min(in.headroom, int64(k.size))
	before := in.shared(s)
	in.headroom -= fromHeadroom
	in.bytes -= int64(k.size) - fromHeadroom
	b.net.sharedUsed[router] += in.shared(s) - before
	if !in.pausing || in.headroom > 0 {
		return
	}
	if used := in.shared(s); used == 0 || used+s.Resume <= b.threshold(router) {
		in.pausing = false
		b.counts.Paused += b.now - in.since
		b.tell(k.ingress, in, false)
	}
}

// tell sends a pause frame, or one that ends a pause, to what sends to a port.
func (b *Block) tell(in int32, account *ingress, pause bool) {
	g := b.net.Graph
	here := &g.Ports[in]
	at := b.now + takes(b.net.Packet.Control, b.net.bandwidth(here.Link)) + int64(b.net.Links[here.Link].Latency)
	account.told++
	value := account.told << 1
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

// pausePort pauses a port, or lets it go on.
func (b *Block) pausePort(out int32, value uint32) {
	p := &b.net.ports[out]
	p.paused = value&1 != 0
	b.serve(out, p)
}
