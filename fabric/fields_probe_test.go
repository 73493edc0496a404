package fabric

import (
	"testing"

	"fabricast/internal/snapshot/fieldtest"
)

// TestStateIsWhole: every field of an observer is saved, or need not be.
func TestProbeStateIsWhole(t *testing.T) {
	fieldtest.Check(
		t,
		fieldtest.State{
			Of: observer{},
			Saved: "begin until interval told waits waiting later buffers laterBuffers filled arrived since sums " +
				"holds",
			Constant: "Observation numbering sentBy spec block events lanes outputs nics messages general first count vcs firstPort ports " +
				"firstNIC firstLane exact order logged nicList nicPlace",
			Passing: "last pile message bin attempt",
		},
	)
}
