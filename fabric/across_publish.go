package fabric

import "fabricast/internal/snapshot"

// Where several processes share a run and routers publish their queues (routing.Informed), every
// process has the published lengths of all routers. A publication is made within one window, is read
// in later ones only, and goes to all other processes between these. So they read what one process
// reads.
//
// A process passes on the publications that may change one of the sets of lengths, as what has changed
// since the one before. Those of which it passes on nothing would change nothing: all sets have the
// same lengths then.

// publishedHead precedes a publication of a block.
type publishedHead struct {
	block   uint32
	set     uint32 // that it is written to
	changed uint32 // changedLengths that follow; allLengths: the lengths of all ports of the block
}

const allLengths = ^uint32(0)

// changedLength is a port whose length differs from the one in the publication before.
type changedLength struct {
	port   uint32
	length int32
}

// setBefore returns the set of the publication before that of a set.
func setBefore(set uint32) uint32 { return (set + publishedSets - 1) % publishedSets }

// portsOf returns the ports of a block: first to end-1.
func portsOf(b *Block) (first, end uint32) {
	g := b.nics.layout.spec.Graph
	return uint32(g.PortBase[b.nics.first]), uint32(g.PortBase[b.nics.first+b.nics.count])
}

// publishes reports whether blocks of this process have made a publication that others must get.
func (a *across) publishes() bool {
	for _, b := range a.net.blocks[a.first:a.end] {
		if b.general != nil && b.general.publish.fresh {
			return true
		}
	}
	return false
}

// packPublished appends the publications of this process that others must get, and forgets them.
func (a *across) packPublished(out []byte) []byte {
	out, count := reserveCount(out)
	for i := a.first; i < a.end; i++ {
		if b := a.net.blocks[i]; b.general != nil && b.general.publish.fresh {
			b.general.publish.fresh = false
			out = packPublication(out, b)
			count.add(out)
		}
	}
	return out
}

// packPublication appends the latest publication of a block.
func packPublication(out []byte, b *Block) []byte {
	first, end := portsOf(b)
	p := &b.general.publish
	set := uint32((p.due/p.interval - 1) % publishedSets)
	before := p.lengths.slice(setBefore(set)*p.ports+first, end-first)
	now := p.lengths.slice(set*p.ports+first, end-first)
	var changed []changedLength
	for i, length := range now {
		if length != before[i] {
			changed = append(changed, changedLength{first + uint32(i), length})
		}
	}
	if 2*len(changed) > len(now) {
		out = appendRaw(out, []publishedHead{{uint32(b.nics.index), set, allLengths}})
		return appendRaw(out, now)
	}
	out = appendRaw(out, []publishedHead{{uint32(b.nics.index), set, uint32(len(changed))}})
	return appendRaw(out, changed)
}

// unpackPublished takes in publications of another process.
func (a *across) unpackPublished(r *reader) {
	for range one[uint32](r) {
		head := one[publishedHead](r)
		first, end := portsOf(a.net.blocks[head.block])
		p := &a.net.blocks[a.first].general.publish
		now := p.lengths.slice(head.set*p.ports+first, end-first)
		if head.changed == allLengths {
			readRaw(r, now[:0], uint32(len(now)))
			continue
		}
		copy(now, p.lengths.slice(setBefore(head.set)*p.ports+first, end-first))
		for range head.changed {
			c := one[changedLength](r)
			now[c.port-first] = c.length
		}
	}
}

// publishedOf goes over a section with the published lengths of a block; there is none if routers do not
// publish them.
func publishedOf(n *Network, v *snapshot.Visitor, b *Block) {
	if n.layout.publishes() == 0 {
		return
	}
	snapshot.Section(v, func(v *snapshot.Visitor) {
		first, end := portsOf(b)
		for set := range uint32(publishedSets) {
			snapshot.Values(v, n.general.published.slice(set*n.layout.nicPorts+first, end-first))
		}
	})
}
