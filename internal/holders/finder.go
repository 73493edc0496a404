package holders

import (
	"cmp"
	"slices"

	"fabricast/fabric"
	"fabricast/fabric/model"
	"fabricast/internal/causes"
	"fabricast/topology"
)

// Holder is a packet that held what another packet waited for.
type Holder struct {
	Message             int64 // see fabric.MessageNumber
	Source, Destination int32 // NIC IDs
	SourceRank          int32
	Link                int32 // link that it passed or was about to pass: see Links
}

// Wait is a period in which the last packet of a message, or any of its packets at the sending NIC, waited
// for something that one packet held.
type Wait struct {
	Message, Holder Holder // Message.Link is the link that the message waited for
	Part            causes.Part
	Time            int64 // duration (ps)
}

// Finder finds the holders of one run.
type Finder struct {
	spec    *fabric.Spec
	report  func(*Wait)
	links   []int32  // by port: its link
	buffers []buffer // see bufferOf
	servers []server // by link, then by port (crossbar inputs), then links behind output buffers, then receiving NICs
	nics    []sender
	vcs     int32
	ports   int32
	taken   int     // number of hops
	slowest int64   // the longest time that credit takes (ps)
	pieces  []piece // of the current hop
	count   count
	wait    Wait // that is reported

	horizons *Horizons // of all hops; nil: nothing is forgotten
}

// New returns a Finder, which calls report for each Wait. report must copy what it keeps. horizons are those of
// all hops that the Finder will take, in their order; without them (nil) it forgets nothing.
func New(spec *fabric.Spec, horizons *Horizons, report func(*Wait)) *Finder {
	ports, nics := len(spec.Graph.Ports), len(spec.Graph.NICPort)
	f := &Finder{
		spec: spec, report: report, horizons: horizons, links: Links(spec),
		vcs: int32(spec.Router.VCs), ports: int32(ports),
		buffers: make([]buffer, (2*ports+nics)*spec.Router.VCs), servers: make([]server, 4*(ports+nics)),
		nics: make([]sender, nics),
	}
	flit := spec.Packet.Flit
	for i := range f.buffers {
		b := &f.buffers[i]
		b.capacity = int64(spec.Router.Buffer) / flit
		switch at := i / spec.Router.VCs; {
		case at < ports: // an input buffer
			b.latency = int64(spec.Links[spec.Graph.Ports[at].Link].Latency)
		case at < 2*ports:
			b.capacity = int64(spec.Router.OutputBuffer) / flit
		default:
			b.latency = int64(spec.Links[spec.Graph.Ports[spec.Graph.NICPort[at-2*ports]].Link].Latency)
		}
		f.slowest = max(f.slowest, b.latency)
	}
	return f
}

// Links returns the link of each port of a network, as observations number them. The NIC with ID i sends on
// the link that follows the last of them by i+1.
func Links(spec *fabric.Spec) []int32 {
	links, next := make([]int32, len(spec.Graph.Ports)), int32(0)
	for i, p := range spec.Graph.Ports {
		if links[i] = -1; p.Peer != topology.Unconnected || p.NIC != topology.Unconnected {
			links[i] = next
			next++
		}
	}
	return links
}

// Compare orders hops as Take expects them.
func Compare(a, b *fabric.Hop) int {
	return cmp.Or(
		cmp.Compare(a.Start, b.Start), cmp.Compare(b.Stage, a.Stage), cmp.Compare(a.Leave, b.Leave),
		cmp.Compare(a.Port, b.Port), cmp.Compare(a.VC, b.VC), cmp.Compare(a.OutPort, b.OutPort),
		cmp.Compare(a.OutVC, b.OutVC), cmp.Compare(a.Ready, b.Ready), cmp.Compare(a.Message, b.Message),
	)
}

// nicLink returns the link on which a NIC sends.
func (f *Finder) nicLink(nic int32) int32 {
	last := int32(-1)
	for i := len(f.links) - 1; last < 0 && i >= 0; i-- {
		last = f.links[i]
	}
	return last + 1 + nic
}

// Take processes a hop. Hops must come in the order of Compare.
func (f *Finder) Take(h *fabric.Hop) {
	s := &step{ready: h.Ready, asked: h.Asked, start: h.Start, leave: h.Leave, flits: int64(h.Flits)}
	s.self = &holder{Holder: Holder{h.Message, h.Source, h.Destination, h.SourceRank, 0}}
	f.pieces = f.pieces[:0]
	switch h.Stage {
	case model.Injected:
		f.inject(h, s)
	case model.Crossed:
		f.cross(h, s)
	case model.Linked:
		f.link(h, s)
	case model.Received:
		f.receive(h, s)
	}
	if s.pieces = f.pieces; h.Stage != model.Injected {
		s.pieces = slices.Clone(s.pieces) // no packet refers to what another one waits for in its NIC
	}
	if h.Last || h.Stage == model.Injected {
		f.charge(s)
	}
	if h.Stage == model.Injected {
		s.pieces = nil
	}
	f.taken++
	f.forget(f.taken)
}

// The buffers: input buffers of routers, output buffers, and receive buffers of NICs.

func (f *Finder) inputBuffer(port, vc int32) *buffer { return &f.buffers[port*f.vcs+vc] }

func (f *Finder) outputBuffer(port, vc int32) *buffer { return &f.buffers[(f.ports+port)*f.vcs+vc] }

func (f *Finder) nicBuffer(nic, vc int32) *buffer { return &f.buffers[(2*f.ports+nic)*f.vcs+vc] }

// behind returns the buffer at the other end of a port's link.
func (f *Finder) behind(port, vc int32) *buffer {
	p := &f.spec.Graph.Ports[port]
	if p.NIC != topology.Unconnected {
		return f.nicBuffer(p.NIC, vc)
	}
	return f.inputBuffer(p.Peer, vc)
}

// The servers: what one packet passes at a time.

func (f *Finder) output(link int32) *server { return &f.servers[link] }

func (f *Finder) input(port int32) *server { return &f.servers[len(f.servers)/4+int(port)] }

func (f *Finder) outputLink(port int32) *server { return &f.servers[len(f.servers)/2+int(port)] }

func (f *Finder) receiver(nic int32) *server { return &f.servers[len(f.servers)/4*3+int(nic)] }
