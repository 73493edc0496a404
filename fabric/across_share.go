package fabric

import (
	"errors"
	"iter"

	"fabricast/fabric/internal/core"
	"fabricast/internal/cluster"
)

// otherUse holds the traffic sent by the ports and NICs of other processes.
type otherUse struct {
	ports, nics []PortUse // traffic by ID of the port or NIC in the layout
}

// Share exchanges the sums of all processes, so that Totals and Balance cover the whole network in
// each. No block may be running. With one process it does nothing.
func (n *Network) Share() {
	if n.across == nil {
		return
	}
	settleStreams(n)
	a := n.across
	own := make([]core.Sums, 0, a.end-a.first)
	for _, b := range n.blocks[a.first:a.end] {
		own = append(own, b.nics.Counters.Sums)
	}
	for p, data := range cluster.Gather(a.group, cluster.Bytes(own)) {
		if p == a.group.Rank() {
			continue
		}
		r := reader{data}
		for i, of := range a.process {
			if int(of) == p {
				n.blocks[i].nics.Counters.Sums = one[core.Sums](&r)
			}
		}
	}
}

// ShareUse exchanges the traffic counters of all ports and NICs, so that Port and NIC work for the
// whole network in each process. No block may be running. With one process it does nothing.
func (n *Network) ShareUse() { n.bringUse(cluster.ToAll) }

// CollectUse is like ShareUse, but only the first process receives the counters.
func (n *Network) CollectUse() { n.bringUse(cluster.ToFirst) }

func (n *Network) bringUse(to func(process int) bool) {
	a := n.across
	if a == nil {
		return
	}
	if a.use == nil && to(a.group.Rank()) {
		a.use = &otherUse{
			ports: make([]PortUse, n.layout.FirstNICPort),
			nics:  make([]PortUse, len(n.layout.Spec.Graph.NICPort)),
		}
	}
	places := make([]func() (*PortUse, bool), a.group.Size())
	for p := range places {
		next, stop := iter.Pull(n.usesOf(p, a.use.port, a.use.nic))
		defer stop()
		places[p] = next
	}
	own := func(yield func(PortUse) bool) {
		var use PortUse
		port := func(port uint32) *PortUse { use = n.portUse(port); return &use }
		nic := func(nic uint32) *PortUse { use = n.nicUse(nic); return &use }
		for u := range n.usesOf(a.group.Rank(), port, nic) {
			if !yield(*u) {
				return
			}
		}
	}
	cluster.Bring(a.group, own, to, func(process int, u PortUse) {
		place, _ := places[process]()
		*place = u
	})
}

func (u *otherUse) port(port uint32) *PortUse { return &u.ports[port] }
func (u *otherUse) nic(nic uint32) *PortUse   { return &u.nics[nic] }

// usesOf yields the traffic counters of each port and each NIC of a process.
func (n *Network) usesOf(process int, port, nic func(uint32) *PortUse) iter.Seq[*PortUse] {
	return func(yield func(*PortUse) bool) {
		for i, of := range n.across.process {
			if int(of) == process && !n.usesOfBlock(n.blocks[i], port, nic, yield) {
				return
			}
		}
	}
}

func (n *Network) usesOfBlock(b *Block, port, nic func(uint32) *PortUse, yield func(*PortUse) bool) bool {
	g := n.layout.Spec.Graph
	for r := b.nics.First; r < b.nics.First+b.nics.Count; r++ {
		for p := g.PortBase[r]; p < g.PortBase[r+1]; p++ {
			if !yield(port(uint32(p))) {
				return false
			}
		}
		lr := b.nics.Routers.At(r)
		for k := range uint32(lr.NumNICs) {
			if !yield(nic(lr.FirstNIC + k)) {
				return false
			}
		}
	}
	return true
}

// routerHere reports whether this process simulates a router.
func (n *Network) routerHere(router uint32) bool {
	return n.across == nil || n.here(core.BlockAt(n.parts.cuts, router))
}

// agreeOn returns err in processes in which it is not nil. In the others it returns another error
// if any process has one.
func (n *Network) agreeOn(err error) error {
	if n.across == nil {
		return err
	}
	values := []int64{0}
	if err != nil {
		values[0] = -1
	}
	n.across.group.Least(values)
	if err == nil && values[0] < 0 {
		return errElsewhere
	}
	return err
}

var errElsewhere = errors.New("another process has found its part of the network broken")

// total returns the sum of a value over all processes.
func (n *Network) total(of uint64) uint64 {
	if n.across == nil {
		return of
	}
	values := []int64{int64(of)}
	cluster.Sum(n.across.group, values)
	return uint64(values[0])
}

// latest returns the maximum of the times of all processes.
func (n *Network) latest(time int64) int64 {
	if n.across == nil {
		return time
	}
	values := []int64{-time}
	n.across.group.Least(values)
	return -values[0]
}

// waitRecord says what the first packet of a FIFO waits for (see Network.waitOf).
type waitRecord struct {
	number, next uint32
	wait         Wait
	ok           bool
}

// shareWaits makes known in all processes which packets wait in the network, and what they wait
// for.
func (n *Network) shareWaits() {
	if n.across == nil {
		return
	}
	var own []waitRecord
	for _, b := range n.Blocks() {
		g := n.layout.Spec.Graph
		end := uint32(g.PortBase[b.nics.First+b.nics.Count]) * n.layout.NumVCs
		for number := uint32(g.PortBase[b.nics.First]) * n.layout.NumVCs; number < end; number++ {
			if n.waitsHere(number) {
				w, next, ok := n.waitOfHere(number)
				own = append(own, waitRecord{number, next, w, ok})
			}
		}
	}
	n.across.waits = make(map[uint32]waitRecord)
	for p, data := range cluster.Gather(n.across.group, cluster.Bytes(own)) {
		if p == n.across.group.Rank() {
			data = cluster.Bytes(own)
		}
		for r := (reader{data}); len(r.rest) > 0; {
			w := one[waitRecord](&r)
			n.across.waits[w.number] = w
		}
	}
}

// Group returns the processes that share the run, or nil if there is only one.
func (n *Network) Group() cluster.Group {
	if n.across == nil {
		return nil
	}
	return n.across.group
}
