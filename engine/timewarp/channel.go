package timewarp

import (
	"math"
	"slices"
	"sort"
)

// mail is the data that one part of the model (an engine.Part) has sent to another in one window.
type mail struct {
	sent  int64 // window
	first int64 // window in which it has an effect
	// data never changes.
	data []byte
	// at is the number of the receiver's run before which it was received last.
	at int
}

// channel holds what one part sends to another, in the order of windows. What a sender has sent in
// windows that it has not executed (again) is in doubt: it stays if it comes out the same.
//
// During a round the receiver's worker reads mails and changes taken, the sender's worker reads
// mails and changes the rest. Where both parts have one worker, and between rounds, publish makes
// the sender's changes known to the receiver.
type channel struct {
	from, to         *kp // nil: of another process
	sender, receiver int // their numbers

	mails   []mail
	taken   int // mails that have been received
	sure    int // mails that are not in doubt
	cut     int // mails from here on are cancelled; len(mails) if none is
	fresh   []mail
	crosses bool // to another worker or process
}

// doubtful returns the first mail in doubt; nil if there is none.
func (c *channel) doubtful() *mail {
	if c.sure < c.cut {
		return &c.mails[c.sure]
	}
	return nil
}

// since returns the index of the first mail that was sent in a window or later.
func (c *channel) since(window int64) int {
	return sort.Search(len(c.mails), func(i int) bool { return c.mails[i].sent >= window })
}

// cancel takes back what was sent in a window and later. It reports whether anything of that may
// have been received, and returns how many mails these are.
func (c *channel) cancel(window int64) (published bool, count int) {
	count = c.dropFresh(window)
	if cut := c.since(window); cut < c.cut {
		count += c.cut - cut
		c.cut, published = cut, true
		c.sure = min(c.sure, cut)
	}
	return published, count
}

// removeCut removes cancelled mails. It returns the number of the receiver's run that has to be
// undone because of it, math.MaxInt if there is none.
func (c *channel) removeCut() (run int) {
	run = math.MaxInt
	if c.cut == len(c.mails) {
		return run
	}
	if c.cut < c.taken {
		run = c.mails[c.cut].at
		c.taken = c.cut
	}
	clear(c.mails[c.cut:])
	c.mails = c.mails[:c.cut]
	return run
}

// append makes new mails known to the receiver, and returns the first window in which one of them
// has an effect.
func (c *channel) append() (first int64) {
	first = c.coming()
	c.mails = append(c.mails, c.fresh...)
	c.cut, c.sure = len(c.mails), c.sure+len(c.fresh)
	clear(c.fresh)
	c.fresh = c.fresh[:0]
	return first
}

// coming returns the first window in which mail has an effect that the receiver does not know yet.
func (c *channel) coming() (first int64) {
	first = math.MaxInt64
	for i := range c.fresh {
		first = min(first, c.fresh[i].first)
	}
	return first
}

// waiting returns the first window in which mail has an effect that has not been received.
func (c *channel) waiting() (first int64) {
	first = math.MaxInt64
	for i := c.taken; i < len(c.mails); i++ {
		first = min(first, c.mails[i].first)
	}
	return first
}

// untake makes mails that were received before the given run of the receiver, or a later one,
// mails to be received, before a run that is not known yet.
func (c *channel) untake(run int) {
	for c.taken > 0 && c.mails[c.taken-1].at >= run {
		c.taken--
		c.mails[c.taken].at = math.MaxInt
	}
}

// rewind makes the same mails mails to be received again, before the same runs.
func (c *channel) rewind(run int) {
	for c.taken > 0 && c.mails[c.taken-1].at >= run {
		c.taken--
	}
}

// doubt puts in doubt what was sent in a window or later. What the receiver does not know yet is
// dropped.
func (c *channel) doubt(window int64) {
	c.sure = min(c.sure, c.since(window))
	c.dropFresh(window)
}

// dropFresh removes mails of a window or later that the receiver does not know yet, and returns how
// many these are.
func (c *channel) dropFresh(window int64) (count int) {
	keep := sort.Search(len(c.fresh), func(i int) bool { return c.fresh[i].sent >= window })
	count = len(c.fresh) - keep
	clear(c.fresh[keep:])
	c.fresh = c.fresh[:keep]
	return count
}

// settled returns the number of mails that will never be read again.
func (c *channel) settled(gvt int64) int {
	end := min(c.sure, c.since(gvt))
	if c.to == nil {
		return end
	}
	n := 0
	for n < min(end, c.taken) && c.mails[n].at < c.to.firstRun {
		n++
	}
	return n
}

// forget removes the mails before the given index.
func (c *channel) forget(n int) {
	if n == 0 {
		return
	}
	c.mails = slices.Delete(c.mails, 0, n)
	c.taken, c.sure, c.cut = max(c.taken-n, 0), c.sure-n, c.cut-n
}
