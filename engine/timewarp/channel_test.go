package timewarp

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestMailIsReceivedAgain: mail that has to be received again, before a run that is not known yet, is
// not taken for received before the run that it once was received before, when runs are repeated.
func TestMailIsReceivedAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &channel{}
		run := 0
		for range rapid.IntRange(1, 20).Draw(t, "mails") {
			run += rapid.IntRange(0, 3).Draw(t, "runs between")
			c.mails = append(c.mails, mail{at: run})
		}
		c.taken = len(c.mails)
		undone := rapid.IntRange(0, run+1).Draw(t, "undone run")
		c.untake(undone)
		stays := c.taken
		saved := rapid.IntRange(0, undone).Draw(t, "saved run")
		c.rewind(saved)
		for again := saved; again <= run; again++ { // as far as the part had been
			for c.taken < len(c.mails) && c.mails[c.taken].at == again {
				c.taken++
			}
		}
		if c.taken != stays {
			t.Fatalf("%d mails are received when runs are repeated, want %d", c.taken, stays)
		}
		for _, m := range c.mails[stays:] {
			if m.at != math.MaxInt {
				t.Fatalf("mail that is to be received again counts as received before run %d", m.at)
			}
		}
	})
}
