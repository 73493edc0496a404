package node

import (
	"fabricast/node/internal/model"
	"fabricast/node/internal/schedule"
)

// wakeShared implements Wake for a host whose messages wait in outboxes.
func (b *Block) wakeShared(host int32, now int64) {
	first, end := b.shared.Slots(host)
	done := false
	b.turns.SenderFirst = false
	for slot := first; slot < end; slot++ {
		if r := &b.ranks[slot]; r.State == model.Sync && b.programs.running[slot] == nil {
			b.begin(r, slot)
			done = true
		}
	}
	done = b.doDue(first, end, now) || done
	// Items that wait for their turn on a processor come after everything that is due on other
	// hosts, one at a time.
	if !done && b.turns.Used() && b.serve(first, end, now) && !b.turns.SenderFirst {
		b.doDue(first, end, now)
	}
	b.schedule.SleepShared(host)
}

// doDue handles everything that is due at a host. It returns false if nothing is due.
func (b *Block) doDue(first, end int32, now int64) (any bool) {
	if end-first == 1 && b.idle(first, now) {
		return false
	}
	for b.shareDue(first, end, now) || b.outbox.HandOver(first, end, now) {
		any = true
	}
	return any
}

// idle reports whether nothing is due at a host with one rank.
func (b *Block) idle(slot int32, now int64) bool {
	r := &b.ranks[slot]
	return (r.Arrivals == 0 || r.ArrivesAt > now) && b.schedule.Due[slot] > now && b.outbox.Idle(slot, now)
}

// shareDue handles the first due event at a host: messages from the network, by NIC; then messages
// between its ranks, by sender; then other events of ranks. It returns false if nothing is due.
func (b *Block) shareDue(first, end int32, now int64) bool {
	if keeper := &b.ranks[first]; keeper.Arrivals != 0 && keeper.ArrivesAt <= now {
		b.arriveFromNetwork(keeper, first)
		return true
	}
	due := int32(-1)
	for slot := first; slot < end; slot++ {
		if b.schedule.Due[slot] > now {
			continue
		}
		if r := &b.ranks[slot]; b.schedule.First(r) <= now &&
			b.schedule.Events.At(r.Events).Kind <= schedule.LocalAccess {
			b.happen(r, slot)
			return true
		}
		if due < 0 {
			due = slot
		}
	}
	if due < 0 {
		return false
	}
	if r := &b.ranks[due]; b.schedule.First(r) <= now {
		b.happen(r, due)
	} else {
		b.waiting.AnswerNo(r)
		b.run(r, due)
	}
	return true
}
