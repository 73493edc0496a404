package ethernetoracle

import (
	"math"

	"fabricast/ethernet"
	"fabricast/ethernet/control"
)

// never is a time (ps) after everything.
const never = control.Forever

// sender is a flow where it starts.
type sender struct {
	nic    *nic
	dst    int
	number int
	class  int
	path   *control.Path

	control, choice []uint64 // states of the congestion control and the choice of paths

	packets []*sending // of all messages so far
	next    int        // first that has not been sent
	una     int        // first of which the receiver has not told that it has it, in a row
	told    int64      // bytes on the wire that the receiver has told of
	jobs    []job      // messages that are not complete, in order

	timer    int64 // when packets may time out (ps)
	late     int   // timeouts in a row
	asks     int   // requests for credit in a row that brought none
	stopped  bool  // it sends no more
	earliest int64 // when the rate allows the next packet (ps)

	credit      int64 // bytes on the wire
	mostCredit  int64
	granted     int64 // quanta, from the begin of the flow
	asked       int64 // the credit last asked for (quanta)
	speculates  bool
	lastRequest int64 // ps
	nextRequest int64 // ps
}

// job is a message of a flow.
type job struct{ message, end int }

// sending is what a flow knows of a packet.
type sending struct {
	payload, size int64
	state         state
	at            int64 // when it was last sent (ps)
	times         int   // how often before that
	late          int   // timeouts in a row before that
	entropy       uint16
	message       int

	found int64   // when it was last found to be lost (ps)
	waits []stay  // in its NIC, since then or since it was posted
	last  *packet // as it was sent last
}

type state int

const (
	unsent state = iota
	underWay
	lost
	arrived
)

// sum adds a number of each packet in one of some states.
func (f *sender) sum(of func(*sending) int64, states ...state) (sum int64) {
	for _, p := range f.packets {
		for _, s := range states {
			if p.state == s {
				sum += of(p)
			}
		}
	}
	return sum
}

func (p *sending) wire() int64 { return p.size }

// underWay returns the bytes believed under way.
func (f *sender) underWay() int64 { return f.sum((*sending).wire, underWay, arrived) - f.told }

// backlog returns the bytes of packets that have never been sent, missing those that are to be sent
// again.
func (f *sender) backlog() int64 { return f.sum((*sending).wire, unsent) }

// missing returns the bytes of packets that are to be sent again.
func (f *sender) missing() int64 { return f.sum((*sending).wire, lost) }

// stateOf returns what the congestion control is told with every event.
func (n *network) stateOf(f *sender) *control.Now {
	sent := int64(0)
	for _, p := range f.packets[:f.next] {
		sent += p.payload
	}
	return &control.Now{At: n.now, Flying: f.underWay(), Next: sent}
}

// limitsOf returns what the congestion control allows a flow.
func (n *network) limitsOf(f *sender) control.Limits {
	return n.spec.NIC.Control.Limits(f.control, f.path)
}

// post gives a message to its flow.
func (n *network) post(message int) {
	m := n.messages[message]
	src := n.nics[m.Src]
	pairs := max(1, n.spec.NIC.QueuePairs)
	e := ends{int(m.Src), int(m.Dst), n.classOf(m)*pairs + src.posted%pairs}
	src.posted++
	f := n.senders[e]
	if f == nil {
		f = n.newFlow(e)
		f.class = n.classOf(m)
	}
	payload := n.spec.Packet.MTU - n.spec.Packet.Header
	for left := m.Size; ; {
		part := min(left, payload)
		f.packets = append(f.packets, &sending{payload: part, size: part + n.spec.Packet.Header, message: message})
		if left -= part; left == 0 {
			break
		}
	}
	f.jobs = append(f.jobs, job{message, len(f.packets)})
	r := n.receivers[f]
	r.messages = append(r.messages, job{message, len(f.packets)})
	n.changedThenStart(f)
}

// newFlow makes a flow, at both ends.
func (n *network) newFlow(e ends) *sender {
	src := n.nics[e.src]
	f := &sender{
		nic: src, dst: e.dst, number: src.flows, path: n.pathBetween(e.src, e.dst), timer: never,
		nextRequest: never, control: make([]uint64, n.spec.NIC.Control.Words()),
		choice: make([]uint64, n.spec.NIC.Paths.Words()),
	}
	src.flows++
	n.spec.NIC.Control.Start(f.control, f.path)
	n.spec.NIC.Paths.Start(f.choice, n.seedOf(e))
	if n.needs.Credit {
		f.mostCredit = n.initialCredit(f.path)
		f.credit, f.speculates, f.lastRequest = f.mostCredit, true, -never/2
	}
	n.senders[e] = f
	n.receivers[f] = &receiver{
		flow: f, nic: n.nics[e.dst], arrived: map[int]bool{}, known: 1, notified: -never / 2, backTo: -1,
		mostCredit: f.mostCredit,
	}
	return f
}

// nextOf returns the number of the packet that a flow sends next; -1: it has none.
func (f *sender) nextOf() int {
	for psn, p := range f.packets {
		if p.state == lost {
			return psn
		}
	}
	if f.next < len(f.packets) {
		return f.next
	}
	return -1
}

// maySend reports whether a flow may send a packet now.
func (n *network) maySend(f *sender) bool {
	psn := f.nextOf()
	if psn < 0 || f.stopped || f.earliest > n.now || n.needs.Credit && f.credit <= 0 {
		return false
	}
	flying := f.underWay()
	return flying <= 0 || flying+f.packets[psn].size <= n.limitsOf(f).Window
}

// nextPacket makes the packet that a flow sends now.
func (n *network) nextPacket(f *sender) *packet {
	psn := f.nextOf()
	s := f.packets[psn]
	p := &packet{kind: data, src: f.nic.id, dst: f.dst, flow: f.number, class: f.class, psn: psn, size: s.size, sent: n.now, message: s.message}
	p.earlier, p.found, p.before = s.last, s.found, s.waits
	s.last, s.waits = p, nil
	if s.state == lost {
		s.times++
		p.answer = true
		n.counts.Again++
	} else {
		f.next++
	}
	n.counts.Packets++
	n.byClass[f.class].Packets++
	s.at, s.state, s.late, s.entropy = n.now, underWay, f.late, n.spec.NIC.Paths.Next(f.choice, n.now)
	p.times, p.entropy = s.times, s.entropy
	if n.spec.NIC.Timeout > 0 {
		f.timer = min(f.timer, n.now+n.timeoutOf(f.late))
	}
	if n.needs.Credit {
		f.credit -= s.size
		p.wanted = n.wantedBy(f)
		f.asked = p.wanted
	}
	p.answer = p.answer || f.backlog() == 0 || n.needs.Credit && f.credit <= 0 ||
		f.underWay()+s.size >= n.limitsOf(f).Window
	n.spec.NIC.Control.Sent(f.control, f.path, n.stateOf(f), s.size)
	if rate := n.limitsOf(f).Rate; rate > 0 {
		f.earliest = max(f.earliest, n.now) + int64(math.Ceil(float64(s.size)/rate*1e12))
	}
	return p
}

// changed lets a flow join the list of its NIC and ask for credit, if it has a reason, and schedules
// what it waits for.
func (n *network) changed(f *sender) {
	if n.maySend(f) && !f.waits() {
		f.nic.ready = append(f.nic.ready, f)
	}
	if n.needs.Credit && !f.stopped && f.credit <= 0 && f.underWay() <= 0 && f.nextRequest == never && f.backlog()+f.missing() > 0 {
		if f.asked > f.granted {
			f.nextRequest = n.now + n.timeoutOf(f.late)
		} else {
			n.ask(f)
		}
	}
	due := min(f.timer, n.spec.NIC.Control.Due(f.control), f.nextRequest)
	if f.nextOf() >= 0 && f.earliest > n.now {
		due = min(due, f.earliest)
	}
	if due != never {
		n.at(max(due, n.now), flowIsDue, f.nic.id, f.number, func() { n.timers(f) })
	}
}

// changedThenStart is changed, after which the NIC sends if it can.
func (n *network) changedThenStart(f *sender) {
	n.changed(f)
	n.start(f.nic)
}

// acknowledged processes an acknowledgement.
func (n *network) acknowledged(f *sender, p *packet) {
	newly := f.hear(p)
	n.advance(f, p.report.upTo)
	for _, psn := range p.report.arrived {
		f.packets[psn].state = arrived
	}
	f.stopIdleTimer()
	n.spec.NIC.Paths.Acked(f.choice, p.entropy, p.marked, n.now)
	upTo := int64(0)
	for _, s := range f.packets[:f.una] {
		upTo += s.payload
	}
	n.spec.NIC.Control.Ack(f.control, f.path, &control.Ack{
		Now: *n.stateOf(f), Sent: p.sent, Bytes: newly, Upto: upTo, ECN: p.marked, Hops: p.hops,
	})
	f.stopSpeculating()
	n.changedThenStart(f)
}

// hear notes how many bytes the receiver has, and returns how many more those are.
func (f *sender) hear(p *packet) (newly int64) {
	if newly = p.report.bytes - f.told; newly <= 0 {
		return 0
	}
	f.told = p.report.bytes
	f.late, f.stopped = 0, false
	return newly
}

// advance notes that all packets before one have arrived, and completes sends.
func (n *network) advance(f *sender, upTo int) {
	for ; f.una < upTo; f.una++ {
		f.packets[f.una].state = arrived
	}
	for len(f.jobs) > 0 && f.jobs[0].end <= f.una {
		n.sent[f.jobs[0].message] = n.now
		f.jobs = f.jobs[1:]
	}
}

// stopIdleTimer stops the timer if all that was sent has arrived.
func (f *sender) stopIdleTimer() {
	if f.una == f.next {
		f.timer = never
	}
}

// refused processes the news that a packet was cut or is missing.
func (n *network) refused(f *sender, p *packet) {
	if n.spec.NIC.Retransmission == ethernet.GoBackN {
		n.goBack(f, p)
		return
	}
	s := f.packets[p.psn]
	if s.state != underWay || s.times != p.times {
		return
	}
	s.state, s.found = lost, n.now
	n.spec.NIC.Control.Nack(f.control, f.path, &control.Nack{
		Now: *n.stateOf(f), Sent: p.sent, Bytes: s.size, ECN: p.marked, Last: p.cutAtLastHop,
	})
	f.stopSpeculating()
	if p.cutAtLastHop {
		n.spec.NIC.Paths.Acked(f.choice, p.entropy, p.marked, n.now)
	} else {
		n.spec.NIC.Paths.Cut(f.choice, p.entropy, n.now)
	}
	n.changedThenStart(f)
}

// goBack makes a flow send all packets again from one that is missing.
func (n *network) goBack(f *sender, p *packet) {
	if p.report.upTo < f.una || p.report.upTo >= f.next {
		return
	}
	f.hear(p)
	n.advance(f, p.report.upTo)
	size := int64(0)
	for _, s := range f.packets {
		if s.state == underWay {
			s.state, s.found = lost, n.now
			size += s.size
		}
	}
	n.spec.NIC.Control.Nack(f.control, f.path, &control.Nack{Now: *n.stateOf(f), Sent: p.sent, Bytes: size})
	f.stopSpeculating()
	n.spec.NIC.Paths.Cut(f.choice, p.entropy, n.now)
	n.changedThenStart(f)
}

// timeoutOf returns how long a packet may be without acknowledgement (ps) that was sent after so many
// timeouts in a row.
func (n *network) timeoutOf(late int) int64 {
	if n.spec.NIC.Timeout < 0 { // packets are not sent again, but requests for credit are
		return 15_000_000 << late
	}
	return n.spec.NIC.Timeout << late
}

// timers does what is due for a flow.
func (n *network) timers(f *sender) {
	congestion := n.spec.NIC.Control.Due(f.control) <= n.now
	if f.timer > n.now && !congestion && f.nextRequest > n.now && f.earliest != n.now {
		return // it was put off
	}
	if f.timer <= n.now {
		n.expire(f)
	}
	if n.spec.NIC.Control.Due(f.control) <= n.now {
		n.spec.NIC.Control.Timer(f.control, f.path, n.stateOf(f))
	}
	if f.nextRequest <= n.now {
		n.ask(f)
	}
	n.changedThenStart(f)
}

// mostDoublings limits how often a timeout is doubled.
const mostDoublings = 10

// expire sends again what has been without acknowledgement for too long, and sets the timer.
func (n *network) expire(f *sender) {
	size, longer := int64(0), false
	f.timer = never
	for _, s := range f.packets[f.una:f.next] {
		switch {
		case s.state != underWay:
		case s.at+n.timeoutOf(s.late) > n.now:
			f.timer = min(f.timer, s.at+n.timeoutOf(s.late))
		default:
			s.state, s.found = lost, n.now
			size += s.size
			longer = longer || s.late >= f.late
			n.spec.NIC.Paths.Expired(f.choice, s.entropy, n.now)
		}
	}
	if size == 0 {
		return
	}
	if f.stopped = n.givesUp(f); f.stopped {
		f.timer = never
		return
	}
	n.counts.Timeouts++
	if longer {
		f.late = min(f.late+1, mostDoublings)
	}
	if n.spec.NIC.Retransmission == ethernet.GoBackN {
		f.timer = never
		for _, s := range f.packets {
			if s.state == underWay {
				s.state, s.found = lost, n.now
			}
		}
	}
	f.stopSpeculating()
	n.spec.NIC.Control.Lost(f.control, f.path, n.stateOf(f), size)
	if n.needs.Credit && f.credit <= 0 {
		n.ask(f)
	}
}
