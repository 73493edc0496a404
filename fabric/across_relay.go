package fabric

import (
	"slices"
	"time"
)

// Data for a process that is not a neighbour is passed through the processes in between as relays.
// A relay consists of a relayHead and its bytes.

// relayHead is the header of a relay.
type relayHead struct {
	from, to int32 // sending and receiving process
	kind     int32
	size     uint32 // number of bytes that follow
	round    uint64 // round in which it was created
}

// Kinds of relays.
const (
	relayedControl  int32 = iota // control messages
	relayedContents              // a contentHead and its bytes
	relayedBox                   // a boxHead and released messages
	relayedProgress              // a progressHead
)

// progressEvery is the interval at which a process reports its progress to the first process, if
// that is not a neighbour.
const progressEvery = 100 * time.Millisecond

// relayOwn creates relays with this process's data for processes that are not neighbours.
func (a *across) relayOwn(messages [][]byte) {
	me := a.group.Rank()
	for p := range a.group.Size() {
		if p == me || a.near.adjoins(p) {
			continue
		}
		if len(messages[p]) > 0 {
			a.addRelay(p, relayedControl, func(out []byte) []byte { return append(out, messages[p]...) })
		}
	}
	for from := a.first; from < a.end; from++ {
		a.relayContents(from)
		a.relayBoxes(from)
	}
	if me != 0 && !a.near.adjoins(0) && time.Since(a.near.reported) > progressEvery {
		a.near.reported = time.Now()
		a.addRelay(0, relayedProgress, func(out []byte) []byte { return appendRaw(out, []progressHead{a.progress()}) })
	}
}

// addRelay adds a relay to process `to`; add appends its bytes.
func (a *across) addRelay(to int, kind int32, add func([]byte) []byte) {
	v := a.near
	out := v.transit[v.step[to]]
	head := relayHead{from: int32(a.group.Rank()), to: int32(to), kind: kind, round: a.round}
	at := len(out)
	out = appendRaw(out, []relayHead{head})
	body := len(out)
	out = add(out)
	if head.size = uint32(len(out) - body); head.size == 0 {
		out = out[:at] // nothing to send
	} else {
		appendRaw(out[:at], []relayHead{head})
	}
	v.transit[v.step[to]] = out
}

// relayContents creates relays with the contents of messages that hosts of a block have sent.
func (a *across) relayContents(block int) {
	for _, c := range a.net.blocks[block].nics.Mail.Contents {
		if to := int(c.To); !a.near.adjoins(to) {
			a.addRelay(to, relayedContents, func(out []byte) []byte {
				out, _ = a.packContents(out, block, c.ID)
				return out
			})
		}
	}
}

// relayBoxes creates relays with a block's data for blocks of processes that are not neighbours:
// released messages, and changes of the lookahead. It empties the boxes.
func (a *across) relayBoxes(block int) {
	b := a.net.blocks[block]
	for to, p := range a.process {
		if a.near.adjoins(int(p)) {
			continue
		}
		if x := b.nics.Mail.To(uint32(to)); x.Filled() {
			a.addRelay(int(p), relayedBox, func(out []byte) []byte {
				return packBox(out, uint32(block), uint32(to), x)
			})
			x.Empty()
		}
	}
}

// relay processes the relays for this process, and keeps the others for the next message.
func (a *across) relay(relays []byte) {
	for r := (reader{relays}); len(r.rest) > 0; {
		whole := r.rest
		head := one[relayHead](&r)
		body := r.next(int(head.size))
		if int(head.to) == a.group.Rank() {
			a.takeRelay(head, body)
			continue
		}
		next := a.near.step[head.to]
		a.near.transit[next] = append(a.near.transit[next], whole[:len(whole)-len(r.rest)]...)
	}
}

// takeRelay processes a relay for this process. No block may be running.
func (a *across) takeRelay(head relayHead, body []byte) {
	r := reader{body}
	switch head.kind {
	case relayedControl:
		a.control.Deliver(int(head.from), body)
	case relayedContents:
		a.unpackContents(&r)
	case relayedBox:
		h := one[boxHead](&r)
		x := &a.near.came
		x.Released, x.Over = readRaw(&r, x.Released[:0], h.released), h.over
		a.net.blocks[h.to].takeIn(x)
	case relayedProgress:
		a.progressOf(int(head.from), one[progressHead](&r))
	}
}

// Settle implements engine.Neighbours.
func (j Joint) Settle() {
	a := j.net.across
	to := make([][]byte, a.group.Size())
	for _, p := range a.near.neighbours {
		for r := (reader{a.near.transit[p]}); len(r.rest) > 0; {
			whole := r.rest
			head := one[relayHead](&r)
			r.next(int(head.size))
			to[head.to] = append(to[head.to], whole[:len(whole)-len(r.rest)]...)
		}
		a.near.transit[p] = a.near.transit[p][:0]
	}
	a.takeRelays(a.group.Exchange(to))
}

// takeRelays processes relays from several processes. Those of one process are processed in the
// order in which they were created.
func (a *across) takeRelays(from [][]byte) {
	type relay struct {
		head relayHead
		body []byte
	}
	var all []relay
	for p, data := range from {
		for r := (reader{data}); p != a.group.Rank() && len(r.rest) > 0; {
			head := one[relayHead](&r)
			all = append(all, relay{head, r.next(int(head.size))})
		}
	}
	slices.SortStableFunc(all, func(x, y relay) int { return int(int64(x.head.round - y.head.round)) })
	for _, x := range all {
		a.takeRelay(x.head, x.body)
	}
}
