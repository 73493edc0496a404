package node

import (
	"unsafe"

	"fabricast/node/internal/core"
	"fabricast/node/internal/model"

	"fabricast/fabric"
	"fabricast/internal/prefetch"
)

// Next passes requests that the program will probably wait for after the current WaitAll, so that
// they can be prefetched. They need not be in use.
func (o *Ops) Next(requests []model.Request) {
	if o.journal != nil && o.journal.Feed != nil {
		return
	}
	var hints [2]uint32
	for i, id := range requests[:min(2, len(requests))] {
		if o.block.requests.Has(id.ID) {
			hints[i] = id.ID
			prefetch.Line(unsafe.Pointer(o.block.requests.Of(id.ID)))
		}
	}
	o.rank.Hint(hints[0], hints[1])
}

// prefetchHints prefetches the requests passed to Next.
func (b *Block) prefetchHints(r *core.Rank) {
	first, second := r.Hints()
	if b.requests.Has(first) {
		prefetch.Line(unsafe.Pointer(b.requests.Of(first)))
	}
	if b.requests.Has(second) {
		prefetch.Line(unsafe.Pointer(b.requests.Of(second)))
	}
}

// PrefetchHost implements fabric.Prefetcher: it prefetches the record of the host's rank.
func (b *Block) PrefetchHost(host int32) {
	if b.turns.Used() {
		b.prefetchTurns(b.shared.SlotAt[host])
		return
	}
	if slot := b.shared.SlotAt[host]; int(slot) < len(b.ranks) && !b.outbox.Used() {
		prefetch.Lines(unsafe.Pointer(&b.ranks[slot]), rankLines)
		prefetch.Line(unsafe.Pointer(&b.programs.running[slot]))
		if b.watching.Watchers != nil {
			prefetch.Line(unsafe.Pointer(&b.watching.Watchers[slot]))
		}
	}
}

// PrefetchWork implements fabric.Prefetcher: it prefetches what the record of the host's rank
// refers to: the first message and event, and the receives or unexpected messages.
func (b *Block) PrefetchWork(host int32) {
	slot := b.shared.SlotAt[host]
	if b.turns.Used() {
		b.prefetchItem(slot)
		return
	}
	if int(slot) >= len(b.ranks) || b.outbox.Used() {
		return
	}
	r := &b.ranks[slot]
	if r.Arrivals != 0 {
		prefetch.Line(unsafe.Pointer(b.transport.Message(fabric.MsgID(r.Arrivals))))
	}
	load(&b.schedule.Events, r.Events)
	switch {
	case b.watching.Watchers != nil:
		b.prefetchProgram(slot)
	case r.State == model.Paused:
		prefetch.Line(b.programRecord(slot))
		b.prefetchHints(r)
	case r.Chain != 0:
		prefetch.Line(unsafe.Pointer(b.requests.Of(r.Chain)))
		b.clocks.Tracer.Load(r.Chain)
		prefetch.Line(b.programRecord(slot))
		if r.State == model.WaitAll {
			b.prefetchHints(r)
		}
	}
	if more := r.Queues[core.OwnQueues-1]; more.More() {
		table := b.matching.Tables.At(more)
		prefetch.Lines(
			unsafe.Pointer(unsafe.SliceData(table)),
			min(uint64(len(table))*uint64(unsafe.Sizeof(core.Queue{}))/prefetch.LineSize, mostLines),
		)
		return
	}
	for _, q := range r.Queues {
		if q.Last == 0 {
			return
		}
		b.loadQueue(q)
	}
}

// prefetchTurns prefetches the records of the first rank of a host, by its slot, whose operations
// wait for their turn.
func (b *Block) prefetchTurns(slot int32) {
	if int(slot) >= len(b.ranks) {
		return
	}
	prefetch.Lines(unsafe.Pointer(&b.ranks[slot]), rankLines)
	prefetch.Line(unsafe.Pointer(&b.turns.Queues[slot]))
	prefetch.Line(unsafe.Pointer(&b.schedule.Due[slot]))
	prefetch.Line(unsafe.Pointer(&b.outbox.Boxes[slot]))
	prefetch.Line(unsafe.Pointer(&b.programs.running[slot]))
	if b.watching.Watchers != nil {
		prefetch.Line(unsafe.Pointer(&b.watching.Watchers[slot]))
	}
}

// prefetchItem prefetches the first item that waits for its turn, and what the program needs.
func (b *Block) prefetchItem(slot int32) {
	if int(slot) >= len(b.ranks) || b.programs.running[slot] == nil {
		return
	}
	prefetch.Line(unsafe.Pointer(unsafe.SliceData(b.turns.Queues[slot])))
	prefetch.Lines(b.programRecord(slot), programLines)
}

// mostLines is the maximum number of cache lines of a rank's table of matching queues that are
// prefetched.
const mostLines = 4

// loadQueue prefetches the last element of a matching queue.
func (b *Block) loadQueue(q core.Queue) {
	if q.Posted() || q.Only() {
		load(&b.requests.Receives, q.Element())
		b.clocks.Tracer.Load(core.ReceiveID(q.Element()))
	} else {
		load(&b.matching.Unexpected, q.Element())
		b.clocks.Tracer.LoadUnexpected(q.Element())
	}
}

// PrefetchMatch implements fabric.Prefetcher: it prefetches what the rank's program will use, the
// second request that it waits for, and, if the rank has a table of queues, the queue of receives
// for the next message.
func (b *Block) PrefetchMatch(host int32) {
	slot := b.shared.SlotAt[host]
	if int(slot) >= len(b.ranks) || b.outbox.Used() {
		return
	}
	r := &b.ranks[slot]
	if r.Chain != 0 {
		if next := b.requests.Of(r.Chain).Chain; b.requests.Has(next) {
			prefetch.Line(unsafe.Pointer(b.requests.Of(next)))
			b.clocks.Tracer.Load(next)
		}
	}
	if r.Chain != 0 || r.State == model.Paused {
		if p, ok := b.programs.running[slot].(Preloader); ok {
			p.Preload()
		}
	}
	if r.Arrivals == 0 {
		return
	}
	if next := b.transport.Message(fabric.MsgID(r.Arrivals)).Next; next != 0 {
		prefetch.Line(unsafe.Pointer(b.transport.Message(fabric.MsgID(next))))
	}
	if r.Queues[core.OwnQueues-1].More() {
		b.prefetchQueue(r, slot)
	}
}

// prefetchQueue prefetches the receive that the first arrival at a rank will match.
func (b *Block) prefetchQueue(r *core.Rank, slot int32) {
	b.prefetchMeeting(r, slot, b.transport.Message(fabric.MsgID(r.Arrivals)))
}

// prefetchMeeting prefetches the receive that a message will match.
func (b *Block) prefetchMeeting(r *core.Rank, slot int32, m *fabric.Message) {
	hash := core.Key{Rank: slot, Context: m.Context, Source: m.SrcRank, Tag: m.Tag}.Hash()
	own := r.Queues[:]
	if own[core.OwnQueues-1].More() {
		own = own[:core.OwnQueues-1]
	}
	for _, q := range own {
		if q.Hash == hash && q.Last != 0 {
			b.loadQueue(q)
			return
		}
	}
	if r.Spilled == 0 {
		return
	}
	table := b.matching.Tables.At(r.Queues[core.OwnQueues-1])
	mask := uint32(len(table) - 1)
	for i := hash & mask; table[i].Last != 0; i = (i + 1) & mask {
		if table[i].Hash == hash {
			b.loadQueue(table[i])
			return
		}
	}
}

// PrefetchDelivery implements fabric.Prefetcher.
func (b *Block) PrefetchDelivery(host int32) {
	slot := b.shared.SlotAt[host]
	switch {
	case int(slot) >= len(b.ranks):
	case b.matchesAhead:
		prefetch.Lines(unsafe.Pointer(&b.ranks[slot]), rankLines)
	default:
		prefetch.Line(unsafe.Pointer(&b.ranks[slot]))
	}
}

// rankLines is the size of a rank's record in cache lines.
const rankLines = (uint64(unsafe.Sizeof(core.Rank{})) + prefetch.LineSize - 1) / prefetch.LineSize

// PrefetchQueue implements fabric.Prefetcher.
func (b *Block) PrefetchQueue(host int32, id fabric.MsgID) {
	slot := b.shared.SlotAt[host]
	if int(slot) >= len(b.ranks) || b.ranks[slot].Spilled == 0 || !b.matchesAhead {
		return
	}
	m := b.transport.Message(id)
	table := b.matching.Tables.At(b.ranks[slot].Queues[core.OwnQueues-1])
	hash := core.Key{Rank: slot, Context: m.Context, Source: m.SrcRank, Tag: m.Tag}.Hash()
	prefetch.Line(unsafe.Pointer(&table[hash&uint32(len(table)-1)]))
}

// PrefetchReceive implements fabric.Prefetcher.
func (b *Block) PrefetchReceive(host int32, id fabric.MsgID) {
	if slot := b.shared.SlotAt[host]; int(slot) < len(b.ranks) && b.matchesAhead {
		b.prefetchMeeting(&b.ranks[slot], slot, b.transport.Message(id))
	}
}

// PrefetchFetched implements fabric.Prefetcher.
func (b *Block) PrefetchFetched(host int32, request uint32) {
	load(&b.requests.Sends, core.IndexOf(request))
	b.clocks.Tracer.Load(request)
	if slot := b.shared.SlotAt[host]; int(slot) < len(b.ranks) {
		prefetch.Line(unsafe.Pointer(&b.ranks[slot]))
	}
}

// programLines is the number of cache lines that are prefetched of the state of a program that
// watches requests.
const programLines = 4

// prefetchProgram prefetches the state of a program that watches requests, and the first request
// that has completed. Such a program is resumed for each request.
func (b *Block) prefetchProgram(slot int32) {
	prefetch.Lines(b.programRecord(slot), programLines)
	load(&b.watching.Watched, b.watching.Watchers[slot].Root)
}

// programRecord returns the address of the state of a rank's program.
func (b *Block) programRecord(slot int32) unsafe.Pointer {
	type iface struct{ table, data unsafe.Pointer }
	return (*iface)(unsafe.Pointer(&b.programs.running[slot])).data
}

// load prefetches element i of a pool, if there is one.
func load[T any](p *core.Pool[T], i uint32) {
	if p.Has(i) {
		prefetch.Line(unsafe.Pointer(p.At(i)))
	}
}
