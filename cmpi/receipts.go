package cmpi

import "fabricast/node"

// receipt is what a strand is told of a message that it receives.
type receipt struct {
	node.Told
	room  int64 // bytes of the buffer
	takes signature
	giver int32 // of the contents, in the world
}

// receipts are those of one collective. They stay where they are, because the node writes to them.
type receipts struct {
	chunks []*[32]receipt
	used   int
}

// receipt is a new one.
func (s *strand) receipt() *receipt {
	r := &s.receipts
	chunk, i := r.used/32, r.used%32
	if chunk == len(r.chunks) {
		r.chunks = append(r.chunks, new([32]receipt))
	}
	r.used++
	at := &r.chunks[chunk][i]
	*at = receipt{}
	return at
}

// checkReceipts tells the C side of the first message that was longer than what it was received into, and of the first that was taken
// for something else.
func (s *strand) checkReceipts() {
	r := &s.receipts
	for i := range r.used {
		t, c := &r.chunks[i/32][i%32], s.call
		if t.Size > t.room && c.CutSize == 0 {
			c.CutSize, c.CutRoom, c.CutSource = t.Size, t.room, t.Source
		}
		if t.Mark != 0 {
			s.compare(t.Mark, t.takes, min(t.Size, t.room), t.giver)
		}
	}
	r.used = 0
}
