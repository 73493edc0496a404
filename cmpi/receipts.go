package cmpi

import "fabricast/node"

// receipt holds what a strand learns about a message that it receives.
type receipt struct {
	node.Told
	room  int64 // bytes of the buffer
	takes signature
	giver int32 // world rank that the contents come from
}

// receipts holds the receipts of one collective, one for each of its messages. Their addresses are
// fixed, because the node writes to them.
type receipts struct {
	chunks []*[32]receipt
	used   int
}

// take returns an unused receipt, set to zero.
func (r *receipts) take() *receipt {
	chunk, i := r.used/32, r.used%32
	if chunk == len(r.chunks) {
		r.chunks = append(r.chunks, new([32]receipt))
	}
	r.used++
	at := &r.chunks[chunk][i]
	*at = receipt{}
	return at
}

// checkReceipts reports to the C side the first message that was longer than its buffer, and the
// first whose datatype does not match.
func (c *comm) checkReceipts() {
	r, call := &c.receipts, c.call
	for i := range r.used {
		t := &r.chunks[i/32][i%32]
		if int64(t.Size) > t.room && call.CutSize == 0 {
			call.CutSize, call.CutRoom, call.CutSource = int64(t.Size), t.room, t.Source
		}
		if t.Mark != 0 {
			c.compare(t.Mark, t.takes, min(int64(t.Size), t.room), t.giver)
		}
	}
	r.used = 0
}
