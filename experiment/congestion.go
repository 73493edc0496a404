package experiment

import (
	"github.com/goccy/go-yaml"

	"fabricast/ethernet/control"
	"fabricast/ethernet/paths"
	"fabricast/internal/units"
)

// Words accepted by fields about congestion.
const (
	BuffersCredits = "credits"
	BuffersPFC     = "pfc"
	BuffersLossy   = "lossy"

	ECNEnqueue = "enqueue"
	ECNDequeue = "dequeue"

	RetransmissionNone      = "none"
	RetransmissionGoBackN   = "go-back-n"
	RetransmissionSelective = "selective"

	ControlNone = "none"
	PathsECMP   = "ecmp"
)

// mostQueuePairs is the largest number of flows between two NICs.
const mostQueuePairs = 1024

// SharedBuffer is memory that all ports of a router share. Packets are counted where they come in.
type SharedBuffer struct {
	Size units.Bytes `yaml:"size,omitempty"` // of all; with lossy 0: there is none
	// Alpha: a port may hold this share of what is free, beside its reserve.
	Alpha units.Fraction `yaml:"alpha,omitempty"`
	// Headroom of a port takes what comes in between a pause and its effect. 0: derived from the
	// bandwidth and latency of its link.
	Headroom units.Bytes `yaml:"headroom,omitempty"`
	Reserve  units.Bytes `yaml:"reserve,omitempty"` // that each port has of its own
	Resume   units.Bytes `yaml:"resume,omitempty"`  // so far below the threshold a pause ends
}

// ECN says which packets routers mark (explicit congestion notification): none, if it is zero.
type ECN struct {
	// At is enqueue, by the queue that a packet meets, or dequeue, by that which it leaves behind.
	At string `yaml:"at,omitempty"`
	// Min and Max are sizes of a queue in bytes: up to Min no packet is marked, above Max each is,
	// and between them with a probability that rises from 0 to Probability. Both 0: derived.
	Min         units.Bytes    `yaml:"min,omitempty"`
	Max         units.Bytes    `yaml:"max,omitempty"`
	Probability units.Fraction `yaml:"probability,omitempty"`
}

// Transport says how NICs send. In a network of credits it has nothing but Control.
type Transport struct {
	// Control is the algorithm that controls congestion, such as control.NSCCOptions or, in a
	// network of credits, control.IBCCOptions; nil means none. Paths is that which chooses paths;
	// nil means one path for each flow.
	Control control.Spec `yaml:"control,omitempty"`
	Paths   paths.Spec   `yaml:"paths,omitempty"`
	// QueuePairs is the number of flows between two NICs.
	QueuePairs int `yaml:"queue_pairs,omitempty"`
	// Retransmission is none, go-back-n or selective.
	Retransmission string `yaml:"retransmission,omitempty"`
	// Timeout after which a packet without an acknowledgement is sent again. 0: derived.
	Timeout units.Time `yaml:"timeout,omitempty"`
	// TimeoutExponent, in place of Timeout, is n of InfiniBand's 4.096us x 2^n (local ACK timeout;
	// InfiniBand Architecture Specification 1, 9.7.6.1.3). 0: none.
	TimeoutExponent int `yaml:"timeout_exponent,omitempty"`

	AckEvery units.Bytes `yaml:"ack_every,omitempty"` // payload of an acknowledgement; 0: each packet
	AckSize  units.Bytes `yaml:"ack_size,omitempty"`  // of acknowledgements and other control packets
	Credit   Credit      `yaml:"credit,omitempty"`
}

// LongestWait returns the time after which a packet without an acknowledgement is sent again; 0 if it
// is derived.
func (t *Transport) LongestWait() units.Time {
	if t.TimeoutExponent > 0 {
		return timeoutUnit << t.TimeoutExponent
	}
	return t.Timeout
}

// timeoutUnit is the timeout of InfiniBand's exponent 0. mostTimeoutExponent, of four seconds, leaves
// room for timeouts that double; InfiniBand's largest is 31.
const (
	timeoutUnit         = 4096 * units.Nanosecond
	mostTimeoutExponent = 20
)

// Credit is what receivers grant to senders whose algorithm needs it.
type Credit struct {
	Initial units.Bytes    `yaml:"initial,omitempty"` // of a new flow; 0: derived
	Grant   units.Bytes    `yaml:"grant,omitempty"`   // of each message
	Rate    units.Fraction `yaml:"rate,omitempty"`    // of all grants together, of the receiver's link
}

// Ethernet reports whether routers drop or pause packets, instead of waiting for credits.
func (n *Network) Ethernet() bool {
	return n.Router.Buffers == BuffersLossy || n.Router.Buffers == BuffersPFC
}

// Credits reports whether the network is one of routers that wait for credits, packet by packet.
func (n *Network) Credits() bool { return !n.Abstract() && !n.Ethernet() }

// The defaults: shared buffers have those of HPCC's simulator, credit those of Ultra Ethernet.
var (
	defaultShared = SharedBuffer{
		Size: 12 * units.MiB, Alpha: 12*units.Percent + units.Percent/2,
		Reserve: 4 * units.KiB, Resume: 3 * units.KiB,
	}
	defaultTransport = Transport{QueuePairs: 1, AckSize: 64, Credit: Credit{Rate: 99 * units.Percent}}
)

// congestion fills in the fields of a network that drops or pauses packets.
func (f filler) congestion(n *Network, t *Transport) {
	if !n.Ethernet() {
		return
	}
	f.shared(&n.Router)
	if e := &n.Router.ECN; *e != (ECN{}) || f.e.positions.Has("network.router.ecn") {
		give(f, "network.router.ecn.at", &e.At, ECNEnqueue)
		give(f, "network.router.ecn.probability", &e.Probability, units.Whole)
	}
	if t.Control == nil {
		t.Control = f.chosen("node.transport.control", ControlNone, control.NoneOptions{}).(control.Spec)
	}
	if t.Paths == nil {
		t.Paths = f.chosen("node.transport.paths", PathsECMP, paths.ECMPOptions{}).(paths.Spec)
	}
	d := defaultTransport
	give(f, "node.transport.queue_pairs", &t.QueuePairs, d.QueuePairs)
	retransmission := RetransmissionNone
	if n.Router.Buffers == BuffersLossy {
		retransmission = RetransmissionSelective
	}
	derive(f, "node.transport.retransmission", &t.Retransmission, retransmission, "network.router.buffers")
	give(f, "node.transport.ack_size", &t.AckSize, d.AckSize)
	if t.credited() {
		derive(f, "node.transport.credit.grant", &t.Credit.Grant, 4*n.Packet.MTU, "network.packet.mtu")
		give(f, "node.transport.credit.rate", &t.Credit.Rate, d.Credit.Rate)
	}
}

// chosen records that an algorithm is the default.
func (f filler) chosen(path, name string, options any) any {
	if f.e.defaults != nil {
		f.e.defaults[path+".algorithm"] = name
	}
	return options
}

// shared fills in the shared buffer, which pausing routers always have.
func (f filler) shared(r *Router) {
	s, d, pauses := &r.Shared, defaultShared, r.Buffers == BuffersPFC
	if pauses {
		give(f, "network.router.shared.size", &s.Size, d.Size)
		give(f, "network.router.shared.resume", &s.Resume, d.Resume)
	}
	if pauses || s.Size > 0 {
		give(f, "network.router.shared.alpha", &s.Alpha, d.Alpha)
		give(f, "network.router.shared.reserve", &s.Reserve, d.Reserve)
	}
}

// credited reports whether the algorithm needs credit of receivers.
func (t *Transport) credited() bool { return t.needs().Credit }

// Controlled reports whether an algorithm controls the congestion of a network of credits.
func (e *Experiment) Controlled() bool {
	k := controlKind(&e.Node.Transport)
	return k != nil && k.Lossless() && !e.Network.Ethernet()
}

// controlKind returns the kind of the algorithm that controls congestion; nil if there is none by name.
func controlKind(t *Transport) *control.Kind {
	if t.Control == nil {
		return nil
	}
	return control.KindOf(t.Control)
}

// needs returns what the algorithm needs; nothing if it is none of those by name.
func (t *Transport) needs() control.Needs {
	if k := controlKind(t); k == nil || k.Lossless() {
		return control.Needs{}
	}
	if r, ok := control.Make(t.Control).(control.Requirer); ok {
		return r.Needs()
	}
	return control.Needs{}
}

// Fields that only networks of credits have, by the field that holds them.
var creditFields = map[string][]string{
	"network.router": {
		"bandwidth", "vcs", "buffer", "queues", "output_buffer", "allocation", "allocator", "turnaround", "arbiter",
	},
	"node": {"dma", "nic_order", "injection"},
}

// WithoutEffect returns the paths of fields that were given and have no effect, because routers drop
// or pause packets.
func (e *Experiment) WithoutEffect() (list []string) {
	if !e.Network.Ethernet() {
		return nil
	}
	for _, at := range []string{"network.router", "node"} {
		for _, name := range creditFields[at] {
			if path := at + "." + name; e.positions.Has(path) {
				list = append(list, path)
			}
		}
	}
	return list
}

// withoutCreditFields returns options by which package yaml leaves the fields out that only networks
// of credits have. within are the options for what these structs hold.
func withoutCreditFields(within []yaml.EncodeOption) []yaml.EncodeOption {
	return []yaml.EncodeOption{
		yaml.CustomMarshaler(func(r Router) ([]byte, error) {
			return encodeStruct(r, omitting(creditFields["network.router"]), within)
		}),
		yaml.CustomMarshaler(func(n Node) ([]byte, error) {
			return encodeStruct(n, omitting(creditFields["node"]), within)
		}),
	}
}
