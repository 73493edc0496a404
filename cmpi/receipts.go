package cmpi

import (
	"fabricast/cmpi/internal/datatypes"
	"fabricast/node"
)

// receipt holds what a strand learns about a message that it receives.
type receipt struct {
	node.Delivery
	room  int64 // bytes of the buffer
	takes datatypes.Signature
	giver int32 // world rank that the contents come from
}

// receipts holds the receipts of one collective, one for each message that has not been checked yet.
// Their addresses are fixed, because the node writes to them.
type receipts struct {
	chunks []*[receiptChunk]receipt
	used   int
}

// receiptChunk is for how many receipts memory is allocated at once. In most collectives a rank waits
// for each message before it receives the next one.
const receiptChunk = 4

// take returns an unused receipt, set to zero.
func (r *receipts) take() *receipt {
	chunk := r.used / receiptChunk
	if chunk == len(r.chunks) {
		r.chunks = append(r.chunks, new([receiptChunk]receipt))
	}
	at := r.at(r.used)
	r.used++
	*at = receipt{}
	return at
}

// at returns receipt i of those in use.
func (r *receipts) at(i int) *receipt { return &r.chunks[i/receiptChunk][i%receiptChunk] }

// checkOnly checks the receipt of a message that has been waited for, if there is no other, so that
// it can be used again.
func (c *comm) checkOnly() {
	if c.receipts.used == 1 {
		c.checkReceipts()
	}
}

// checkReceipts reports to the C side the first message that was longer than its buffer, and the
// first whose datatype does not match.
func (c *comm) checkReceipts() {
	r, call := &c.receipts, c.call
	for i := range r.used {
		t := r.at(i)
		if int64(t.Size) > t.room && call.CutSize == 0 {
			call.CutSize, call.CutRoom, call.CutSource = int64(t.Size), t.room, t.Source
		}
		if t.Mark != 0 {
			c.compare(t.Mark, t.takes, min(int64(t.Size), t.room), t.giver)
		}
	}
	r.used = 0
}
