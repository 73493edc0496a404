package node

import (
	"slices"
	"testing"

	"fabricast/node/internal/core"
	"fabricast/node/internal/model"

	"fabricast/fabric"

	"pgregory.net/rapid"
)

// naive is MPI matching as the standard words it, over plain lists.
type naive struct {
	receives []naiveReceive // posted, in order
	messages []naiveMessage // unexpected, in order of arrival
}

type naiveReceive struct {
	id                   uint32
	rank                 int32
	context, source, tag int32
}

type naiveMessage struct {
	number               int64
	rank                 int32
	context, source, tag int32
}

func (r naiveReceive) fits(m naiveMessage) bool {
	return r.rank == m.rank && r.context == m.context && (r.source == model.AnySource || r.source == m.source) &&
		(r.tag == model.AnyTag || r.tag == m.tag)
}

// post returns the number of the message that the receive meets, 0 if none.
func (n *naive) post(r naiveReceive) int64 {
	for i, m := range n.messages {
		if r.fits(m) {
			n.messages = slices.Delete(n.messages, i, i+1)
			return m.number
		}
	}
	n.receives = append(n.receives, r)
	return 0
}

// arrive returns the receive that the message meets, 0 if none.
func (n *naive) arrive(m naiveMessage) uint32 {
	for i, r := range n.receives {
		if r.fits(m) {
			n.receives = slices.Delete(n.receives, i, i+1)
			return r.id
		}
	}
	n.messages = append(n.messages, m)
	return 0
}

// probe returns the number of the first message that fits, 0 if none.
func (n *naive) probe(r naiveReceive) int64 {
	for _, m := range n.messages {
		if r.fits(m) {
			return m.number
		}
	}
	return 0
}

// bare is a block of some ranks that no network is connected to.
func bare(t interface{ Fatal(...any) }, ranks int) *Block {
	spec := model.Spec{Hosts: ranks, NICsPerHost: 1, Memory: 1e9}
	for h := range ranks {
		spec.HostOf = append(spec.HostOf, int32(h))
	}
	w, err := NewWorld(spec, func(int) func(int) Program { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return w.NewBlock(fabric.HostRange(0, int32(ranks)))
}

// emit makes the block's Ops speak for a rank.
func (b *Block) emit(slot int32) *Ops {
	b.ops.rank, b.ops.slot, b.ops.list = &b.ranks[slot], slot, b.ops.list[:0]
	return &b.ops
}

// matchingQueues counts the queues of all ranks, wherever they are.
func (b *Block) matchingQueues() int {
	n := 0
	for i := range b.ranks {
		n += int(b.ranks[i].Spilled)
		for _, q := range b.ranks[i].Queues {
			if q.Last != 0 && !q.More() {
				n++
			}
		}
	}
	return n
}

func TestMatchingIsThatOfTheStandard(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const ranks = 2
		b, reference := bare(t, ranks), &naive{}
		for number := int64(1); number <= int64(rapid.IntRange(1, 120).Draw(t, "steps")); number++ {
			slot := rapid.Int32Range(0, ranks-1).Draw(t, "rank")
			context := rapid.Int32Range(0, 1).Draw(t, "context")
			source := rapid.Int32Range(-1, 2).Draw(t, "source")
			tag := rapid.Int32Range(-1, 2).Draw(t, "tag")
			r := &b.ranks[slot]
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0, 1:
				source, tag = max(source, 0), max(tag, 0)
				// The size tells messages apart.
				b.arrive(r, &core.Unexpected{Slot: slot, Size: number, Context: context, Source: source, Tag: tag})
				want := reference.arrive(naiveMessage{number, slot, context, source, tag})
				if want != 0 && b.requests.Size(b.requests.Receives.At(want)) != number {
					t.Fatalf("message %d did not meet receive %d", number, want)
				}
			case 2, 3:
				id := core.IndexOf(b.emit(slot).Recv(model.Size(1<<40), source, tag, context).ID)
				b.Receive(r, &core.Op{Request: core.ReceiveID(id)})
				want := reference.post(naiveReceive{id, slot, context, source, tag})
				q := b.requests.Receives.At(id)
				if want == 0 && q.Complete() || want != 0 && b.requests.Size(q) != want {
					t.Fatalf("receive %d: done %d size %d, want message %d", id, q.Done, b.requests.Size(q), want)
				}
			default:
				found := b.matching.FindUnexpected(r, core.Key{Rank: slot, Context: context, Source: source, Tag: tag})
				want := reference.probe(naiveReceive{0, slot, context, source, tag})
				if (found == 0) != (want == 0) || found != 0 && b.matching.Unexpected.At(found).Size != want {
					t.Fatalf("probe found %d, want message %d", found, want)
				}
			}
		}
		checkUnexpected(t, b, reference)
	})
}

// checkUnexpected compares what is left.
func checkUnexpected(t *rapid.T, b *Block, reference *naive) {
	left := 0
	for i := range b.ranks {
		for range b.matching.UnexpectedOf(&b.ranks[i]) {
			left++
		}
	}
	if left != len(reference.messages) {
		t.Fatalf("%d unexpected messages, want %d", left, len(reference.messages))
	}
	if left == 0 && len(reference.receives) == 0 && b.matchingQueues() != 0 {
		t.Fatalf("%d matching queues, but nothing is outstanding", b.matchingQueues())
	}
}

func TestReceivesKeepTheirOrderWhenNumbersWrapAround(t *testing.T) {
	b := bare(t, 1)
	b.ranks[0].Orders = 1<<32 - 1
	any := core.IndexOf(b.emit(0).Recv(model.Size(9), model.AnySource, model.AnyTag, 0).ID)
	b.Receive(&b.ranks[0], &core.Op{Request: core.ReceiveID(any)})
	one := core.IndexOf(b.emit(0).Recv(model.Size(9), 3, 4, 0).ID)
	b.Receive(&b.ranks[0], &core.Op{Request: core.ReceiveID(one)})
	b.arrive(&b.ranks[0], &core.Unexpected{Source: 3, Tag: 4, Size: 1})
	if !b.requests.Receives.At(any).Complete() || b.requests.Receives.At(one).Complete() {
		t.Error("the later receive met the message")
	}
}

// Matching must not slow down with what is outstanding: the work of a match is
// one look into each of at most four queues, however long they are.
func TestMatchingDoesNotScan(t *testing.T) {
	const many = 200_000
	b := bare(t, 1)
	r := &b.ranks[0]
	for i := range int32(many) {
		b.arrive(r, &core.Unexpected{Source: i % 1000, Tag: i / 1000})
	}
	// The worst case for lists: all wildcard queues are kept, and the message
	// that is wanted is always the last.
	for _, pattern := range []core.Key{{Rank: 0, Context: 0, Source: model.AnySource, Tag: 0}, {Rank: 0, Context: 0, Source: 0, Tag: model.AnyTag}, {Rank: 0, Context: 0, Source: model.AnySource, Tag: model.AnyTag}} {
		if b.matching.FindUnexpected(r, pattern) == 0 {
			t.Fatalf("no message for %v", pattern)
		}
	}
	for i := int32(many) - 1; i >= 0; i-- {
		id := core.IndexOf(b.emit(0).Recv(model.Size(0), i%1000, i/1000, 0).ID)
		b.Receive(r, &core.Op{Request: core.ReceiveID(id)})
		if !b.requests.Receives.At(id).Complete() {
			t.Fatalf("no message for receive %d", i)
		}
	}
	if r.AllUnexpected != 0 || b.matchingQueues() != 0 {
		t.Error("messages are left")
	}
}
