package ethernetoracle

import (
	"cmp"
	"math/big"
	"slices"

	"fabricast/ethernet"
	"fabricast/internal/causes"
)

// Explanation is where the time of a message has gone.
type Explanation struct {
	Parts causes.Parts
	Waits map[Wait]int64 // ps
}

// Wait is a cause of waiting, and the message because of which another one waits.
type Wait struct {
	Part   causes.Part
	Holder int
}

// Failure is the holder of waits because a link is or was down.
const Failure = -1

// RunExplaining is like Run, and also explains the time of each message that has arrived. Each packet notes what it
// does whenever time passes.
func RunExplaining(spec ethernet.Spec, messages []Message) (*Outcome, []Explanation, error) {
	var of *network
	o, err := run(spec, messages, func(n *network, lasts int64) {
		of = n
		n.note(lasts)
	})
	if err != nil || of == nil {
		return o, nil, err
	}
	list := make([]Explanation, len(messages))
	for i, p := range of.last {
		if p != nil {
			list[i] = of.explain(p)
		}
	}
	return o, list, nil
}

// life is what is noted of a packet with payload.
type life struct {
	earlier          *packet // as it was sent before
	found            int64   // when that was found to be lost (ps)
	before, way      []stay  // in its NIC, and then
	arrival          int64   // when it leaves the wire on which it is, or was (ps)
	out              *port   // whose queue it is in, or by which it is being sent
	entered, started int64   // the queue, and to be sent (ps)
	lost             bool
	lostAt           int64 // ps
	fillers          []filler
}

// stay is a period in which a packet does one thing.
type stay struct {
	from, to int64 // ps
	part     causes.Part
	holder   int      // message that is waited for
	pause    *pausing // that is waited for; or nil
}

// pausing is a pause, with the packet whose departure has ended it.
type pausing struct {
	by               *packet
	entered, started int64 // of that: the queue, and to be sent (ps)
	frame            int64 // how long its frames take (ps)
}

// filler is a message of which a queue is full.
type filler struct {
	message int
	bytes   int64
}

// ends notes that a packet has ended a pause.
func (n *network) ends(x *pausing, p *packet) {
	*x = pausing{p, p.entered, p.started, n.frameTakes(p.ingress)}
}

// filling returns what fills a queue, or a switch.
func (n *network) filling(out *port, class int, queue bool) (list []filler) {
	for _, o := range n.ports {
		if queue && o != out || n.spec.Graph.Ports[o.id].Router != n.spec.Graph.Ports[out.id].Router {
			continue
		}
		packets := slices.Clone(o.queue)
		if o.sending != nil && o.sending.hasPayload() {
			packets = append(packets, o.sending)
		}
		for _, p := range packets {
			if !queue || p.class == class {
				list = append(list, filler{p.message, p.size})
			}
		}
	}
	return list
}

// lose notes the loss of a packet. Without others that have caused it, it has caused it itself.
func (n *network) lose(p *packet, by []filler) {
	if p.hasPayload() {
		if len(by) == 0 {
			by = []filler{{p.message, 1}}
		}
		p.lost, p.lostAt, p.fillers = true, n.now, by
		delete(n.inNetwork, p)
	}
}

// lastFillers returns what had no room for a packet when it was last lost before now.
func (n *network) lastFillers(s *sending) []filler {
	for p := s.last; p != nil; p = p.earlier {
		if p.lost && p.lostAt < n.now {
			return p.fillers
		}
	}
	return nil
}

// note notes what all packets do for some time (ps).
func (n *network) note(lasts int64) {
	if lasts == 0 {
		return
	}
	for _, f := range n.senders {
		for _, s := range f.packets {
			if s.state == unsent || s.state == lost {
				s.waits = append(s.waits, n.waitInNIC(f, s, lasts))
			}
		}
	}
	for p := range n.inNetwork {
		n.noteWay(p, n.now+lasts)
	}
}

// waitInNIC returns what a packet waits for that its flow has not sent, or is to send again.
func (n *network) waitInNIC(f *sender, s *sending, lasts int64) stay {
	x := stay{from: n.now, to: n.now + lasts, part: causes.NICQueue, holder: s.message}
	next := f.packets[f.nextOf()]
	switch now := f.nic.sending; {
	case now != nil && now.kind == data && now.message == s.message:
		x.part = causes.Serialization
	case !f.waits() && f.underWay() > 0 && f.underWay()+next.size > n.limitsOf(f).Window:
		x.part = causes.Window
	case !f.waits() && n.needs.Credit && f.credit <= 0:
		x.part = causes.Window
	case !f.waits() && f.earliest > n.now:
		x.part = causes.Pacing
	case f.nic.paused[f.class]:
		x.part, x.pause = causes.Pause, f.nic.pausedBy[f.class]
	case now != nil:
		x.holder = now.message
	case n.fromNIC(f.nic.id).down:
		x.holder = Failure
	}
	return x
}

// noteWay notes what a packet in the network does until a time (ps).
func (n *network) noteWay(p *packet, until int64) {
	x := stay{from: n.now, to: until, holder: p.message}
	o := p.out
	switch {
	case n.nics[p.src].sending == p || o != nil && o.sending == p:
		x.part = causes.Serialization
	case o != nil && o.paused[p.class]:
		x.part, x.pause = causes.Pause, o.pausedBy[p.class]
	case o != nil:
		x.part = causes.Output
		if n.toNIC(o) {
			x.part = causes.Ejection
		}
		if o.sending != nil {
			x.holder = o.sending.message
		}
	default:
		x.part, x.to = causes.Wire, max(x.from, min(until, p.arrival))
		p.way = append(p.way, x)
		x.part, x.from, x.to = causes.Pipeline, x.to, until
	}
	p.way = append(p.way, x)
}

// explain explains the time of a message by the packet that came last.
func (n *network) explain(p *packet) Explanation {
	e := Explanation{Waits: map[Wait]int64{}}
	n.addWay(&e, p.way)
	for {
		n.addWay(&e, p.before)
		before := p.earlier
		if before == nil {
			return e
		}
		if before.lost && before.lostAt <= p.found {
			n.addWay(&e, before.way)
			n.addRepetition(&e, before, p.found-before.lostAt)
		} else {
			e.add(causes.Repetition, before.message, p.found-before.sent)
		}
		p = before
	}
}

// add adds a time (ps), which is no wait for others for most parts.
func (e *Explanation) add(part causes.Part, holder int, time int64) {
	if e.Parts[part] += time; part.Waits() && time > 0 {
		e.Waits[Wait{part, holder}] += time
	}
}

func (n *network) addWay(e *Explanation, way []stay) {
	for _, x := range way {
		if x.pause == nil {
			e.add(x.part, x.holder, x.to-x.from)
			continue
		}
		n.addPause(e, x.pause, x.from, x.to)
	}
}

// addPause adds the time (ps) from one time to another of a pause, as time of what the packet waited for that has
// ended it, when the frames were sent.
func (n *network) addPause(e *Explanation, x *pausing, from, to int64) {
	from, to = from-x.frame, to-x.frame
	own := func(begin, end int64) {
		if begin, end = max(begin, from), min(end, to); begin < end {
			e.add(causes.Pause, x.by.message, end-begin)
		}
	}
	own(from, x.entered)
	own(x.started, to)
	for _, y := range x.by.way {
		begin, end := max(y.from, x.entered, from), min(y.to, x.started, to)
		switch {
		case begin >= end:
		case y.pause != nil:
			n.addPause(e, y.pause, begin, end)
		default:
			e.add(causes.Pause, y.holder, end-begin)
		}
	}
}

// addRepetition adds a time (ps) as that of who filled the queue when a packet was lost, by their bytes.
func (n *network) addRepetition(e *Explanation, p *packet, time int64) {
	fillers := slices.Clone(p.fillers)
	if fillers[0].message == Failure {
		e.add(causes.Repetition, Failure, time)
		return
	}
	slices.SortFunc(fillers, func(a, b filler) int {
		x, y := n.messages[a.message], n.messages[b.message]
		return cmp.Or(cmp.Compare(x.Src, y.Src), cmp.Compare(x.Dst, y.Dst), cmp.Compare(x.Number, y.Number))
	})
	all, sum, done := new(big.Int), new(big.Int), int64(0)
	for _, x := range fillers {
		all.Add(all, big.NewInt(x.bytes))
	}
	for _, x := range fillers {
		sum.Add(sum, big.NewInt(x.bytes))
		until := new(big.Int).Mul(sum, big.NewInt(time))
		share := until.Quo(until, all).Int64()
		e.add(causes.Repetition, x.message, share-done)
		done = share
	}
}
