package ethernet

import (
	"fabricast/internal/cluster"
	"fabricast/internal/snapshot"
)

// exchange brings what visit visits of each block to all processes. No block may be running. With one
// process it does nothing.
func (n *Network) exchange(visit func(b *Block, v *snapshot.Visitor)) {
	a := n.across
	if a == nil {
		return
	}
	own := snapshot.Pack(func(v *snapshot.Visitor) {
		for _, b := range n.Blocks() {
			visit(b, v)
		}
	})
	for p, data := range cluster.Gather(a.group, own) {
		if p == a.group.Rank() {
			continue
		}
		err := snapshot.Unpack(data, func(v *snapshot.Visitor) {
			for _, b := range a.blocksOf(p) {
				visit(b, v)
			}
		})
		if err != nil {
			panic(err)
		}
	}
}

// Share brings the sums of all processes to each, so that Counts, Totals and Balance are those of the
// whole network. No block may be running.
func (n *Network) Share() { n.exchange((*Block).sums) }

// sums visits what is added over the blocks.
func (b *Block) sums(v *snapshot.Visitor) {
	snapshot.Value(v, &b.counts)
	snapshot.Values(v, b.byClass[:])
	snapshot.Value(v, &b.events)
	snapshot.Value(v, &b.moved)
	b.pausesState(v)
}

// ShareUse brings the counters of all ports and NICs to each process, and what Goodput returns up to
// date. No block may be running.
func (n *Network) ShareUse() {
	n.countGoodput()
	n.exchange((*Block).uses)
}

// CollectUse is ShareUse, and shares what Pausings and Followed need beside the sums.
func (n *Network) CollectUse() {
	n.ShareUse()
	n.exchange((*Block).lasting)
}

// uses visits the counters of the ports and NICs of a block.
func (b *Block) uses(v *snapshot.Visitor) {
	n := b.net
	b.eachPort(func(p *port) { snapshot.Value(v, &p.use) })
	b.eachNIC(func(nic int) {
		snapshot.Value(v, &n.nics[nic].use)
		snapshot.Value(v, &n.goodput[nic])
	})
}

// lasting visits the pauses that last, and the flows that are followed.
func (b *Block) lasting(v *snapshot.Visitor) {
	b.eachPort(func(p *port) { snapshot.Values(v, p.in) })
	var list []int
	for i, f := range b.senders {
		if f.course != nil {
			list = append(list, i)
		}
	}
	count := v.Length(len(list))
	if v.Restores() {
		b.senders = nil
	}
	for i := range count {
		if !v.Restores() {
			i = list[i]
		}
		b.senderState(v, i)
	}
}

// eachPort calls visit for the ports of the routers of a block.
func (b *Block) eachPort(visit func(*port)) {
	n := b.net
	for router, block := range n.block {
		if block != b.index {
			continue
		}
		for p := n.Graph.PortBase[router]; p < n.Graph.PortBase[router+1]; p++ {
			visit(&n.ports[p])
		}
	}
}

// eachNIC calls visit for the NICs of a block.
func (b *Block) eachNIC(visit func(nic int)) {
	for nic, router := range b.net.nicRouter {
		if b.net.block[router] == b.index {
			visit(nic)
		}
	}
}

// shareQueues brings the packets that wait to all processes.
func (n *Network) shareQueues() {
	n.exchange(func(b *Block, v *snapshot.Visitor) {
		snapshot.List(v, &b.packets.list)
		snapshot.Value(v, &b.moved)
		b.devicesState(v)
	})
}
