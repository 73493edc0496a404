package node

import (
	"sync/atomic"

	"fabricast/node/internal/core"
)

// Loan identifies the contents of a message that were lent, see Ops.Lend. The zero Loan is none.
type Loan = core.Loan

// lending says whether the contents of a message are copied when they are sent.
type lending uint8

const (
	copies      lending = iota
	lendsAsked          // not if the receiver takes them before the send is complete
	lendsAlways         // not if that is possible
)

// leastLent is the size (bytes) from which contents are lent. To keep account of a loan of fewer would
// take longer than a copy.
const leastLent = 4 << 10

// Lend makes the next message that has contents refer to the program's memory, if this is possible: its
// contents are then not copied before the receiver takes them. The program must not change them until it
// has called Reclaim for the Loan, unless it knows that the receiver has them.
func (o *Ops) Lend() { o.lendAs(lendsAlways) }

// LendUntilComplete is like Lend for messages whose send is complete only after their contents have been
// taken: of a rendezvous, and synchronous ones. There is no loan to take back, but the program must not
// change the contents before the send is complete.
func (o *Ops) LendUntilComplete() { o.lendAs(lendsAsked) }

func (o *Ops) lendAs(l lending) {
	o.loan, o.lends = Loan{}, copies
	if o.journal == nil && o.block.shared.Payloads.Processes <= 1 {
		o.lends = l
	}
}

// lend lends contents of a message of a kind. It returns 0 if they have to be copied.
func (o *Ops) lend(data []byte, mark uint64, how uint8) (handle uint32) {
	asked := how >= core.SynchronousMessage
	if len(data) < leastLent || o.lends == lendsAsked && !asked {
		o.lends = copies
		return 0
	}
	o.lends = copies
	handle, loan := o.block.shared.Payloads.Lend(o.rank.ID, data, mark)
	if !asked {
		o.loan = loan
	}
	return handle
}

// Loan returns the loan of the message sent since Lend; none if it has no contents, if they were copied, or
// if the receiver has them before the send is complete.
func (o *Ops) Loan() Loan {
	o.lends = copies
	return o.loan
}

// Lent reports whether the receiver has not taken the contents of a loan yet.
func (o *Ops) Lent(l Loan) bool { return o.block.shared.Payloads.Lent(l) }

// Reclaim ends a loan. If the receiver has not taken the contents yet, it will find a copy of them.
func (o *Ops) Reclaim(l Loan) { o.block.shared.Payloads.Reclaim(l) }

// CountCopied makes the world count in n the bytes of contents that are copied between the buffers of
// programs and the store of messages in flight.
func (w *World) CountCopied(n *atomic.Int64) { w.shared.Payloads.Copied = n }
