package timewarp

import (
	"bytes"
	"errors"
	"fmt"

	"fabricast/internal/snapshot"
)

// errTwice is why a check fails.
var errTwice = errors.New("a window that was undone is not what it was")

// differs returns the error of a check that failed.
func (k *kp) differs(window int64, how string) error {
	return fmt.Errorf("part %d, window %d: %w: %s", k.number, window, errTwice, how)
}

// twice executes a window, undoes it and executes it again, and panics if anything differs.
func (k *kp) twice(window int64) {
	before, after := snapshot.Snapshot{Exact: true}, snapshot.Snapshot{Exact: true}
	undone, again := snapshot.Snapshot{Exact: true}, snapshot.Snapshot{Exact: true}
	before.Save(k.part.State)
	k.run(window, k.end())
	after.Save(k.part.State)
	sent := k.allSent()
	before.Restore(k.part.State)
	undone.Save(k.part.State)
	if !undone.Equal(&before) {
		panic(k.differs(window, "its state differs after it was restored"))
	}
	k.run(window, k.end())
	again.Save(k.part.State)
	if !again.Equal(&after) {
		panic(k.differs(window, "its state differs when it is executed again"))
	}
	for i, data := range k.allSent() {
		if !bytes.Equal(data, sent[i]) {
			panic(k.differs(window, fmt.Sprintf("it sends something else to part %d", k.out[i].receiver)))
		}
	}
	k.tally.Saves += 4
	k.tally.SavedBytes += uint64(before.Size() + after.Size() + undone.Size() + again.Size())
	k.tally.RolledBack++
	k.tally.Rollbacks++
}

// allSent returns copies of what the last Run has sent, by channel.
func (k *kp) allSent() [][]byte {
	all := make([][]byte, len(k.out))
	for i, c := range k.out {
		all[i] = bytes.Clone(k.part.Packed(c.receiver))
	}
	return all
}
