package ethernet

import (
	"fmt"
	"slices"

	"fabricast/fabric/model"
	"fabricast/internal/snapshot"
	"fabricast/internal/units"
	"fabricast/topology"
)

// Change is a change of one direction of a link.
type Change struct {
	At   int64 // ps
	Kind ChangeKind
	// Way is the direction: the global ID of the port that sends, or the number of ports plus that of
	// the NIC that does.
	Way  int32
	Rate units.Rate // bytes/s with SetRate; 0: the rate of its link class
}

// ChangeKind is the kind of a Change.
type ChangeKind uint8

const (
	// Down: what is on the way, being sent or queued at a port is lost, and so is what comes until Up. A
	// NIC keeps what it has not begun to send.
	Down ChangeKind = iota
	Up
	SetRate // of packets that start later
	// Avoid: the port's router no longer chooses it if there is another on a shortest path.
	Avoid
	Use // ends Avoid
)

// Epoch are the shortest paths that routers take from a time on: those of a graph with the same
// ports as the network's, and fewer links.
type Epoch struct {
	At    int64 // ps
	Graph *topology.Graph
}

// epoch is an Epoch with its paths.
type epoch struct {
	at     int64
	routes *routes
}

// checkChanges returns an error if changes cannot be simulated.
func (s *Spec) checkChanges() error {
	ways := int32(len(s.Graph.Ports) + len(s.Graph.NICPort))
	for i, c := range s.Changes {
		switch {
		case c.Way < 0 || c.Way >= ways:
			return fmt.Errorf("change %d is of direction %d of %d", i, c.Way, ways)
		case i > 0 && c.At < s.Changes[i-1].At:
			return fmt.Errorf("change %d is earlier than the one before", i)
		case c.Kind == Down && s.NIC.Timeout < 0:
			return fmt.Errorf("packets are not sent again after a timeout, although link %d goes down", c.Way)
		}
	}
	return nil
}

// prepareChanges computes what follows from changes and epochs.
func (l *layout) prepareChanges() {
	known := map[*topology.Graph]*routes{l.Graph: l.routes}
	for _, e := range l.Epochs {
		if known[e.Graph] == nil {
			known[e.Graph] = newRoutes(e.Graph)
		}
		l.epochs = append(l.epochs, epoch{e.At, known[e.Graph]})
		l.settled = max(l.settled, e.At)
	}
	l.downs, l.downAtEnd = map[int32][]int64{}, map[int32]bool{}
	for _, c := range l.Changes {
		l.settled = max(l.settled, c.At)
		switch c.Kind {
		case Down:
			l.downs[c.Way] = append(l.downs[c.Way], c.At)
			l.downAtEnd[c.Way] = true
		case Up:
			delete(l.downAtEnd, c.Way)
		}
	}
}

// ScheduleChanges schedules the changes of the network again after Restore, for a network that
// goes on from the state of one without them. All must come after that.
func (n *Network) ScheduleChanges() {
	for i, c := range n.Changes {
		if b := n.blocks[n.blockOfWay(c.Way)]; n.ours(b) {
			b.push(c.At, changeEvent, uint64(i), uint32(i))
		}
	}
}

// ours reports whether this process simulates a block.
func (n *Network) ours(b *Block) bool { return slices.Contains(n.Blocks(), b) }

// blockOfWay returns the block of what sends in a direction.
func (l *layout) blockOfWay(way int32) int32 {
	if nic := way - int32(len(l.Graph.Ports)); nic >= 0 {
		return l.block[l.nicRouter[nic]]
	}
	return l.block[l.Graph.Ports[way].Router]
}

// change makes a change.
func (b *Block) change(index uint32) {
	c := &b.net.Changes[index]
	if nic := c.Way - int32(len(b.net.ports)); nic >= 0 {
		b.changeNIC(nic, c)
		return
	}
	p := &b.net.ports[c.Way]
	b.changesPort(p)
	switch c.Kind {
	case Down:
		p.down, p.broken = true, p.sending != 0
		b.fails(c.Way, model.LinkDown)
		b.loseQueued(c.Way, p)
	case Up:
		p.down = false
		b.fails(c.Way, model.LinkUp)
	case SetRate:
		p.rate = c.Rate
	case Avoid, Use:
		p.avoided = c.Kind == Avoid
	}
}

// changeNIC makes a change of the direction from a NIC.
func (b *Block) changeNIC(at int32, c *Change) {
	n := &b.net.nics[at]
	b.changesNIC(at)
	switch c.Kind {
	case Down:
		n.down = true
		b.fails(c.Way, model.LinkDown)
		if n.sending != 0 {
			b.packets.list[n.sending].flags |= broken
		}
	case Up:
		n.down = false
		b.fails(c.Way, model.LinkUp)
		b.start(at)
	case SetRate:
		n.rate = c.Rate
	}
}

// loseQueued loses what is queued at a port whose link has gone down: packets with payload by class,
// then those without.
func (b *Block) loseQueued(out int32, p *port) {
	router := b.net.Graph.Ports[out].Router
	for class := range p.queues {
		q := &p.queues[class]
		for !q.empty() {
			id := q.pop(&b.packets)
			k := &b.packets.list[id]
			p.bytes -= int64(k.size)
			q.bytes -= int64(k.size)
			b.refund(router, out, k)
			b.losesDown(out, id, true)
			b.lose(id)
		}
		p.rounds.deficits[class] = 0
	}
	for !p.headers.empty() {
		id := p.headers.pop(&b.packets)
		p.headerBytes -= int64(b.packets.list[id].size)
		b.lose(id)
	}
}

// loseOn removes a packet that the link in a direction has lost, because that is or was down.
func (b *Block) loseOn(way int32, id uint32) {
	b.losesDown(way, id, false)
	b.lose(id)
}

// lose removes a packet that a link which is down has lost.
func (b *Block) lose(id uint32) {
	if k := &b.packets.list[id]; k.kind == data && k.flags&cut == 0 {
		b.counts.Lost++
	} else {
		b.counts.HeadersLost++
	}
	b.drop(id)
}

// lostOnLink reports whether a packet whose end is at the far end of a direction at a time (ps) was lost
// there: the link went down while it was sent, or after that.
func (b *Block) lostOnLink(way int32, k *packet, arrived int64) bool {
	if k.flags&broken != 0 {
		return true
	}
	link := b.net.linkOfWay(way)
	left := arrived - int64(b.net.Links[link].Latency)
	for _, at := range b.net.downs[way] {
		if at > left && at <= arrived {
			return true
		}
	}
	return false
}

// linkOfWay returns the class of the link of a direction.
func (l *layout) linkOfWay(way int32) uint16 {
	if nic := way - int32(len(l.Graph.Ports)); nic >= 0 {
		return l.Graph.Ports[l.Graph.NICPort[nic]].Link
	}
	return l.Graph.Ports[way].Link
}

// wayInto returns the direction of the link that leads to a port.
func (l *layout) wayInto(port int32) int32 {
	if p := &l.Graph.Ports[port]; p.NIC >= 0 {
		return int32(len(l.Graph.Ports)) + p.NIC
	}
	return l.Graph.Ports[port].Peer
}

// outputAround returns the port by which a packet leaves a router in a network whose links change; -1 if
// none leads to its destination.
func (b *Block) outputAround(router, to int32, k *packet) int32 {
	for b.epoch < len(b.net.epochs) && b.net.epochs[b.epoch].at <= b.now {
		b.epoch++
	}
	r := b.net.routes
	if b.epoch > 0 {
		r = b.net.epochs[b.epoch-1].routes
	}
	all, hash := r.ports(router, to), b.net.hash(router, k)
	b.usable = b.usable[:0]
	for _, p := range all {
		if !b.net.ports[p].avoided {
			b.usable = append(b.usable, p)
		}
	}
	if len(b.usable) > 0 {
		all = b.usable
	}
	if len(all) == 0 {
		return -1
	}
	out := all[hash%uint32(len(all))]
	if usual := b.net.routes.ports(router, to); out != usual[hash%uint32(len(usual))] {
		b.countRerouted(k)
	}
	return out
}

// countRerouted counts a packet with payload that a router leads another way than if no link had failed, once.
func (b *Block) countRerouted(k *packet) {
	if k.kind == data && k.flags&(cut|rerouted) == 0 {
		k.flags |= rerouted
		b.counts.Rerouted++
	}
}

// mostLate is how many timeouts in a row a flow waits that packets may never get through: as many as
// InfiniBand's retry counter allows at most.
const mostLate = 7

// mostAsks is how many requests for credit in a row such a flow sends in vain.
const mostAsks = 64

// givesUp reports whether a flow whose packets have timed out sends no more, because links that may be
// on its way stay down, or on that of its acknowledgements.
func (b *Block) givesUp(f *sender) bool {
	l := b.net
	if f.late < mostLate && f.asks < mostAsks || len(l.downAtEnd) == 0 || b.now < l.settled {
		return false
	}
	return l.mayMeetDown(f.nic, f.dst) || l.mayMeetDown(f.dst, f.nic)
}

// mayMeetDown reports whether packets between two NICs can come to a link that stays down, or to a
// router from which no way leads on, after the last change.
func (l *layout) mayMeetDown(src, dst int32) bool {
	if l.downAtEnd[int32(len(l.Graph.Ports))+src] || l.downAtEnd[l.Graph.NICPort[dst]] {
		return true
	}
	r, to := l.routes, l.nicRouter[dst]
	if n := len(l.epochs); n > 0 {
		r = l.epochs[n-1].routes
	}
	seen := map[int32]bool{to: true}
	for next := []int32{l.nicRouter[src]}; len(next) > 0; {
		at := next[len(next)-1]
		next = next[:len(next)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		ports := r.ports(at, to)
		if len(ports) == 0 {
			return true
		}
		for _, p := range ports {
			if l.downAtEnd[p] {
				return true
			}
			next = append(next, int32(l.Graph.NextRouter(int(p))))
		}
	}
	return false
}

// cutOff returns the number of packets that flows keep, because links stay down; 0 in a network without
// such links. It must be called when no event is left, in all processes.
func (n *Network) cutOff() (packets uint64) {
	if len(n.downAtEnd) == 0 {
		return 0
	}
	for _, b := range n.Blocks() {
		b.kept = 0
		for _, f := range b.senders {
			b.kept += uint64(f.end - f.una)
		}
	}
	n.exchange(func(b *Block, v *snapshot.Visitor) {
		snapshot.Value(v, &b.kept)
		snapshot.Value(v, &b.moved)
	})
	for _, b := range n.blocks {
		packets += b.kept
	}
	return packets
}
