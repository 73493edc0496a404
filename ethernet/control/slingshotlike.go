package control

import (
	"fabricast/fabric/model"
	"fabricast/internal/units"
	"fabricast/topology"
)

var _ = Register(120, Description[SlingshotLikeOptions]{
	Summary: "the port of a congested NIC tells those that send to it to share its link; like Slingshot's, whose rules are unpublished",
	Limits:  "rate", Signals: "back-pressure of the destination's port",
	Source:   "De Sensi et al., SC 2020; thresholds: SST merlin, portControl",
	Lossless: makeSlingshotLike,
	Help: map[string]string{
		"queue":    "bytes that wait on the way to a NIC, above which it is congested",
		"senders":  "NICs that must have sent to a NIC for it to be congested",
		"interval": "least time in which the senders of a NIC are counted, and after which shares may grow by an eighth",
	},
	Examples: []string{"", "queue: 1kB, senders: 2, interval: 1us", "packet_size: 64B"},
})

// SlingshotLikeOptions are the options of the algorithm "slingshot-like" in experiments.
type SlingshotLikeOptions struct {
	Queue      units.Bytes `yaml:"queue" default:"twice 'network.router.buffer'"`
	Senders    int         `yaml:"senders" default:"6"`
	PacketSize units.Bytes `yaml:"packet_size" help:"smaller packets are neither counted nor limited" default:"128B"`
	Interval   units.Time  `yaml:"interval" default:"5us"`
}

// Name implements Spec.
func (SlingshotLikeOptions) Name() string { return "slingshot-like" }

// Check returns what is wrong with the options.
func (o *SlingshotLikeOptions) Check() []topology.Mistake {
	var c checker
	c.size("queue", o.Queue)
	c.count("senders", o.Senders, mostSenders)
	c.size("packet_size", o.PacketSize)
	c.time("interval", o.Interval)
	return c
}

// mostSenders is the largest number of senders that feedback can name.
const mostSenders = 1<<16 - 1

// slingshotLike limits those who send to a congested NIC, and no others. The port of the NIC knows
// how long each packet was under way, and how long the fastest of its flow was. The rest of the
// time it waited behind others; while the link of the NIC is busy, these are what the link carries
// in this time. If that is more than a threshold, and enough NICs send to it, each of them is told
// how many share the link: it pauses for as long as its packet waited, which empties the queues,
// and then sends at that share of the link. It pauses again if a packet that left since waits for
// longer than two packets take. Senders are counted in periods in which each has its turn twice.
// After a period without congestion, in which the link was idle for an eighth of the time, the
// number falls by an eighth, so that who sends less than its share leaves the rest to others. A
// limit that is not renewed ends.
//
// Of Slingshot it is published that its switches track what is under way between each two endpoints,
// and that the port of a congested endpoint presses back those who contribute, quickly, and only them
// (De Sensi et al., SC 2020). The thresholds are those of an open stand-in (SST merlin, portControl),
// which counts all that is under way to an endpoint, and tells its senders how many they are. How
// limits end is of our own.
type slingshotLike struct {
	ends
	queue, least      int64 // flits
	senders, interval int64
	largest           int64 // packet (flits)
}

// pressed is the state of a receiving NIC. It is that of its port.
type pressed struct {
	Period int64 // number of the current period
	Begin  int64 // of the period before (ps)
	Start  int64 // of this period (ps)
	End    int64 // of this period (ps)
	Count  int64 // senders in this period
	Before int64 // senders in the period before
	Busy   int64 // how long its link carried packets in this period (ps)
	Was    int64 // and in the period before
	Full   int64 // packets of this period that have waited too long
	Shares int64 // by which the link is divided; 0: it is not congested
}

// pressing is the state of a flow at its receiver.
type pressing struct {
	Least  int64 // shortest time that a packet was under way, plus 1 (ps); 0: none
	Period int64 // in which it was counted last, plus 1
	Paused int64 // when it was told to pause last (ps)
	Told   int64 // shares that its source has been told
	At     int64 // when that was (ps)
}

// shared is the state of a flow at its source.
type shared struct {
	Shares int64 // by which the link of the receiver is divided; 0: no limit
	Until  int64 // end of the limit (ps)
	Pause  int64 // ps: until then no packet leaves
	Last   int64 // when the last packet left (ps)
	Took   int64 // time of that packet on the receiver's link (ps)
}

// slingPause is the position of the shares in feedback, before the pause (ps). A packet's Meta is the
// time when it left.
const slingPause = 48

func makeSlingshotLike(o *SlingshotLikeOptions, s *model.Spec) *Lossless {
	c := &slingshotLike{
		ends: endsOf(s), senders: int64(or(o.Senders, 6)), interval: int64(or(o.Interval, 5*units.Microsecond)),
	}
	c.queue = int64(or(o.Queue, 2*s.Router.Buffer)) / s.Packet.Flit
	c.least = c.flitsIn(or(o.PacketSize, 128))
	c.largest = c.flitsIn(units.Bytes(s.Packet.Wire(s.Packet.Payload())))
	return &Lossless{
		Hooks: &model.Hooks{
			Name: "slingshot-like", Eject: c.eject,
			NICState: model.Words[pressed](), FlowState: model.Words[pressing](),
		},
		Injector: &model.Injector{
			Name: "slingshot-like", FlowState: model.Words[shared](), Next: c.next, Sent: c.sent, Feedback: c.told,
		},
	}
}

// eject counts the senders of a NIC, and tells them what they may send.
func (c *slingshotLike) eject(e *model.Ejection) {
	if e.Flits < c.least {
		return
	}
	n, f := model.StateIn[pressed](e.NIC), model.StateIn[pressing](e.State)
	turn := c.took(e.Destination, c.largest)
	if e.Now >= n.End {
		c.begin(n, e.Now, turn)
	}
	if f.Period != n.Period+1 {
		f.Period = n.Period + 1
		n.Count++
	}
	n.Busy += c.took(e.Destination, e.Flits)
	sent, busy := int64(e.Meta), 2*(n.Busy+n.Was) > e.Now-n.Begin
	waited, most := f.waited(e.Now-sent), c.took(e.Destination, c.queue)
	if busy && waited > most {
		n.Full++
	}
	if active := max(n.Count, n.Before); n.Full > 0 && active >= c.senders {
		n.Shares = min(max(n.Shares, active), mostSenders)
	}
	pauses := busy && n.Shares > 0 && waited > min(most, 2*turn) && sent >= f.Paused
	renews := n.Shares > 0 && e.Now-f.At > c.lease(n.Shares, turn)/4
	if !pauses && !renews && f.Told == n.Shares {
		return
	}
	value := uint64(n.Shares) << slingPause
	if pauses {
		f.Paused = e.Now
		value |= uint64(min(waited, 1<<slingPause-1))
	}
	f.Told, f.At = n.Shares, e.Now
	e.Reply(e.Source, value, 0)
}

// waited returns how much longer (ps) a packet was under way than the fastest of its flow.
func (f *pressing) waited(took int64) int64 {
	if f.Least == 0 || took < f.Least-1 {
		f.Least = took + 1
	}
	return took - (f.Least - 1)
}

// begin begins a period of a NIC whose link takes so long (ps) for the largest packet.
func (c *slingshotLike) begin(n *pressed, now, turn int64) {
	length := now - n.Start
	switch {
	case now-n.End >= n.End-n.Start: // nobody sent for a whole period
		*n = pressed{Period: n.Period, Start: now}
	case n.Full == 0 && n.Busy < length-length/8:
		n.Shares -= (n.Shares + 7) / 8
	}
	if n.Shares == 1 {
		n.Shares = 0
	}
	*n = pressed{
		Period: n.Period + 1, Begin: n.Start, Start: now, Before: n.Count, Was: n.Busy, Shares: n.Shares,
	}
	n.End = now + max(c.interval, 2*max(n.Shares, n.Before)*turn)
}

// lease returns how long (ps) a limit holds.
func (c *slingshotLike) lease(shares, turn int64) int64 { return 8*shares*turn + 4*c.interval }

func (c *slingshotLike) next(f *model.Flow, d *model.Departure) int64 {
	if d.Flits < c.least {
		return 0
	}
	s := model.StateIn[shared](f.State)
	return max(s.Pause, min(s.Last+s.Shares*s.Took, s.Until))
}

func (c *slingshotLike) sent(f *model.Flow, d *model.Departure) {
	d.Meta = uint64(d.Now)
	if d.Flits >= c.least {
		s := model.StateIn[shared](f.State)
		s.Last, s.Took = d.Now, c.took(f.Destination, d.Flits)
	}
}

// told takes the feedback of a receiver.
func (c *slingshotLike) told(f *model.Flow, b *model.Feedback) {
	s := model.StateIn[shared](f.State)
	s.Shares = int64(b.Value >> slingPause)
	s.Until = b.Now + c.lease(s.Shares, c.took(f.Destination, c.largest))
	if pause := int64(b.Value & (1<<slingPause - 1)); pause > 0 {
		s.Pause = b.Now + pause
	}
}
