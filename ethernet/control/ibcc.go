package control

import (
	"fmt"

	"fabricast/fabric/model"
	"fabricast/internal/units"
	"fabricast/topology"
)

var _ = Register(110, Description[IBCCOptions]{
	Summary: "InfiniBand's congestion control: switches mark packets, NICs pause after each packet of a flow",
	Limits:  "rate", Signals: "notifications (FECN, BECN)",
	Source:   "InfiniBand Architecture Specification 1, annex A10; Gran et al., IPDPS 2010",
	Lossless: makeIBCC, KnowsOutputs: true,
	Help: map[string]string{
		"threshold":    "from 1, marks at the longest queues, to 15: w stands for 1 - w/16 of 'network.router.buffer'",
		"marking_rate": "packets of a port that pass unmarked between two marks",
		"ccti_timer":   "the index of each flow falls by 1 at the multiples of this time",
		"cct_last":     "entry 'ccti_limit' of the table: the pause after a packet, in times of the packet; entry i has the share (i/limit)² of it",
	},
	Examples: []string{"", "threshold: 8, marking_rate: 3, packet_size: 64B", "ccti_increase: 4, ccti_timer: 20us, ccti_limit: 63, ccti_min: 1, cct_last: 100"},
})

// IBCCOptions are the options of the algorithm "ib-cc" in experiments. Their names are those of the
// standard.
type IBCCOptions struct {
	Threshold   int            `yaml:"threshold" default:"15"`
	MarkingRate int            `yaml:"marking_rate" default:"0"`
	PacketSize  units.Bytes    `yaml:"packet_size" help:"smaller packets are not marked" default:"0"`
	Increase    int            `yaml:"ccti_increase" help:"what a notification adds to the index into the table" default:"1"`
	Limit       int            `yaml:"ccti_limit" help:"largest index" default:"127"`
	Min         int            `yaml:"ccti_min" help:"least index" default:"0"`
	Timer       units.Time     `yaml:"ccti_timer" default:"153.6us"`
	Last        units.Fraction `yaml:"cct_last" default:"24.6"`
}

// Name implements Spec.
func (IBCCOptions) Name() string { return "ib-cc" }

// Check returns what is wrong with the options.
func (o *IBCCOptions) Check() []topology.Mistake {
	var c checker
	if o.Threshold < 0 || o.Threshold > ibLevels-1 {
		c = append(c, topology.Mistake{
			Field: "threshold", Found: fmt.Sprint(o.Threshold), Expected: fmt.Sprintf("1 to %d", ibLevels-1),
		})
	}
	c.count("marking_rate", o.MarkingRate, 1<<16-1)
	c.size("packet_size", o.PacketSize)
	c.count("ccti_increase", o.Increase, 255)
	c.count("ccti_limit", o.Limit, 1<<16-1)
	c.count("ccti_min", o.Min, or(o.Limit, ibLimit))
	c.time("ccti_timer", o.Timer)
	if o.Last < 0 || o.Last > 1000*units.Whole {
		c = append(c, topology.Mistake{Field: "cct_last", Found: o.Last.String(), Expected: "0 to 1000"})
	}
	return c
}

// ibLevels is the number of thresholds of the standard, 0 (no marks) included.
const ibLevels = 16

// ibMark is the bit of a packet's Meta that is its FECN.
const ibMark = 1

// ibcc is the congestion control of InfiniBand (Architecture Specification volume 1, annex A10) in
// a network of credits. A switch marks the packets that start through an output for which more than
// a threshold waits, if the output is the root of the congestion and not its victim: if it leads to
// a NIC, or would have the credit for one more packet. The receiver answers each marked packet
// (FECN) by a packet that is only a header (BECN). It adds to the flow's index into a table of
// pauses (CCTI), from which a timer subtracts. After each packet of a flow its NIC pauses for the
// packet's time multiplied by the entry.
//
// The standard leaves open which queues the thresholds are; here they are multiples of 1/16 of an
// input buffer. The other constants are those of Gran et al. (First experiences with congestion
// control in InfiniBand hardware, IPDPS 2010), as remembered. The table grows with the square of the
// index, up to 7 * 127^2 / 106^2 / 0.408 times of a packet. It is that of LLNL's configuration of
// OpenSM, without its shift.
type ibcc struct {
	ends
	queue    int64 // longest queue of an output without marks (flits)
	room     int64 // of an output, so that it is no victim after the start of a packet (flits)
	least    int64 // smallest packet that is marked (flits)
	unmarked uint64

	increase, limit, min int64
	timer                int64 // ps
	last                 int64 // entry `limit` of the table, in units of 1/units.Whole
}

// ibFlow is the state of a flow at its source.
type ibFlow struct {
	Index int64 // CCTI
	Beat  int64 // multiple of the timer up to which it has fallen
	From  int64 // when the next packet may leave (ps)
}

func makeIBCC(o *IBCCOptions, s *model.Spec) *Lossless {
	c := &ibcc{ends: endsOf(s), unmarked: uint64(o.MarkingRate)}
	flits := func(b units.Bytes) int64 { return int64(b) / s.Packet.Flit }
	level := int64(or(o.Threshold, ibLevels-1))
	c.queue = flits(s.Router.Buffer) * (ibLevels - level) / ibLevels
	largest := c.flitsIn(units.Bytes(s.Packet.Wire(s.Packet.Payload())))
	c.room = flits(s.Router.Buffer) + flits(s.Router.OutputBuffer) - largest
	c.least = c.flitsIn(o.PacketSize)
	c.increase, c.limit, c.min = int64(or(o.Increase, 1)), int64(or(o.Limit, ibLimit)), int64(o.Min)
	c.timer = int64(or(o.Timer, 150*1024*units.Nanosecond))
	c.last = int64(or(o.Last, 24*units.Whole+60*units.Percent))
	return &Lossless{
		Hooks: &model.Hooks{Name: "ib-cc", Start: c.start, PortState: 1, Eject: c.eject},
		Injector: &model.Injector{
			Name: "ib-cc", FlowState: model.Words[ibFlow](), Next: c.next, Sent: c.sent, Feedback: c.notified,
		},
	}
}

// start marks a packet. The state of a port is the number of packets since its last mark.
func (c *ibcc) start(s *model.Start) {
	if s.Control || s.Flits < c.least || s.Toward(s.OutPort) <= c.queue || !c.root(s) {
		return
	}
	if s.State[0]++; s.State[0] > c.unmarked {
		s.State[0] = 0
		s.Meta |= ibMark
	}
}

// root reports whether the output of a packet is the root of the congestion.
func (c *ibcc) root(s *model.Start) bool {
	return c.hasNIC(s.Router, s.OutPort) || s.Queue(s.OutPort, s.OutVC)+s.Flits <= c.room
}

// eject notifies the source of a marked packet.
func (c *ibcc) eject(e *model.Ejection) {
	if e.Meta&ibMark != 0 {
		e.Reply(e.Source, ibMark, 0)
	}
}

func (c *ibcc) next(f *model.Flow, _ *model.Departure) int64 {
	return model.StateIn[ibFlow](f.State).From
}

func (c *ibcc) sent(f *model.Flow, d *model.Departure) {
	s := model.StateIn[ibFlow](f.State)
	c.fall(s, d.Now)
	took := c.took(f.Source, d.Flits)
	pause := units.MulDiv(units.MulDiv(took, c.last, int64(units.Whole)), s.Index*s.Index, c.limit*c.limit)
	s.From = d.Now + took + pause
}

func (c *ibcc) notified(f *model.Flow, b *model.Feedback) {
	s := model.StateIn[ibFlow](f.State)
	c.fall(s, b.Now)
	s.Index = min(s.Index+c.increase, c.limit)
}

// fall lowers an index by the timer's beats up to a time (ps).
func (c *ibcc) fall(s *ibFlow, now int64) {
	beat := now / c.timer
	s.Index, s.Beat = max(s.Index-(beat-s.Beat), c.min), beat
}
