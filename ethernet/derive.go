package ethernet

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"fabricast/internal/units"
)

// What is derived, as in Ultra Ethernet's simulator (uet-htsim, main_uec.cpp).
const (
	queueTrimming  = 1 // bandwidth-delay products of a queue
	queueDropping  = 5
	markFrom       = 0.2 // of the bandwidth-delay product
	markAll        = 0.8
	headerQueues   = 2
	leastTimeout   = 15_000_000 // ps
	timeoutQueues  = 6
	initialCredit  = 1.5 // bandwidth-delay products
	packetsInAlpha = 2   // of the largest size that come in after a pause, beside what is on the link
)

// derive fills in what follows from the longest way, in whole packets.
func (l *layout) derive() {
	nic := l.rateOf(l.farthest[0])
	packets := (units.MulDiv(int64(nic), l.longest, psPerSecond) + l.Packet.MTU - 1) / l.Packet.MTU
	w := &l.Switch
	queue := w.Queue
	if queue == 0 {
		queue = packets * l.Packet.MTU * queueDropping
		if w.Trims {
			queue = packets * l.Packet.MTU * queueTrimming
		}
	}
	if w.Shared == nil {
		w.Queue = queue
	}
	switch {
	case w.Headers != 0:
	case l.Pauses(): // packets without payload are not lost there, either
		w.Headers = math.MaxInt64
	default:
		w.Headers = headerQueues * queue
	}
	if e := &w.ECN; e.On && e.Min == 0 && e.Max == 0 {
		e.Min = ceil(markFrom*float64(packets)) * l.Packet.MTU
		e.Max = ceil(markAll*float64(packets)) * l.Packet.MTU
	}
	if l.NIC.Timeout == 0 {
		l.NIC.Timeout = leastTimeout + timeoutQueues*takes(queue, nic)
	}
	l.deriveClasses()
	l.deriveLimits()
}

// ceil returns the least integer that is not below x.
func ceil(x float64) int64 {
	n := int64(x)
	if float64(n) < x {
		n++
	}
	return n
}

// headroomOf returns how many bytes come in through a port after it has told its sender to pause:
// what leaves until the pause arrives and while a last packet is sent, and what is on its way then.
func (l *layout) headroomOf(port int) int64 {
	if h := l.Switch.Shared.Headroom; h > 0 {
		return h
	}
	link := l.Graph.Ports[port].Link
	rate := l.bandwidth(link)
	delay := 2*int64(l.Links[link].Latency) + l.Switch.Latency + takes(l.Packet.Control, rate)
	return units.MulDiv(int64(rate), delay, psPerSecond) + 1 + packetsInAlpha*l.Packet.MTU
}

// check returns an error if the network cannot be simulated.
func (s *Spec) check() error {
	switch {
	case s.Packet.Payload() < 1:
		return fmt.Errorf("packets of %d B with headers of %d B hold nothing", s.Packet.MTU, s.Packet.Header)
	case s.Packet.Control < 1:
		return fmt.Errorf("acknowledgements of %d B: must be at least 1", s.Packet.Control)
	case s.Switch.Queue > 0 && s.Switch.Queue < s.Packet.MTU:
		return fmt.Errorf("ports of switches hold %d B, less than a packet of %d B", s.Switch.Queue, s.Packet.MTU)
	case s.BitErrors != nil && len(s.BitErrors) != len(s.Graph.Ports):
		return fmt.Errorf("bit errors of %d ports, not of %d", len(s.BitErrors), len(s.Graph.Ports))
	case s.BitErrors != nil && s.NIC.Timeout < 0:
		return errors.New("packets are not sent again after a timeout, although bit errors can hit some")
	case s.damagesAll():
		return fmt.Errorf("in the mean a bit of each packet of %d B is wrong on a link", s.Packet.MTU)
	case s.Switch.Scaled && s.Switch.Shared != nil:
		return errors.New("queues of ports that share a buffer do not scale with their links")
	case s.Switch.Headers > 0 && s.Switch.Headers < max(s.Packet.Control, s.Packet.Header):
		return fmt.Errorf("ports of switches hold %d B of packets without payload, less than one", s.Switch.Headers)
	case s.NIC.Timeout < 0 && (!s.Pauses() || s.Switch.Trims || s.NIC.Retransmission != Selective):
		return errors.New("packets are not sent again after a timeout, although some can be lost or cut")
	case s.NIC.DataRatio == 1:
		return errors.New("of 1 packet that a NIC sends while packets of both kinds wait, 1 has payload: " +
			"acknowledgements would never be sent")
	}
	if err := s.checkChanges(); err != nil {
		return err
	}
	return s.checkClasses()
}

// damagesAll reports whether a link is so bad that a bit of each full packet is wrong in the mean.
func (s *Spec) damagesAll() bool {
	return slices.ContainsFunc(s.BitErrors, func(rate uint64) bool {
		over, _ := bits.Mul64(rate, 8*uint64(s.Packet.MTU))
		return over > 0
	})
}

// Pauses reports whether switches pause senders instead of dropping packets.
func (s *Spec) Pauses() bool { return s.Switch.Shared != nil && s.Switch.Shared.Pauses }
