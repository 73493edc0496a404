package ethernet

import (
	"fmt"
	"slices"

	"fabricast/ethernet/control"
	"fabricast/fabric"
	"fabricast/internal/cluster"
)

// Counts are sums over a network. As JSON they are part of results (docs/formats/result.md).
type Counts struct {
	Packets        uint64 `json:"sent"`         // packets with payload that NICs have sent, those sent again included
	Delivered      uint64 `json:"delivered"`    // packets with payload that have arrived, each once
	Again          uint64 `json:"sent_again"`   // packets sent again
	Duplicates     uint64 `json:"duplicates"`   // packets that arrived though they had arrived before
	OutOfOrder     uint64 `json:"out_of_order"` // packets that arrived before an earlier one
	Discarded      uint64 `json:"discarded"`    // of those, the ones that their receiver did not keep
	Hops           uint64 `json:"-"`            // links between switches taken by packets of any kind
	Bytes          uint64 `json:"-"`            // payload of messages that have arrived
	Latency        int64  `json:"-"`            // sum over delivered packets of the time since they were last sent (ps)
	Marked         uint64 `json:"marked"`       // by ECN
	Trimmed        uint64 `json:"trimmed"`
	Dropped        uint64 `json:"dropped"`                // packets with payload
	HeadersDropped uint64 `json:"headers_dropped"`        // packets without
	Damaged        uint64 `json:"damaged"`                // packets with payload that bit errors have hit
	HeadersDamaged uint64 `json:"headers_damaged"`        // packets without
	Lost           uint64 `json:"lost,omitempty"`         // packets with payload that links lost that were down
	HeadersLost    uint64 `json:"headers_lost,omitempty"` // packets without
	Rerouted       uint64 `json:"-"`                      // packets with payload that routers led another way than if no link had failed
	Acks           uint64 `json:"acks"`
	Nacks          uint64 `json:"nacks"`
	Grants         uint64 `json:"grants"`        // packets that grant credit
	Requests       uint64 `json:"requests"`      // packets that ask for credit
	Notifications  uint64 `json:"notifications"` // of congestion
	Timeouts       uint64 `json:"timeouts"`
	Pauses         uint64 `json:"pauses"`
	Paused         int64  `json:"paused_ps"` // over all pauses that have ended
}

// add adds the counts of a block, but for those that are kept by class.
func (c *Counts) add(d *Counts) {
	for _, p := range [...]struct{ to, from *uint64 }{
		{&c.Delivered, &d.Delivered},
		{&c.Again, &d.Again},
		{&c.Duplicates, &d.Duplicates},
		{&c.OutOfOrder, &d.OutOfOrder},
		{&c.Discarded, &d.Discarded},
		{&c.Hops, &d.Hops},
		{&c.Bytes, &d.Bytes},
		{&c.HeadersDropped, &d.HeadersDropped},
		{&c.Damaged, &d.Damaged},
		{&c.HeadersDamaged, &d.HeadersDamaged},
		{&c.Lost, &d.Lost},
		{&c.HeadersLost, &d.HeadersLost},
		{&c.Rerouted, &d.Rerouted},
		{&c.Acks, &d.Acks},
		{&c.Nacks, &d.Nacks},
		{&c.Grants, &d.Grants},
		{&c.Requests, &d.Requests},
		{&c.Notifications, &d.Notifications},
		{&c.Timeouts, &d.Timeouts},
	} {
		*p.to += *p.from
	}
	c.Latency += d.Latency
}

// Network is a simulated network, divided into blocks. A block uses only the ports, NICs and hosts
// that are its own.
type Network struct {
	layout
	blocks     []*Block
	ports      []port  // by global ID
	nics       []nic   // by global ID
	timers     []int64 // when each host is to be woken (ps)
	sharedUsed []int64 // of each router: bytes of the shared part of its buffer in use
	sharedPart []int64 // of each router: its size
	headroom   []int64 // of each port as ingress, for each class (bytes)
	goodput    []goodput
	tallies    []tally // by port, then by NIC, if bins are recorded
	held       []held  // of each queue of each port, if bins are recorded
	across     *across // nil unless several processes share the run
	following  *Following
	followed   int // flows that a NIC follows
}

// New builds the network of a Spec, divided into the given number of blocks, at most one per router.
func New(spec Spec, blocks int) (*Network, error) { return NewAcross(spec, blocks, nil) }

// NewAcross is New for a run that the processes of a group share. blocks is the number of blocks in
// all processes, of which each has at least one. Blocks are those of this process.
func NewAcross(spec Spec, blocks int, group cluster.Group) (*Network, error) {
	processes := 1
	if cluster.Several(group) {
		processes = group.Size()
	}
	if err := spec.check(); err != nil {
		return nil, err
	}
	g := spec.Graph
	if processes > g.Routers {
		return nil, fmt.Errorf("%d processes share a network of %d routers: at most one process a router is of use",
			processes, g.Routers)
	}
	if err := checkRoutes(g, 1+len(spec.Epochs)); err != nil {
		return nil, err
	}
	r := newRoutes(g)
	if err := r.check(); err != nil {
		return nil, err
	}
	n := &Network{
		layout: layout{Spec: spec, routes: r, block: make([]int32, g.Routers)},
		ports:  make([]port, len(g.Ports)), nics: make([]nic, len(g.NICPort)),
		timers: make([]int64, g.Hosts),
	}
	if a, ok := spec.NIC.Control.(control.Requirer); ok {
		n.needs = a.Needs()
	}
	for _, port := range g.NICPort {
		n.nicRouter = append(n.nicRouter, g.Ports[port].Router)
	}
	for i := range n.timers {
		n.timers[i] = fabric.Forever
	}
	for i := range n.ports {
		n.ports[i].id = int32(i)
	}
	n.prepareChanges()
	n.control, n.choices = spec.NIC.Control.Words(), spec.NIC.Paths.Words()
	n.divide(max(processes, min(blocks, g.Routers)), processes)
	n.across = newAcross(n, group)
	if err := n.measure(); err != nil {
		return nil, err
	}
	n.queues()
	if err := n.buffers(); err != nil {
		return nil, err
	}
	for _, b := range n.blocks {
		b.length, b.mail = n.lookahead, newMail(len(n.blocks))
	}
	n.ScheduleChanges()
	return n, nil
}

// divide assigns routers and their hosts to blocks, of which there are at least so many.
func (n *Network) divide(blocks, least int) {
	var cut []int32
	if n.Cut != nil && blocks > 1 {
		cut = n.Cut(blocks)
	}
	if cut != nil && int(slices.Max(cut)) >= least-1 {
		copy(n.block, cut)
		blocks = int(slices.Max(cut)) + 1
	} else {
		n.runs(blocks)
	}
	for i := range blocks {
		n.blocks = append(n.blocks, newBlock(n, int32(i)))
	}
	for host := range n.Graph.Hosts {
		b := n.blocks[n.block[n.Graph.HostRouter(host)]]
		b.hosts = append(b.hosts, int32(host))
	}
}

// runs divides the routers into runs of equally many.
func (n *Network) runs(blocks int) {
	for i := range n.block {
		n.block[i] = int32(i * blocks / len(n.block))
	}
}

// longestWindow is the length of windows (ps) in which nothing limits it: short enough for a run to
// be stopped.
const longestWindow = 100_000_000

// measure computes the lookahead and the longest round trip.
func (n *Network) measure() error {
	g := n.Graph
	n.lookahead = longestWindow
	for i := range g.Ports {
		p := &g.Ports[i]
		if p.Peer < 0 || n.block[p.Router] == n.block[g.Ports[p.Peer].Router] {
			continue
		}
		n.lookahead = min(n.lookahead, int64(n.Links[p.Link].Latency))
	}
	if n.lookahead < 1 {
		return fmt.Errorf("links between the parts of several workers need a latency above 0 ps")
	}
	first := func(router int32) int32 {
		for nic, at := range n.nicRouter {
			if at == router {
				return int32(nic)
			}
		}
		return 0
	}
	n.farthest = [2]int32{first(n.routes.far[0]), first(n.routes.far[1])}
	n.longest = n.pathOf(n.farthest[0], n.farthest[1]).RTT
	n.derive()
	return nil
}

// queues gives each port and NIC a queue for each class.
func (n *Network) queues() {
	classes := len(n.classes)
	queues, lists := make([]queue, len(n.ports)*classes), make([]ready, len(n.nics)*classes)
	for i := range n.ports {
		n.ports[i].queues = queues[i*classes : (i+1)*classes]
	}
	for i := range n.nics {
		n.nics[i].ready = lists[i*classes : (i+1)*classes]
	}
}

// buffers computes the sizes of shared buffers.
func (n *Network) buffers() error {
	s := n.Switch.Shared
	if s == nil {
		return nil
	}
	g, classes := n.Graph, len(n.classes)
	accounts := make([]ingress, len(n.ports)*classes)
	n.sharedUsed, n.sharedPart = make([]int64, g.Routers), make([]int64, g.Routers)
	n.headroom = make([]int64, len(g.Ports))
	for r := range g.Routers {
		n.sharedPart[r] = s.Size
		for p := g.PortBase[r]; p < g.PortBase[r+1]; p++ {
			if s.Pauses {
				n.headroom[p] = n.headroomOf(int(p))
			}
			n.ports[p].in = accounts[int(p)*classes : (int(p)+1)*classes]
			n.sharedPart[r] -= int64(classes) * (n.headroom[p] + s.Reserve)
		}
		if n.sharedPart[r] < n.Packet.MTU {
			return &BufferError{Router: r, Size: s.Size, Needed: s.Size - n.sharedPart[r] + n.Packet.MTU}
		}
	}
	return nil
}

// Blocks returns the network's blocks that this process simulates.
func (n *Network) Blocks() []*Block {
	if n.across != nil {
		return n.blocks[n.across.first:n.across.end]
	}
	return n.blocks
}

// Close releases the network, which must not be used afterwards.
func (n *Network) Close() { n.blocks = nil }

// Counts returns the sums so far. It must not be called while blocks run.
func (n *Network) Counts() Counts {
	var c Counts
	for _, b := range n.blocks {
		c.add(&b.counts)
	}
	for _, of := range n.sumsByClass() {
		c.Packets += of.Packets
		c.Marked += of.Marked
		c.Trimmed += of.Trimmed
		c.Dropped += of.Dropped
		c.Pauses += of.Pauses
		c.Paused += of.Paused
	}
	return c
}

// Totals returns the sums so far. Visits is the number of events. It must not be called while blocks
// run.
func (n *Network) Totals() fabric.Totals {
	c := n.Counts()
	t := fabric.Totals{
		Packets: c.Packets, Delivered: c.Delivered, Hops: c.Hops, Bytes: c.Bytes, Latency: c.Latency,
	}
	for _, b := range n.blocks {
		t.Visits += b.events
	}
	return t
}

// Progress returns zero Totals: the network publishes no counts while blocks run.
func (n *Network) Progress() fabric.Totals { return fabric.Totals{} }

// Balance returns how evenly events are divided among blocks: the mean number of events of a block
// divided by the largest, or 1 if all are equal.
func (n *Network) Balance() float64 {
	var sum, largest uint64
	for _, b := range n.blocks {
		sum += b.events
		largest = max(largest, b.events)
	}
	if largest == 0 {
		return 1
	}
	return float64(sum) / float64(largest) / float64(len(n.blocks))
}

// Port returns the transmit counters of a router's port, by global ID.
func (n *Network) Port(port int) fabric.PortUse { return n.ports[port].use }

// Sent returns the transmit counters of a NIC, by global ID.
func (n *Network) Sent(nic int) fabric.PortUse { return n.nics[nic].use }

// Verify returns an error if a packet or a message is left over, or if packets were lost without a
// count. It must be called when no event is left. In a deadlock of pauses it
// returns nil. Messages that links which stay down cut off may be left over.
func (n *Network) Verify() error {
	d := n.Deadlock()
	if d != nil && d.Pauses {
		return nil
	}
	n.Share()
	return n.agreeOn(n.verify(d != nil))
}

// verify implements Verify for the part of this process. cutOff: flows may have packets left.
func (n *Network) verify(cutOff bool) error {
	for i := range n.ports {
		if !n.here(n.Graph.Ports[i].Router) {
			continue
		}
		if p := &n.ports[i]; p.bytes != 0 || p.headerBytes != 0 {
			return fmt.Errorf("port %d of router %d holds %d B and %d B of headers at the end",
				int32(i)-n.Graph.PortBase[n.Graph.Ports[i].Router], n.Graph.Ports[i].Router, p.bytes, p.headerBytes)
		}
	}
	for _, b := range n.Blocks() {
		if !b.queue.Empty() {
			return fmt.Errorf("events of block %d are left over", b.index)
		}
		for _, f := range b.senders {
			if !cutOff && (f.una != f.end || f.flying != 0) {
				return fmt.Errorf("the flow from NIC %d to NIC %d has sent %d packets, of which %d are acknowledged, "+
					"and believes %d B under way", f.nic, f.dst, f.end, f.una, f.flying)
			}
		}
	}
	c := n.Counts()
	if c.Packets != c.Delivered+c.Duplicates+c.Dropped+c.Damaged+c.Lost+c.Trimmed+c.Discarded {
		return fmt.Errorf("of %d packets %d were delivered, %d duplicates, %d dropped, %d damaged, %d lost on links "+
			"that were down, %d cut", c.Packets, c.Delivered, c.Duplicates, c.Dropped, c.Damaged, c.Lost, c.Trimmed)
	}
	return nil
}
