package ethernet

import (
	"fabricast/fabric"
	"fabricast/internal/cluster"
)

// Deadlock returns ports that wait in a cycle for each other's pauses to end; without a cycle, how many
// packets flows keep because links stay down; nil if no packet waits. It must be called when no event is
// left, in all processes.
func (n *Network) Deadlock() *fabric.Deadlock {
	if d := n.pausedForEver(); d != nil {
		return d
	}
	packets := n.cutOff()
	if packets == 0 {
		return nil
	}
	d := &fabric.Deadlock{Packets: packets, GivenUp: packets}
	for _, b := range n.blocks {
		d.Since = max(d.Since, b.moved)
	}
	return d
}

// pausedForEver returns ports that wait in a cycle for each other's pauses to end; nil if no packet
// waits for one.
func (n *Network) pausedForEver() *fabric.Deadlock {
	if n.across != nil {
		if !cluster.Any(n.across.group, n.anyWaits()) {
			return nil
		}
		n.shareQueues()
	}
	d := &fabric.Deadlock{Pauses: true}
	first, firstClass := int32(-1), 0
	for i := range n.ports {
		for class := range n.ports[i].queues {
			if q := &n.ports[i].queues[class]; q.paused && !q.empty() {
				if first < 0 {
					first, firstClass = int32(i), class
				}
				d.Packets += n.queued(int32(i), q)
			}
		}
	}
	if first < 0 {
		return nil
	}
	for _, b := range n.blocks {
		d.Since = max(d.Since, b.moved)
	}
	var way []int32 // ports that wait, each for the next
	seen := map[int32]int{}
	for at := first; at >= 0; at = n.behind(at, firstClass) {
		if begin, found := seen[at]; found {
			for i := begin; i < len(way); i++ {
				d.Cycle = append(d.Cycle, n.waits(way[i], way[(i-begin+len(way)-begin-1)%(len(way)-begin)+begin], firstClass))
			}
			return d
		}
		seen[at] = len(way)
		way = append(way, at)
	}
	return d
}

// anyWaits reports whether a packet of this process waits for a pause to end.
func (n *Network) anyWaits() bool {
	for i := range n.ports {
		for class := range n.ports[i].queues {
			if q := &n.ports[i].queues[class]; q.paused && !q.empty() && n.here(n.Graph.Ports[i].Router) {
				return true
			}
		}
	}
	return false
}

// queued returns the number of packets in a queue of a port.
func (n *Network) queued(port int32, q *queue) (count uint64) {
	for id := q.first; id != 0; id = n.packetsOf(port).list[id].next {
		count++
	}
	return count
}

// packetsOf returns the packets of the block that a port belongs to.
func (n *Network) packetsOf(port int32) *packets {
	return &n.blocks[n.block[n.Graph.Ports[port].Router]].packets
}

// behind returns a port that keeps a class of a paused port waiting: in the next router, it holds
// packets of the class that came from there and waits itself; -1 if there is none.
func (n *Network) behind(out int32, class int) int32 {
	in := n.Graph.Ports[out].Peer
	if in < 0 {
		return -1
	}
	router := n.Graph.Ports[in].Router
	for p := n.Graph.PortBase[router]; p < n.Graph.PortBase[router+1]; p++ {
		next := &n.ports[p].queues[class]
		if !next.paused {
			continue
		}
		list := n.packetsOf(p).list
		for id := next.first; id != 0; id = list[id].next {
			if list[id].ingress == in {
				return p
			}
		}
	}
	return -1
}

// waits describes a port that waits for a class, and holds packets that came from another one.
func (n *Network) waits(out, from int32, class int) fabric.Wait {
	router, local := n.Graph.Local(int(out))
	_, in := n.Graph.Local(int(n.Graph.Ports[from].Peer))
	return fabric.Wait{Router: router, Port: in, VC: class, OutPort: local, OutVC: class}
}
