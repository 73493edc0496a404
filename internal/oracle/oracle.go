package oracle

import (
	"errors"
	"fmt"

	"fabricast/fabric"
	"fabricast/topology"
)

// Oracle simulates one network. It implements fabric.Transport for all hosts.
type Oracle struct {
	*core
	hosts    *hosts
	switches *switches
	timers   []int64 // by host: time of its timer (ps); fabric.Forever if not set
	messages map[fabric.MsgID]*message
	lastID   fabric.MsgID
}

var _ fabric.Transport = (*Oracle)(nil)

// New builds the network. endpoint is the endpoint of all hosts. It returns an error if the model
// does not support the specification.
func New(spec fabric.Spec, endpoint fabric.Endpoint) (*Oracle, error) {
	if err := check(spec); err != nil {
		return nil, err
	}
	c := &core{spec: spec, endpoint: endpoint}
	o := &Oracle{
		core:     c,
		hosts:    newHosts(c),
		switches: newSwitches(c),
		timers:   make([]int64, spec.Graph.Hosts),
		messages: map[fabric.MsgID]*message{},
	}
	o.hosts.switches, o.switches.hosts = o.switches, o.hosts
	o.doors = newDoors(o)
	for host := range o.timers {
		o.timers[host] = fabric.Forever
	}
	return o, nil
}

// check returns an error if the model does not define the behaviour of the specification.
func check(spec fabric.Spec) error {
	r, p := spec.Router, spec.Packet
	switch {
	case (spec.Routing == nil) == (spec.Adaptive == nil):
		return errors.New("oracle: neither or both of routing and adaptive routing")
	case r.OutputBuffer != 0 && p.Wire(p.Payload()) > int64(r.OutputBuffer):
		return errors.New("oracle: a full packet does not fit an output buffer")
	case r.VCs < 1:
		return errors.New("oracle: no virtual channels")
	case p.Flit < 1 || p.Header < 0 || p.Payload() < 1:
		return errors.New("oracle: packets without room for payload")
	case p.Wire(p.Payload()) > int64(r.Buffer):
		return errors.New("oracle: a full packet does not fit a buffer")
	case min(
		int64(r.Routing), int64(r.VCAllocation), int64(r.SwitchAllocation), int64(r.SwitchTraversal),
		int64(r.Latency),
	) < 0:
		return errors.New("oracle: negative router delay")
	case r.Allocation == fabric.SeparateAllocation && r.Queues != fabric.InputQueues:
		return errors.New("oracle: separate allocation wants input queues")
	case r.Allocator == fabric.SeparableAllocator &&
		(r.Allocation != fabric.SeparateAllocation || r.VCAllocation < 1 || r.SwitchAllocation < 1):
		return errors.New("oracle: separable allocators want separate allocation, and time for a round")
	case r.Turnaround < 0 || r.Turnaround > 0 && r.Queues != fabric.InputQueues:
		return errors.New("oracle: a turnaround must not be negative, and is that of an input queue")
	case spec.IOBus.Bandwidth < 0 || spec.IOBus.Latency < 0 ||
		spec.IOBus.Bandwidth == 0 && spec.IOBus.Latency > 0:
		return errors.New("oracle: an I/O bus needs a positive rate and a latency that is not negative")
	case r.Bandwidth < 1 || spec.DMA < 1:
		return errors.New("oracle: rates must be positive")
	}
	between := map[uint16]bool{} // set of the link classes that have links between routers
	for _, port := range spec.Graph.Ports {
		if port.Peer != topology.Unconnected {
			between[port.Link] = true
		}
	}
	for class, link := range spec.Links {
		if err := checkLink(spec, class, link, between[uint16(class)]); err != nil {
			return err
		}
	}
	return nil
}

// checkLink returns an error if a packet or credit sent over a link of the class would reach
// another router at the same instant. between says whether the class has links between routers.
func checkLink(spec fabric.Spec, class int, link fabric.Link, between bool) error {
	r := spec.Router
	if link.Bandwidth < 1 || link.Latency < 0 {
		return fmt.Errorf("oracle: link class %d: bandwidth must be positive and latency not negative", class)
	}
	way := int64(r.Routing) + int64(r.VCAllocation) + int64(link.Latency)
	if r.Allocation == fabric.CombinedAllocation {
		way += int64(r.SwitchAllocation)
	}
	if r.OutputBuffer == 0 {
		way += int64(r.SwitchTraversal) + int64(r.Latency)
	}
	if way < 1 && between {
		return fmt.Errorf("oracle: link class %d: the way to the next router takes no time", class)
	}
	shortest := server{rate: max(int64(link.Bandwidth), int64(r.Bandwidth))}
	if shortest.transfer(0, spec.Packet.Wire(0)) < 1 {
		return fmt.Errorf("oracle: link class %d: the shortest packet takes no time", class)
	}
	return nil
}

// Run simulates until no events are left. If packets are still in the network then, it returns
// ErrStuck with the position of one of them.
func (o *Oracle) Run() error {
	for !o.events.empty() {
		e := o.events.next()
		if e.time < o.now {
			o.violation("an event at %d ps comes too late", e.time)
		}
		o.switches.publish(e.time)
		o.now = e.time
		e.do()
	}
	return o.drained()
}

// Now returns the simulated time in ps.
func (o *Oracle) Now() int64 { return o.now }

// NewMessage implements fabric.Transport.
func (o *Oracle) NewMessage() (fabric.MsgID, *fabric.Message) {
	o.lastID++
	m := &message{id: o.lastID}
	o.messages[m.id] = m
	return m.id, &m.Message
}

// Message implements fabric.Transport.
func (o *Oracle) Message(id fabric.MsgID) *fabric.Message { return &o.message(id).Message }

// Attach implements fabric.Transport.
func (o *Oracle) Attach(id fabric.MsgID) *fabric.Extra {
	m := o.message(id)
	m.Flags |= fabric.HasExtra
	m.extra = fabric.Extra{}
	return &m.extra
}

// Extra implements fabric.Transport.
func (o *Oracle) Extra(id fabric.MsgID) *fabric.Extra { return &o.message(id).extra }

func (o *Oracle) message(id fabric.MsgID) *message {
	m := o.messages[id]
	if m == nil {
		o.violation("message %d does not exist", id)
	}
	return m
}

// Post implements fabric.Transport.
func (o *Oracle) Post(id fabric.MsgID) {
	m := o.message(id)
	source := &o.hosts.nics[m.Src]
	if m.Post < o.now || m.Post < source.lastPost {
		o.violation("post at %d ps, after %d ps on the same NIC", m.Post, source.lastPost)
	}
	if o.perPacket() == nil {
		header, vc := o.spec.Routing.Start(m.Src, m.Dst)
		m.header, m.entry = header, int(vc)+o.base(m)
	}
	m.left = m.Size
	if m.Flags&fabric.HasExtra != 0 {
		m.gap = int64(m.extra.Gap)
	}
	o.totals.Messages++
	m.posted = true
	source.lastPost = m.Post
	l := o.hosts.laneOf(source, m)
	l.posted = append(l.posted, m)
	o.hosts.fetch(source)
}

// Release implements fabric.Transport.
func (o *Oracle) Release(id fabric.MsgID) {
	if m := o.message(id); m.posted && !m.done {
		o.violation("message %d released before it was delivered", id)
	}
	delete(o.messages, id)
}

// SetTimer implements fabric.Transport.
func (o *Oracle) SetTimer(host int32, at int64) {
	if at < o.now {
		o.violation("timer of host %d set to %d ps, in the past", host, at)
	}
	o.timers[host] = at
	if at == fabric.Forever {
		return
	}
	o.events.add(at, timers, int(host), func() {
		// the timer may have been replaced in the meantime
		if o.timers[host] == o.now {
			o.timers[host] = fabric.Forever
			o.endpoint.Wake(host, o.now)
		}
	})
}
