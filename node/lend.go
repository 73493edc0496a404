package node

import (
	"sync/atomic"

	"fabricast/node/internal/core"
)

// Loan identifies the contents of a message that were lent, see Ops.Lend. The zero Loan is none.
type Loan = core.Loan

// Lend makes the next message that has contents refer to the program's memory, if this is possible: its
// contents are then not copied before the receiver takes them. The program must not change them until it
// has called Reclaim, unless it knows that the receiver has them.
func (o *Ops) Lend() {
	o.loan = Loan{}
	o.lends = o.journal == nil && o.block.shared.Payloads.Processes <= 1
}

// Loan returns the loan of the message sent since Lend; none if it has no contents, or they were copied.
func (o *Ops) Loan() Loan {
	o.lends = false
	return o.loan
}

// Lent reports whether the receiver has not taken the contents of a loan yet.
func (o *Ops) Lent(l Loan) bool { return o.block.shared.Payloads.Lent(l) }

// Reclaim ends a loan. If the receiver has not taken the contents yet, it will find a copy of them.
func (o *Ops) Reclaim(l Loan) { o.block.shared.Payloads.Reclaim(l) }

// CountCopied makes the world count in n the bytes of contents that are copied between the buffers of
// programs and the store of messages in flight.
func (w *World) CountCopied(n *atomic.Int64) { w.shared.Payloads.Copied = n }
