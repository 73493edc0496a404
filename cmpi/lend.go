package cmpi

import "fabricast/node"

// Long messages are sent without a copy: the receiver copies them from the sender's buffer. Contents that
// the receiver has not taken when the program goes on are copied then, because the program may end the send
// and change its buffer. A collective does the same if its algorithm promises not to change what it sends.

// loans are the contents that a rank, or its collective, has lent.
type loans struct {
	list []node.Loan
	room int // number of loans at which those that have ended are removed
}

// leastLoans is the number of loans from which a rank looks for those that have ended.
const leastLoans = 8

// Lend implements collective.Lender.
func (c *replayed) Lend() { c.lends = true }

// lend makes the next message refer to the rank's buffer if the algorithm permits it.
func (c *replayed) lend(buf node.Buf) bool {
	if !c.lends || !buf.HasData() {
		return false
	}
	c.ops.Lend()
	return true
}

// lentOut records the loan of a message that has been sent, if it was lent.
func (c *replayed) lentOut(lent bool) {
	if !lent {
		return
	}
	loan := c.ops.Loan()
	if loan == (node.Loan{}) {
		return
	}
	if c.loans == nil {
		c.loans = new(loans)
	}
	c.loans.add(c.ops, loan)
}

// lent records the loan of a message that has been sent since Ops.Lend, if it was lent.
func (p *program) lent() {
	if loan := p.ops.Loan(); loan != (node.Loan{}) {
		p.loans.add(p.ops, loan)
	}
}

// add adds a loan.
func (l *loans) add(ops *node.Ops, loan node.Loan) {
	if len(l.list) >= max(leastLoans, l.room) {
		open := l.list[:0]
		for _, old := range l.list {
			if ops.Lent(old) {
				open = append(open, old)
			}
		}
		l.list, l.room = open, 2*len(open)
	}
	l.list = append(l.list, loan)
}

// reclaim ends all loans.
func (l *loans) reclaim(ops *node.Ops) {
	for _, loan := range l.list {
		ops.Reclaim(loan)
	}
	l.list, l.room = l.list[:0], 0
}

// reclaim ends all loans, at the end of the collective.
func (c *replayed) reclaim() {
	if c.loans != nil {
		c.loans.reclaim(c.ops)
		c.loans = nil
	}
}
