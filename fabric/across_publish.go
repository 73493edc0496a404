package fabric

import (
	"fabricast/fabric/internal/stage"
	"fabricast/internal/snapshot"
)

// If several processes share a run and routers publish their queue lengths (routing.Informed),
// every process has the published lengths of all routers. A publication is made within one window,
// is read only in later ones, and is sent to all other processes in between. All processes thus
// read the same lengths as a single process would.
//
// The lengths are kept in several sets. A process only sends publications that may change one of
// the sets, as the difference from the previous publication. A publication that is not sent would
// change nothing, because all sets contain the same lengths by then.

// publishedHead is the header of a publication of a block.
type publishedHead struct {
	block   uint32
	set     uint32 // index of the set that the lengths are written to
	changed uint32 // number of changedLength records that follow; allLengths: the lengths of all ports of the block follow
}

const allLengths = ^uint32(0)

// changedLength is a port whose length differs from that in the previous publication.
type changedLength struct {
	port   uint32
	length int32
}

// setBefore returns the set of the publication that precedes the one in the given set.
func setBefore(set uint32) uint32 { return (set + stage.PublishedSets - 1) % stage.PublishedSets }

// portsOf returns the ports of a block, first to end-1.
func portsOf(b *Block) (first, end uint32) {
	g := b.nics.Layout.Spec.Graph
	return uint32(g.PortBase[b.nics.First]), uint32(g.PortBase[b.nics.First+b.nics.Count])
}

// publishes reports whether blocks of this process have made a publication that other processes
// need.
func (a *across) publishes() bool {
	for _, b := range a.net.blocks[a.first:a.end] {
		if b.general != nil && b.general.Publish.Fresh {
			return true
		}
	}
	return false
}

// packPublished appends the publications of this process that other processes need, and marks them
// as sent.
func (a *across) packPublished(out []byte) []byte {
	out, count := reserveCount(out)
	for i := a.first; i < a.end; i++ {
		if b := a.net.blocks[i]; b.general != nil && b.general.Publish.Fresh {
			b.general.Publish.Fresh = false
			out = packPublication(out, b)
			count.add(out)
		}
	}
	return out
}

// packPublication appends the latest publication of a block.
func packPublication(out []byte, b *Block) []byte {
	first, end := portsOf(b)
	p := &b.general.Publish
	set := uint32((p.Due/p.Interval - 1) % stage.PublishedSets)
	before := p.Lengths.Slice(setBefore(set)*p.Ports+first, end-first)
	now := p.Lengths.Slice(set*p.Ports+first, end-first)
	var changed []changedLength
	for i, length := range now {
		if length != before[i] {
			changed = append(changed, changedLength{first + uint32(i), length})
		}
	}
	if 2*len(changed) > len(now) {
		out = appendRaw(out, []publishedHead{{uint32(b.nics.Index), set, allLengths}})
		return appendRaw(out, now)
	}
	out = appendRaw(out, []publishedHead{{uint32(b.nics.Index), set, uint32(len(changed))}})
	return appendRaw(out, changed)
}

// unpackPublished reads the publications of another process.
func (a *across) unpackPublished(r *reader) {
	for range one[uint32](r) {
		head := one[publishedHead](r)
		first, end := portsOf(a.net.blocks[head.block])
		p := &a.net.blocks[a.first].general.Publish
		now := p.Lengths.Slice(head.set*p.Ports+first, end-first)
		if head.changed == allLengths {
			readRaw(r, now[:0], uint32(len(now)))
			continue
		}
		copy(now, p.Lengths.Slice(setBefore(head.set)*p.Ports+first, end-first))
		for range head.changed {
			c := one[changedLength](r)
			now[c.port-first] = c.length
		}
	}
}

// publishedOf visits a section with the published lengths of a block. There is no such section if
// routers do not publish them.
func publishedOf(n *Network, v *snapshot.Visitor, b *Block) {
	if n.layout.Publishes() == 0 {
		return
	}
	snapshot.Section(v, func(v *snapshot.Visitor) {
		first, end := portsOf(b)
		for set := range uint32(stage.PublishedSets) {
			snapshot.Values(v, n.general.Published.Slice(set*n.layout.FirstNICPort+first, end-first))
		}
	})
}
