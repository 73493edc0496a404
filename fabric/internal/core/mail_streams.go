package core

// Streams that cross the border between two blocks are simulated in both. What each side has to know of
// the other is sent as notices. They take effect as late as packets and credit do, and stay in the same
// order: those about packets among the packets of a box, those about credit among its credits.

// ArrivalMail announces packets of a stream to a FIFO of another block, or says that fewer will come
// than have been announced.
type ArrivalMail struct {
	Packet Packet // what all have in common; Time: when the first is ready, or when the notice takes effect (ps)
	Rhythm
	Router uint32
	VC     uint32
	Count  uint32 // number announced
	After  uint32 // number of packets in the box that were sent before
	Fewer  uint32 // 1: only the first Count of the packets announced will come
	Span   uint32 // from when a head is eligible until its tail has arrived (ps), at least
	AtOnce bool   // each tail arrives when the next packet is eligible
}

// DepartureMail says how a FIFO returns credit to an output VC of another block.
type DepartureMail struct {
	At int64 // when the credit of the first packet is known, or when the notice takes effect (ps)
	Rhythm
	Full   int64  // from the start of a packet until its tail leaves (ps), at least
	Router uint32 // router of the output that gets the credit
	VC     uint32
	First  uint32 // number of packets announced that have left the FIFO before
	Count  uint32 // number that leave
	After  uint32 // number of credits in the box that were sent before
	Kind   DepartureKind
	AtOnce bool // each tail leaves when the next packet starts
}

// DepartureKind says what a DepartureMail is about.
type DepartureKind uint32

const (
	Departing DepartureKind = iota // packets leave at a constant interval, from First on
	Departed                       // only Count of them have left so
	Passed                         // all packets announced are in the FIFO or have left it
)

// SendArrivals sends a notice about packets that leave through an output to another block.
func (o *Outbox) SendArrivals(m ArrivalMail) {
	box := o.To(uint32(BlockAt(o.cuts, m.Router)))
	m.After = uint32(len(box.Packets))
	box.First = min(box.First, m.Packet.Time+o.late.Notice[m.Fewer])
	m.Packet.Time += o.late.Effect[m.Fewer]
	box.Arrivals = append(box.Arrivals, m)
}

// SendDepartures sends a notice about credit to the block upstream.
func (o *Outbox) SendDepartures(m DepartureMail) {
	box, kind := o.To(uint32(BlockAt(o.cuts, m.Router))), LateDeparting+int(m.Kind)
	m.After = uint32(len(box.Credits))
	box.First = min(box.First, m.At+o.late.Notice[kind])
	m.At += o.late.Effect[kind]
	box.Departures = append(box.Departures, m)
}

// Late is by how much later than right (ps) notices have an effect, and have to be received, by their
// kind: 0, except in tests, which show so that these times have no slack.
type Late struct{ Effect, Notice [latePassed + 1]int64 }

// Kinds of notices in Late. An announcement, and a notice that packets are departing, need not be
// received before a packet or its credit that is in the same box.
const (
	LateAnnounced = iota
	LateFewer
	LateDeparting
	LateDeparted
	latePassed
)

// DelayNotices makes all following notices late.
func (o *Outbox) DelayNotices(late Late) { o.late = late }
