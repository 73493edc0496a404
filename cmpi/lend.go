package cmpi

import "fabricast/node"

// A collective whose algorithm promises it sends long messages without a copy: the receiver copies them
// from the sender's buffer. Contents that the receiver has not taken when the collective ends at the
// sender are copied then, because the program may change its buffer.

// lentFrom is the size in bytes from which messages are lent. Keeping account of a shorter one would
// take longer than a copy.
const lentFrom = 4 << 10

// loans are the contents that a rank's collective has lent.
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
	if !c.lends || !buf.HasData() || buf.Len() < lentFrom {
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
		c.loans = &loans{room: leastLoans}
	}
	c.loans.add(c.ops, loan)
}

// add adds a loan.
func (l *loans) add(ops *node.Ops, loan node.Loan) {
	if len(l.list) >= l.room {
		open := l.list[:0]
		for _, old := range l.list {
			if ops.Lent(old) {
				open = append(open, old)
			}
		}
		l.list, l.room = open, max(leastLoans, 2*len(open))
	}
	l.list = append(l.list, loan)
}

// reclaim ends all loans, at the end of the collective.
func (c *replayed) reclaim() {
	if c.loans == nil {
		return
	}
	for _, loan := range c.loans.list {
		c.ops.Reclaim(loan)
	}
	c.loans = nil
}
